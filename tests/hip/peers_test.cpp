// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two GPUs in one process: those of the fake driver, or, if HEDDLE_TEST_GPUS is set, those of the machine.
// Nothing here needs a kernel.
#include <gtest/gtest.h>
#include <hip_functions.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

namespace heddle::hip_tests {
namespace {

#define HIP_OK(call) ASSERT_EQ((call), hipSuccess)

bool is_set(const char* name, std::string_view value) {
  const char* const text = std::getenv(name);
  return text && text == value;
}

/// Whether kernels of one GPU can access the memory of the other.
int are_peers() { return !is_set("HEDDLE_FAKE_PEERS", "0") && !is_set("HEDDLE_CUDA_HELPER", "1") ? 1 : 0; }

class TwoGpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_AGENTS", "cuda", 1);
    if (std::getenv("HEDDLE_TEST_GPUS")) return;
    setenv("HEDDLE_FAKE_GPUS", "2", 1);
    setenv("HEDDLE_CUDA_LIBRARY", HEDDLE_FAKE_CUDA, 1);
  }
  void SetUp() override {
    int count = 0;
    HIP_OK(hipGetDeviceCount(&count));
    ASSERT_GE(count, 2);
    for (const int device : {0, 1}) {
      HIP_OK(hipSetDevice(device));
      HIP_OK(hipMalloc(&memory[device], size));
    }
    HIP_OK(hipSetDevice(0));
    bytes.resize(size);
    std::iota(bytes.begin(), bytes.end(), uint8_t{3});
    HIP_OK(hipMemcpy(memory[0], bytes.data(), size, hipMemcpyHostToDevice));
  }
  void TearDown() override {
    for (void* const one : memory) EXPECT_EQ(hipFree(one), hipSuccess);
    HIP_OK(hipSetDevice(0));
  }
  static std::vector<uint8_t> contents(const void* of) {
    std::vector<uint8_t> found(size);
    EXPECT_EQ(hipMemcpy(found.data(), of, size, hipMemcpyDeviceToHost), hipSuccess);
    return found;
  }

  static constexpr size_t size = (3 << 20) + 5;
  void* memory[2] = {};
  std::vector<uint8_t> bytes;
};

TEST_F(TwoGpus, SayWhetherTheyAreTruePeers) {
  int can = 9, atomic = 9;
  HIP_OK(hipDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, are_peers());
  HIP_OK(hipDeviceCanAccessPeer(&can, 1, 0));
  EXPECT_EQ(can, are_peers());
  HIP_OK(hipDeviceCanAccessPeer(&can, 1, 1));
  EXPECT_EQ(can, 0);
  HIP_OK(hipDeviceGetP2PAttribute(&atomic, hipDevP2PAttrNativeAtomicSupported, 0, 1));
  EXPECT_EQ(atomic, are_peers());
}

TEST_F(TwoGpus, LetEachOtherInIfTheyCan) {
  const hipError_t expected = are_peers() ? hipSuccess : hipErrorPeerAccessUnsupported;
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), expected);
  if (!are_peers()) return;
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  void* later = nullptr;
  HIP_OK(hipSetDevice(1));
  HIP_OK(hipMalloc(&later, 5 << 20));
  HIP_OK(hipSetDevice(0));
  HIP_OK(hipMemcpyPeer(later, 1, memory[0], 0, size));
  EXPECT_EQ(contents(later), bytes);
  HIP_OK(hipFree(later));
  HIP_OK(hipDeviceDisablePeerAccess(1));
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
}

TEST_F(TwoGpus, CopyToEachOther) {
  HIP_OK(hipMemcpyPeer(memory[1], 1, memory[0], 0, size));
  EXPECT_EQ(contents(memory[1]), bytes);
  HIP_OK(hipMemset(memory[0], 0, size));
  HIP_OK(hipMemcpy(memory[0], memory[1], size, hipMemcpyDefault));
  EXPECT_EQ(contents(memory[0]), bytes);
  EXPECT_EQ(hipMemcpyPeer(memory[1], 1, memory[0], 0, size + 1), hipErrorInvalidValue);
}

TEST_F(TwoGpus, CopyInTheOrderOfStreams) {
  hipStream_t streams[2] = {};
  hipEvent_t copied = nullptr;
  for (const int device : {0, 1}) {
    HIP_OK(hipSetDevice(device));
    HIP_OK(hipStreamCreate(&streams[device]));
  }
  HIP_OK(hipEventCreate(&copied));
  for (int round = 0; round < 20; ++round) {
    HIP_OK(hipMemsetAsync(memory[0], round, size, streams[0]));
    HIP_OK(hipMemcpyPeerAsync(memory[1], 1, memory[0], 0, size, streams[0]));
    HIP_OK(hipEventRecord(copied, streams[0]));
    HIP_OK(hipStreamWaitEvent(streams[1], copied, 0));
    HIP_OK(hipMemcpyPeerAsync(memory[0], 0, memory[1], 1, size, streams[1]));
    HIP_OK(hipStreamSynchronize(streams[1]));
    ASSERT_EQ(contents(memory[1]), std::vector<uint8_t>(size, static_cast<uint8_t>(round)));
    ASSERT_EQ(contents(memory[0]), std::vector<uint8_t>(size, static_cast<uint8_t>(round)));
  }
  for (const hipStream_t stream : streams) HIP_OK(hipStreamDestroy(stream));
  HIP_OK(hipEventDestroy(copied));
}

TEST_F(TwoGpus, CopyRows) {
  HIP_OK(hipMemset(memory[1], 0, size));
  HIP_OK(hipMemcpy2D(memory[1], 1000, memory[0], 500, 300, 200, hipMemcpyDeviceToDevice));
  std::vector<uint8_t> expected(size);
  for (size_t y = 0; y < 200; ++y) std::copy_n(&bytes[y * 500], 300, &expected[y * 1000]);
  EXPECT_EQ(contents(memory[1]), expected);
}

}  // namespace
}  // namespace heddle::hip_tests
