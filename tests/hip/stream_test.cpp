// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

TEST(Stream, IsNotReadyWhileAKernelRuns) {
  (void)hipGetLastError();
  HostNumber flag;
  const OwnStream stream;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT_EQ(hipGetLastError(), hipSuccess) << "work that is not complete is no failure";
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  HIP_OK(hipStreamQuery(stream));
}

TEST(Stream, WaitsForAnEventOfAnother) {
  HostNumber flag;
  const DeviceMemory<int> memory(8);
  const OwnStream first, second;
  const OwnEvent event(hipEventDisableTiming);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, first, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, first, memory.data(), 1));
  HIP_OK(hipEventRecord(event, first));
  EXPECT_EQ(hipEventQuery(event), hipErrorNotReady);
  HIP_OK(hipStreamWaitEvent(second, event, 0));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, second, memory.data(), 2));
  EXPECT_EQ(hipStreamQuery(second), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(second));
  HIP_OK(hipEventQuery(event));
  EXPECT_EQ(memory.values(), (std::vector<int>{2, 1, 2, 0, 0, 0, 0, 0}));
}

TEST(Stream, ThatBlocksWaitsForTheDefaultStream) {
  HostNumber flag;
  const DeviceMemory<int> memory(8);
  const OwnStream blocking(hipStreamDefault), free(hipStreamNonBlocking);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, blocking, memory.data(), 1));
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, free));
  HIP_OK(hipStreamSynchronize(free));
  EXPECT_EQ(hipStreamQuery(blocking), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(blocking));
}

TEST(Stream, ByDefaultWaitsForThoseThatBlock) {
  HostNumber flag;
  const DeviceMemory<int> memory(8);
  const OwnStream blocking(hipStreamDefault);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, blocking, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, blocking, memory.data(), 1));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), 2));
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(nullptr));
  EXPECT_EQ(memory.values(), (std::vector<int>{2, 1, 2, 0, 0, 0, 0, 0}));
}

struct CallbackData {
  int* memory;
  std::atomic<int> seen{0};
  std::atomic<hipError_t> status{hipErrorUnknown};
};

void note_callback(hipStream_t, hipError_t status, void* data) {
  auto& own = *static_cast<CallbackData*>(data);
  own.seen = own.memory[1];
  own.memory[1] = 50;
  own.status = status;
}

TEST(Stream, CallsTheHostBetweenKernels) {
  HostNumber flag;
  int* memory = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&memory), 8 * sizeof(int), 0));
  std::fill_n(memory, 8, 0);
  CallbackData data{memory};
  const OwnStream stream;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, 3));
  HIP_OK(hipStreamAddCallback(stream, note_callback, &data, 0));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, 4));
  EXPECT_EQ(data.status, hipErrorUnknown);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(data.seen, 3);
  EXPECT_EQ(data.status, hipSuccess);
  EXPECT_EQ(memory[1], 50);
  EXPECT_EQ(memory[2], 4);
  EXPECT_EQ(hipStreamAddCallback(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_OK(hipHostFree(memory));
}

TEST(Stream, HasAQueueOfItsOwnAsLongAsThereAreEnough) {
  HostNumber flag;
  // Streams that are gone leave their queues to others, in whatever order they end.
  for (int i = 0; i < 7; ++i) OwnStream{};
  const OwnStream waiting;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, waiting, flag.address()));
  for (int i = 0; i < 9; ++i) {
    const OwnStream other;
    HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, other));
    HIP_OK(hipStreamSynchronize(other));
  }
  flag.set(1);
  HIP_OK(hipStreamSynchronize(waiting));
}

TEST(Stream, SharesQueuesIfThereAreMoreStreams) {
  constexpr int streams = 9;
  const DeviceMemory<int> numbers(streams);
  const std::vector<OwnStream> own(streams);
  for (int i = 0; i < streams; ++i) HIP_OK(hipMemsetD32Async(numbers.data() + i, 100 + i, 1, own[i]));
  for (const OwnStream& stream : own) HIP_OK(hipStreamSynchronize(stream));
  const auto found = numbers.values();
  for (int i = 0; i < streams; ++i) EXPECT_EQ(found[i], 100 + i);
}

// The kernels wait until the standard input ends, so that who reads the log decides when.
TEST(Stream, WaitsWhileItsQueueIsFull) {
  constexpr int kernels = 5000;
  HostNumber flag;
  const DeviceMemory<int> memory(kernels + 1);
  const OwnStream stream;
  std::jthread reader([&] {
    while (std::getchar() != EOF) {
    }
    flag.set(1);
  });
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, stream, flag.address()));
  for (int i = 0; i < kernels; ++i)
    HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory.data(), i));
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(memory.values()[0], kernels);
}

TEST(Stream, OfAThreadIsItsOwn) {
  HostNumber flag;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, hipStreamPerThread, flag.address()));
  EXPECT_EQ(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
  std::thread([] {
    EXPECT_EQ(hipStreamQuery(hipStreamPerThread), hipSuccess);
    EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), 0, hipStreamPerThread), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(hipStreamPerThread), hipSuccess);
  }).join();
  flag.set(1);
  HIP_OK(hipStreamSynchronize(hipStreamPerThread));
}

TEST(Stream, ByDefaultIsNotReadyBeforeThoseThatBlock) {
  HostNumber flag;
  const OwnStream blocking(hipStreamDefault), other;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, other, flag.address()));
  HIP_OK(hipStreamQuery(nullptr));
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, blocking, flag.address()));
  EXPECT_EQ(hipStreamQuery(nullptr), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(nullptr));
  HIP_OK(hipStreamQuery(nullptr));
  HIP_OK(hipStreamSynchronize(other));
}

