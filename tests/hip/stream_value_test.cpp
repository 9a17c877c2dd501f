// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

TEST(StreamValue, IsAwaitedByEachCondition) {
  constexpr uint64_t high = uint64_t{1} << 40;
  struct Case {
    unsigned flags;
    uint64_t value, mask, not_yet, met;
  };
  const Case cases[] = {
      {hipStreamWaitValueGte, 5, ~uint64_t{0}, 4, 6},
      {hipStreamWaitValueGte, high, ~uint64_t{0}, high - 1, high},
      {hipStreamWaitValueEq, 5, 0xF, 0x16, 0x25},
      {hipStreamWaitValueAnd, 0x6, 0xFF, 0x9, 0xC},
      {hipStreamWaitValueAnd, 0x6, 0x4, 0x2, 0x4},
      {hipStreamWaitValueNor, 0xF0, ~uint64_t{0}, ~uint64_t{0} & ~uint64_t{0xF0}, 0},
  };
  for (const Case& c : cases) {
    SignalNumber number;
    const DeviceMemory<int> memory(4);
    const OwnStream stream;
    number.set(c.not_yet);
    HIP_OK(hipStreamWaitValue64(stream, number.address(), c.value, c.flags, c.mask));
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory.data(), 1));
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady) << c.flags;
    number.set(c.met);
    HIP_OK(hipStreamSynchronize(stream));
    EXPECT_EQ(memory.values()[0], 1);
  }
}

TEST(StreamValue, Of32BitsLeavesItsNeighbour) {
  SignalNumber number;
  auto* const half = reinterpret_cast<uint32_t*>(number.address());
  const OwnStream stream;
  HIP_OK(hipStreamWaitValue32(stream, half + 1, 7, hipStreamWaitValueEq, 0xFFFFFFFF));
  HIP_OK(hipStreamWriteValue32(stream, half, 3, 0));
  number.set(7);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  number.set(uint64_t{7} << 32);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(*number.address(), (uint64_t{7} << 32) + 3);
}

TEST(StreamValue, OrdersStreams) {
  HostNumber flag;
  const SignalNumber number;
  const DeviceMemory<int> memory(8);
  const OwnStream first, second;
  HIP_OK(hipStreamWaitValue64(second, number.address(), 1, hipStreamWaitValueGte, ~uint64_t{0}));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, second, memory.data(), 2));
  HIP_OK(hipStreamWriteValue64(second, number.address(), 2, 0));
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, first, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, first, memory.data(), 1));
  HIP_OK(hipStreamWriteValue64(first, number.address(), 1, 0));
  HIP_OK(hipStreamWaitValue64(first, number.address(), 2, hipStreamWaitValueEq, ~uint64_t{0}));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, first, memory.data(), 3));
  EXPECT_EQ(hipStreamQuery(second), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(memory.values(), (std::vector<int>{3, 1, 2, 3, 0, 0, 0, 0}));
}

TEST(StreamValue, IsAwaitedByManyThreads) {
  constexpr int threads = 6, rounds = 20;
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([] {
      SignalNumber number;
      const OwnStream stream;
      for (uint64_t i = 1; i <= rounds; ++i) {
        EXPECT_EQ(hipStreamWaitValue64(stream, number.address(), i, hipStreamWaitValueGte, ~uint64_t{0}),
                  hipSuccess);
        number.set(i);
      }
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    });
  for (std::thread& thread : running) thread.join();
}

/// The stream of a thread that ends is destroyed when its work ends. Meanwhile, other threads wait for this
/// work, too.
TEST(StreamValue, IsAwaitedByTheStreamOfAThreadThatEnds) {
  SignalNumber number, written;
  std::thread ending([&] {
    EXPECT_EQ(
        hipStreamWaitValue64(hipStreamPerThread, number.address(), 1, hipStreamWaitValueGte, ~uint64_t{0}),
        hipSuccess);
    EXPECT_EQ(hipStreamWriteValue64(hipStreamPerThread, written.address(), 7, 0), hipSuccess);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  uint64_t seen = 0;
  std::thread waiting([&] {
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    seen = __atomic_load_n(written.address(), __ATOMIC_ACQUIRE);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  number.set(1);
  ending.join();
  waiting.join();
  EXPECT_EQ(seen, 7);
}

TEST(StreamValue, ChecksItsArguments) {
  const SignalNumber number;
  uint64_t own = 0;
  EXPECT_EQ(hipStreamWaitValue64(nullptr, nullptr, 1, 0, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamWaitValue64(nullptr, number.address(), 1, 4, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamWaitValue64(nullptr, &own, 1, 0, 1), hipErrorInvalidValue) << "memory of the program";
  EXPECT_EQ(hipStreamWriteValue64(nullptr, &own, 1, 0), hipErrorInvalidValue);
  auto* const odd = reinterpret_cast<std::byte*>(number.address()) + 2;
  EXPECT_EQ(hipStreamWriteValue32(nullptr, odd, 1, 0), hipErrorInvalidValue);
  void* memory = nullptr;
  EXPECT_EQ(hipExtMallocWithFlags(&memory, 16, hipMallocSignalMemory), hipErrorInvalidValue);
  const OwnStream stream;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  EXPECT_EQ(hipStreamWriteValue64(stream, number.address(), 1, 0), hipErrorStreamCaptureUnsupported);
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  int can = 0;
  HIP_OK(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
  EXPECT_EQ(can, 1);
}

}  // namespace
}  // namespace heddle::hip_tests
