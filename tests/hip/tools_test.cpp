// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstring>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// The numbers of functions as tools know them, HIP_API_ID_*.
constexpr uint32_t id_of_memset = 154, none = 100000;

/// Returns the number of a function by its name.
uint32_t id_of(const char* name) {
  for (uint32_t id = 1; id < 400; ++id)
    if (std::strcmp(hipApiName(id), name) == 0) return id;
  return none;
}

/// What tools expect of the data for hipMalloc.
struct MallocData {
  uint64_t correlation;
  uint32_t phase;
  struct {
    void** ptr;
    void* ptr_value;
    size_t size;
  } arguments;
};

struct Seen {
  std::atomic<int> calls{0};
  uint32_t domain = 0, id = 0;
  std::vector<MallocData> data;
};

void note_malloc(uint32_t domain, uint32_t id, const void* data, void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  ++seen.calls;
  seen.domain = domain;
  seen.id = id;
  seen.data.push_back(*static_cast<const MallocData*>(data));
  int device = 0;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess) << "callbacks may call the library";
}

void count_calls(uint32_t, uint32_t, const void*, void* argument) {
  ++*static_cast<std::atomic<int>*>(argument);
}

void* address_of(void (*callback)(uint32_t, uint32_t, const void*, void*)) {
  return reinterpret_cast<void*>(callback);
}

TEST(Tools, AreCalledAroundFunctions) {
  const uint32_t id = id_of("hipMalloc");
  ASSERT_NE(id, none);
  Seen seen;
  HIP_OK(hipRegisterApiCallback(id, address_of(note_malloc), &seen));
  void* memory = nullptr;
  HIP_OK(hipMalloc(&memory, 4096));
  HIP_OK(hipFree(memory));
  HIP_OK(hipRemoveApiCallback(id));
  HIP_OK(hipMalloc(&memory, 4096));
  HIP_OK(hipFree(memory));
  ASSERT_EQ(seen.calls, 2) << "before and after one call";
  EXPECT_EQ(seen.domain, 3U);
  EXPECT_EQ(seen.id, id);
  EXPECT_EQ(seen.data[0].phase, 0U);
  EXPECT_EQ(seen.data[1].phase, 1U);
  EXPECT_NE(seen.data[0].correlation, 0U);
  EXPECT_EQ(seen.data[0].correlation, seen.data[1].correlation);
  EXPECT_EQ(seen.data[1].arguments.ptr, &memory);
  EXPECT_EQ(seen.data[1].arguments.size, 4096U);
}

TEST(Tools, PauseBetweenStopAndStart) {
  std::atomic<int> calls{0};
  const uint32_t id = id_of("hipGetDevice");
  int device = 0;
  HIP_OK(hipRegisterApiCallback(id, address_of(count_calls), &calls));
  HIP_OK(hipProfilerStop());
  HIP_OK(hipGetDevice(&device));
  EXPECT_EQ(calls, 0);
  HIP_OK(hipProfilerStart());
  HIP_OK(hipGetDevice(&device));
  EXPECT_EQ(calls, 2);
  HIP_OK(hipRemoveApiCallback(id));
}

TEST(Tools, SeeQuestionsForTheLastErrorToo) {
  for (const char* const name : {"hipGetLastError", "hipPeekAtLastError"}) {
    std::atomic<int> calls{0};
    const uint32_t id = id_of(name);
    ASSERT_NE(id, none);
    HIP_OK(hipRegisterApiCallback(id, address_of(count_calls), &calls));
    EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(calls, 2) << "around one of the two calls";
    HIP_OK(hipRemoveApiCallback(id));
  }
}

TEST(Tools, AreCalledOnEveryThread) {
  constexpr int threads = 6, rounds = 50;
  std::atomic<int> calls{0};
  const uint32_t id = id_of("hipGetDevice");
  HIP_OK(hipRegisterApiCallback(id, address_of(count_calls), &calls));
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([] {
      int device = 0;
      for (int i = 0; i < rounds; ++i) EXPECT_EQ(hipGetDevice(&device), hipSuccess);
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(calls, 2 * threads * rounds);
  HIP_OK(hipRemoveApiCallback(id));
}

TEST(Tools, KnowFunctionsByNumbers) {
  EXPECT_STREQ(hipApiName(id_of_memset), "hipMemset") << "a number that AMD's headers have";
  EXPECT_STREQ(hipApiName(none), "unknown");
  std::atomic<int> calls{0};
  EXPECT_EQ(hipRegisterApiCallback(none, address_of(count_calls), &calls), hipErrorInvalidValue);
  EXPECT_EQ(hipRegisterApiCallback(id_of_memset, nullptr, &calls), hipErrorInvalidValue);
  EXPECT_EQ(hipRemoveApiCallback(none), hipErrorInvalidValue);
  HIP_OK(hipRemoveApiCallback(id_of_memset)) << "none is registered";
  EXPECT_EQ(hipGetStreamDeviceId(nullptr), 0);
  EXPECT_EQ(hipGetStreamDeviceId(reinterpret_cast<hipStream_t>(0x1234)), -1);
}

}  // namespace
}  // namespace heddle::hip_tests