TEST(Stream, KnowsItsDeviceAndHasALegacyName) {
  const OwnStream stream;
  hipDevice_t device = -1;
  HIP_OK(hipStreamGetDevice(stream, &device));
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipStreamGetDevice(stream, nullptr), hipErrorInvalidValue);
  const DeviceMemory<int> memory(2);
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, hipStreamLegacy, memory.data(), 5));
  HIP_OK(hipStreamSynchronize(hipStreamLegacy));
  EXPECT_EQ(memory.values()[1], 5);
  EXPECT_EQ(hipStreamDestroy(hipStreamLegacy), hipErrorInvalidHandle);
}

TEST(Stream, ChecksHandlesAndFlags) {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, 0x10), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamCreate(nullptr), hipErrorInvalidValue);
  HIP_OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -1));
  int priority = 5;
  HIP_OK(hipStreamGetPriority(stream, &priority));
  EXPECT_EQ(priority, -1);
  unsigned flags = 5;
  HIP_OK(hipStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, static_cast<unsigned>(hipStreamNonBlocking));
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, stream));
  HIP_OK(hipStreamDestroy(stream));
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
}

TEST(Stream, MayUseFewComputeUnits) {
  const uint32_t mask[] = {1};
  hipStream_t stream = nullptr;
  HIP_OK(hipExtStreamCreateWithCUMask(&stream, 1, mask));
  uint32_t read[4] = {9, 9, 9, 9};
  HIP_OK(hipExtStreamGetCUMask(stream, 4, read));
  EXPECT_EQ(read[0], 1U);
  HIP_OK(launch(empty_kernel, dim3(10), dim3(32), 0, stream));
  HIP_OK(hipStreamDestroy(stream));
  EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 0, nullptr), hipErrorInvalidValue);
}

/// Launches a kernel in a stream with a queue of its own, which another thread may destroy before, meanwhile
/// or after, and lets the default stream wait for its work. The kernel of a module that has just been loaded
/// is finalized when it is launched, so that the stream often ends in the call that launches.
void launch_while_a_stream_is_destroyed(std::chrono::microseconds delay) {
  hipModule_t module = nullptr;
  hipFunction_t wait = nullptr;
  HIP_OK(hipModuleLoad(&module, MODULE_FILE));
  HIP_OK(hipModuleGetFunction(&wait, module, "_Z8wait_forPi"));
  HostNumber flag;
  const uint32_t mask[] = {1};
  hipStream_t stream = nullptr;
  HIP_OK(hipExtStreamCreateWithCUMask(&stream, 1, mask));
  std::thread launching([&] {
    int* address = flag.address();
    void* arguments[] = {static_cast<void*>(&address)};
    const hipError_t result = hipModuleLaunchKernel(wait, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
    EXPECT_TRUE(result == hipSuccess || result == hipErrorContextIsDestroyed) << result;
  });
  std::thread destroying([&] {
    std::this_thread::sleep_for(delay);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // So many markers come to the queue of the stream that it may be destroyed before they are reached.
  for (int i = 0; i < 490; ++i) EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr), hipSuccess);
  flag.set(1);
  launching.join();
  destroying.join();
  HIP_OK(hipStreamSynchronize(nullptr));
  HIP_OK(hipModuleUnload(module));
}

TEST(Stream, MayBeDestroyedWhileOtherThreadsUseAndAwaitIt) {
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr));
  for (int i = 0; i < 20; ++i) launch_while_a_stream_is_destroyed(std::chrono::microseconds(300 * (i % 10)));
}

TEST(Event, TellsHowLongAKernelRan) {
  const DeviceMemory<unsigned long long> counter(1);
  const OwnEvent start, stop;
  HIP_OK(hipEventRecord(start, nullptr));
  HIP_OK(launch(count_kernel, dim3(64), dim3(64), 0, nullptr, counter.data(), 100U));
  HIP_OK(hipEventRecord(stop, nullptr));
  HIP_OK(hipEventSynchronize(stop));
  float milliseconds = -1;
  HIP_OK(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT_GT(milliseconds, 0.0F);
  HIP_OK(hipEventElapsedTime(&milliseconds, stop, start));
  EXPECT_LT(milliseconds, 0.0F);
}

TEST(Event, IsReadyWhenItsStreamIs) {
  const OwnStream own;
  const OwnEvent event;
  for (int i = 0; i < 200; ++i) {
    const auto stream = i % 2 == 0 ? hipStream_t{own} : nullptr;
    HIP_OK(launch(empty_kernel, dim3(4), dim3(64), 0, stream));
    HIP_OK(hipEventRecord(event, stream));
    HIP_OK(i % 4 < 2 ? hipStreamSynchronize(stream) : hipDeviceSynchronize());
    ASSERT_EQ(hipEventQuery(event), hipSuccess) << i;
  }
}

TEST(Event, ChecksItsUse) {
  const OwnEvent never, untimed(hipEventDisableTiming), running;
  float milliseconds = 0;
  HIP_OK(hipEventQuery(never));
  HIP_OK(hipEventSynchronize(never));
  HIP_OK(hipEventRecord(untimed, nullptr));
  HIP_OK(hipEventRecord(running, nullptr));
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, never, running), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, untimed, running), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventElapsedTime(nullptr, running, running), hipErrorInvalidValue);
  HostNumber flag;
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag.address()));
  HIP_OK(hipEventRecord(running, nullptr));
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, running, running), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipEventSynchronize(running));
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, 0x100), hipErrorInvalidValue);
  HIP_OK(hipEventCreate(&event));
  HIP_OK(hipEventDestroy(event));
  EXPECT_EQ(hipEventDestroy(event), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventRecord(event, nullptr), hipErrorInvalidHandle);
}

}  // namespace
}  // namespace heddle::hip_tests
