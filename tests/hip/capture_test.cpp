// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

hipStreamCaptureStatus status_of(hipStream_t stream) {
  hipStreamCaptureStatus status{};
  EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  return status;
}

std::vector<hipGraphNodeType> types_of(hipGraph_t graph) {
  size_t count = 0;
  EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
  std::vector<hipGraphNode_t> nodes(count);
  EXPECT_EQ(hipGraphGetNodes(graph, nodes.data(), &count), hipSuccess);
  std::vector<hipGraphNodeType> types(count);
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(hipGraphNodeGetType(nodes[i], &types[i]), hipSuccess);
  return types;
}

size_t edges_of(hipGraph_t graph) {
  size_t count = 0;
  EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
  return count;
}

void run_and_destroy(hipGraph_t graph) {
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(executable, nullptr));
  HIP_OK(hipDeviceSynchronize());
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

/// Begins the capture of a stream, and ends it if the test does not.
class OwnCapture {
 public:
  explicit OwnCapture(hipStream_t stream, hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed)
      : stream_(stream) {
    EXPECT_EQ(hipStreamBeginCapture(stream_, mode), hipSuccess);
  }
  ~OwnCapture() {
    hipGraph_t graph = nullptr;
    if (open_ && hipStreamEndCapture(stream_, &graph) == hipSuccess)
      EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  }
  OwnCapture(const OwnCapture&) = delete;
  OwnCapture& operator=(const OwnCapture&) = delete;
  hipGraph_t end() {
    open_ = false;
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream_, &graph), hipSuccess);
    return graph;
  }
  /// Ends the capture, which is to fail.
  hipError_t failure() {
    open_ = false;
    hipGraph_t graph = nullptr;
    const hipError_t result = hipStreamEndCapture(stream_, &graph);
    EXPECT_EQ(graph, nullptr);
    return result;
  }

 private:
  hipStream_t stream_;
  bool open_ = true;
};

hipError_t append(hipStream_t stream, const DeviceMemory<int>& memory, int value) {
  return launch(append_kernel, dim3(1), dim3(1), 0, stream, memory.data(), value);
}

void add_one(void* number) { ++*static_cast<std::atomic<int>*>(number); }

TEST(Capture, TakesWorkInsteadOfDoingIt) {
  const DeviceMemory<int> memory(16);
  std::vector<int> read(16);
  std::atomic<int> calls{0};
  const OwnStream stream;
  OwnCapture capture(stream);
  EXPECT_EQ(status_of(stream), hipStreamCaptureStatusActive);
  HIP_OK(hipMemsetAsync(memory.data(), 0, 16 * sizeof(int), stream));
  HIP_OK(append(stream, memory, 1));
  HIP_OK(append(stream, memory, 2));
  HIP_OK(hipLaunchHostFunc(stream, add_one, &calls));
  HIP_OK(hipMemcpyAsync(read.data(), memory.data(), 16 * sizeof(int), hipMemcpyDeviceToHost, stream));
  HIP_OK(hipMemcpy2DAsync(read.data() + 8, 16, memory.data(), 8, 4, 2, hipMemcpyDeviceToHost, stream));
  hipGraph_t graph = capture.end();
  EXPECT_EQ(status_of(stream), hipStreamCaptureStatusNone);
  EXPECT_EQ(memory.values()[0], 0);
  EXPECT_EQ(types_of(graph),
            (std::vector{hipGraphNodeTypeMemset, hipGraphNodeTypeKernel, hipGraphNodeTypeKernel,
                         hipGraphNodeTypeHost, hipGraphNodeTypeMemcpy1D, hipGraphNodeTypeMemcpy}));
  EXPECT_EQ(edges_of(graph), 5U);
  run_and_destroy(graph);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ((std::vector<int>{read[0], read[1], read[2]}), (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(read[8], 2);
  EXPECT_EQ(read[12], 2);
}

TEST(Capture, FollowsEventsIntoOtherStreams) {
  const DeviceMemory<int> first(8), second(8);
  const OwnStream origin, fork;
  const OwnEvent begin(hipEventDisableTiming), end(hipEventDisableTiming);
  OwnCapture capture(origin, hipStreamCaptureModeGlobal);
  HIP_OK(append(origin, first, 1));
  HIP_OK(hipEventRecord(begin, origin));
  HIP_OK(hipStreamWaitEvent(fork, begin, 0));
  EXPECT_EQ(status_of(fork), hipStreamCaptureStatusActive);
  HIP_OK(append(fork, second, 2));
  HIP_OK(append(origin, first, 3));
  HIP_OK(hipEventRecord(end, fork));
  HIP_OK(hipStreamWaitEvent(origin, end, 0));
  HIP_OK(append(origin, second, 4));
  hipGraph_t graph = capture.end();
  EXPECT_EQ(status_of(fork), hipStreamCaptureStatusNone);
  EXPECT_EQ(edges_of(graph), 4U);
  run_and_destroy(graph);
  EXPECT_EQ(first.values(), (std::vector<int>{2, 1, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(second.values(), (std::vector<int>{2, 2, 4, 0, 0, 0, 0, 0}));
}

TEST(Capture, MustBeJoined) {
  const OwnStream origin, fork;
  const OwnEvent event(hipEventDisableTiming);
  OwnCapture capture(origin);
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, origin));
  HIP_OK(hipEventRecord(event, origin));
  HIP_OK(hipStreamWaitEvent(fork, event, 0));
  HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, fork));
  EXPECT_EQ(capture.failure(), hipErrorStreamCaptureUnjoined);
  EXPECT_EQ(status_of(fork), hipStreamCaptureStatusNone);
  EXPECT_EQ(hipEventQuery(event), hipErrorCapturedEvent) << "its capture has ended, and it was not recorded";
}

TEST(Capture, EndsWhereItBegan) {
  const OwnStream origin, fork;
  const OwnEvent event(hipEventDisableTiming);
  OwnCapture capture(origin);
  HIP_OK(hipEventRecord(event, origin));
  HIP_OK(hipStreamWaitEvent(fork, event, 0));
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(fork, &graph), hipErrorStreamCaptureUnmatched);
  EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
}

TEST(Capture, EndsInTheThreadWhereItBegan) {
  const OwnStream stream;
  for (const auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal}) {
    OwnCapture capture(stream, mode);
    std::thread([&] {
      hipGraph_t graph = nullptr;
      EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureWrongThread);
    }).join();
    HIP_OK(hipGraphDestroy(capture.end()));
  }
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  std::thread([&] {
    hipGraph_t graph = nullptr;
    HIP_OK(hipStreamEndCapture(stream, &graph));
    HIP_OK(hipGraphDestroy(graph));
  }).join();
}

TEST(Capture, ChecksItsBeginningAndEnd) {
  hipGraph_t graph = nullptr;
  const OwnStream stream;
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureMode(3)), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
  EXPECT_EQ(hipStreamEndCapture(nullptr, &graph), hipErrorIllegalState);
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState);
  EXPECT_EQ(hipStreamEndCapture(stream, nullptr), hipErrorInvalidValue);
  HIP_OK(hipStreamEndCapture(stream, &graph));
  EXPECT_TRUE(types_of(graph).empty());
  HIP_OK(hipGraphDestroy(graph));
  HIP_OK(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeThreadLocal));
  HIP_OK(hipStreamEndCapture(hipStreamPerThread, &graph));
  HIP_OK(hipGraphDestroy(graph));
}

TEST(Capture, IsInvalidAfterAForbiddenCall) {
  const OwnStream stream;
  const OwnEvent event;
  const auto forbidden = [&](hipError_t expected, auto call) {
    OwnCapture capture(stream);
    HIP_OK(hipEventRecord(event, stream));
    EXPECT_EQ(call(), expected);
    EXPECT_EQ(status_of(stream), hipStreamCaptureStatusInvalidated);
    EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), 0, stream), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  };
  int from = 1, to = 2;
  forbidden(hipErrorStreamCaptureUnsupported, [&] { return hipStreamSynchronize(stream); });
  forbidden(hipErrorStreamCaptureUnsupported, [&] { return hipStreamQuery(stream); });
  forbidden(hipErrorStreamCaptureUnsupported,
            [&] { return hipStreamAddCallback(stream, [](hipStream_t, hipError_t, void*) {}, nullptr, 0); });
  forbidden(hipErrorStreamCaptureUnsupported,
            [&] { return hipMemcpyWithStream(&to, &from, sizeof to, hipMemcpyHostToHost, stream); });
  forbidden(hipErrorCapturedEvent, [&] { return hipEventSynchronize(event); });
  forbidden(hipErrorCapturedEvent, [&] { return hipEventQuery(event); });
  const OwnEvent outside;
  HIP_OK(hipEventRecord(outside, nullptr));
  forbidden(hipErrorStreamCaptureIsolation, [&] { return hipStreamWaitEvent(stream, outside, 0); });
}

TEST(Capture, KeepsCapturesApart) {
  const OwnStream first, second;
  const OwnEvent event;
  OwnCapture one(first), other(second);
  HIP_OK(hipEventRecord(event, first));
  EXPECT_EQ(hipStreamWaitEvent(second, event, 0), hipErrorStreamCaptureMerge);
  EXPECT_EQ(one.failure(), hipErrorStreamCaptureInvalidated);
  EXPECT_EQ(other.failure(), hipErrorStreamCaptureInvalidated);
}

TEST(Capture, BarsTheDefaultStreamIfItBlocks) {
  const OwnStream blocking(hipStreamDefault), free(hipStreamNonBlocking);
  {
    OwnCapture capture(free);
    HIP_OK(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr));
    EXPECT_EQ(status_of(nullptr), hipStreamCaptureStatusNone);
    HIP_OK(hipGraphDestroy(capture.end()));
  }
  OwnCapture capture(blocking);
  hipStreamCaptureStatus status{};
  EXPECT_EQ(hipStreamIsCapturing(nullptr, &status), hipErrorStreamCaptureImplicit);
  EXPECT_EQ(status_of(blocking), hipStreamCaptureStatusActive) << "asking does no harm";
  EXPECT_EQ(launch(empty_kernel, dim3(1), dim3(1), 0, nullptr), hipErrorStreamCaptureImplicit);
  EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
}

/// Returns what a call that may disturb captures returns on this thread.
hipError_t unsafe_call() {
  void* memory = nullptr;
  const hipError_t result = hipMalloc(&memory, 16);
  if (result == hipSuccess) EXPECT_EQ(hipFree(memory), hipSuccess);
  return result;
}

hipError_t unsafe_call_of_another_thread() {
  hipError_t result = hipSuccess;
  std::thread([&] { result = unsafe_call(); }).join();
  return result;
}

TEST(Capture, ForbidsUnsafeCallsByItsMode) {
  const OwnStream stream;
  {
    OwnCapture capture(stream, hipStreamCaptureModeGlobal);
    EXPECT_EQ(unsafe_call(), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  }
  {
    OwnCapture capture(stream, hipStreamCaptureModeGlobal);
    EXPECT_EQ(unsafe_call_of_another_thread(), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  }
  {
    OwnCapture capture(stream, hipStreamCaptureModeThreadLocal);
    EXPECT_EQ(unsafe_call_of_another_thread(), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  }
  const OwnStream other;
  {
    OwnCapture capture(stream, hipStreamCaptureModeGlobal);
    EXPECT_EQ(hipStreamSynchronize(other), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  }
  {
    OwnCapture capture(stream, hipStreamCaptureModeRelaxed);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported)
        << "it would wait for the stream itself";
    EXPECT_EQ(capture.failure(), hipErrorStreamCaptureInvalidated);
  }
  OwnCapture capture(stream, hipStreamCaptureModeRelaxed);
  EXPECT_EQ(unsafe_call(), hipSuccess);
  HIP_OK(hipStreamSynchronize(other));
  HIP_OK(hipGraphDestroy(capture.end()));
}

TEST(Capture, TellsOfTheDefaultStreamBeforeItsMode) {
  const DeviceMemory<int> memory(1);
  int value = 0;
  for (const unsigned flags : {hipStreamDefault, hipStreamNonBlocking}) {
    const OwnStream stream(flags);
    const hipError_t expected =
        flags == hipStreamDefault ? hipErrorStreamCaptureImplicit : hipErrorStreamCaptureUnsupported;
    OwnCapture first(stream, hipStreamCaptureModeGlobal);
    EXPECT_EQ(hipMemcpy(&value, memory.data(), sizeof value, hipMemcpyDeviceToHost), expected);
    EXPECT_EQ(first.failure(), hipErrorStreamCaptureInvalidated);
    OwnCapture second(stream, hipStreamCaptureModeThreadLocal);
    EXPECT_EQ(hipMemset(memory.data(), 0, sizeof value), expected);
    EXPECT_EQ(second.failure(), hipErrorStreamCaptureInvalidated);
  }
}

TEST(Capture, LetsAThreadExchangeItsMode) {
  const OwnStream stream;
  auto mode = hipStreamCaptureModeRelaxed;
  HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, hipStreamCaptureModeGlobal);
  {
    OwnCapture capture(stream, hipStreamCaptureModeGlobal);
    EXPECT_EQ(unsafe_call(), hipSuccess);
    HIP_OK(hipGraphDestroy(capture.end()));
  }
  HIP_OK(hipThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, hipStreamCaptureModeRelaxed);
  EXPECT_EQ(hipThreadExchangeStreamCaptureMode(nullptr), hipErrorInvalidValue);
  mode = hipStreamCaptureMode(5);
  EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&mode), hipErrorInvalidValue);
}

TEST(Capture, TellsAboutItself) {
  const DeviceMemory<int> memory(8);
  const OwnStream stream;
  hipStreamCaptureStatus status{};
  unsigned long long id = 0;
  HIP_OK(hipStreamGetCaptureInfo(stream, &status, &id));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  OwnCapture capture(stream);
  HIP_OK(append(stream, memory, 1));
  hipGraph_t graph = nullptr;
  const hipGraphNode_t* dependencies = nullptr;
  size_t count = 0;
  HIP_OK(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &dependencies, &count));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_NE(id, 0U);
  ASSERT_EQ(count, 1U);
  auto type = hipGraphNodeTypeCount;
  HIP_OK(hipGraphNodeGetType(dependencies[0], &type));
  EXPECT_EQ(type, hipGraphNodeTypeKernel);
  EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue) << "the capture owns it";
  EXPECT_EQ(hipStreamGetCaptureInfo(stream, nullptr, &id), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamIsCapturing(stream, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(capture.end(), graph);
  HIP_OK(hipGraphDestroy(graph));
}

TEST(Capture, TakesOtherDependencies) {
  const DeviceMemory<int> memory(8);
  const OwnStream stream;
  EXPECT_EQ(hipStreamUpdateCaptureDependencies(stream, nullptr, 0, 0), hipErrorIllegalState);
  OwnCapture capture(stream);
  HIP_OK(append(stream, memory, 1));
  hipStreamCaptureStatus status{};
  hipGraph_t graph = nullptr;
  HIP_OK(hipStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr));
  hipGraphNode_t extra = nullptr;
  HIP_OK(hipGraphAddEmptyNode(&extra, graph, nullptr, 0));
  HIP_OK(hipStreamUpdateCaptureDependencies(stream, &extra, 1, hipStreamAddCaptureDependencies));
  HIP_OK(append(stream, memory, 2));
  EXPECT_EQ(edges_of(graph), 2U);
  HIP_OK(hipStreamUpdateCaptureDependencies(stream, &extra, 1, hipStreamSetCaptureDependencies));
  HIP_OK(hipLaunchHostFunc(stream, [](void*) {}, nullptr));
  EXPECT_EQ(edges_of(graph), 3U);
  EXPECT_EQ(hipStreamUpdateCaptureDependencies(stream, &extra, 1, 7), hipErrorInvalidValue);
  HIP_OK(hipGraphDestroyNode(extra));
  HIP_OK(hipGraphDestroy(capture.end()));
}

TEST(Capture, IsJoinedWithoutTheDependenciesThatItGaveUp) {
  const DeviceMemory<int> memory(8);
  const OwnStream origin, fork;
  const OwnEvent begin(hipEventDisableTiming), end(hipEventDisableTiming);
  OwnCapture capture(origin);
  HIP_OK(hipEventRecord(begin, origin));
  HIP_OK(hipStreamWaitEvent(fork, begin, 0));
  HIP_OK(append(fork, memory, 1));
  HIP_OK(hipEventRecord(end, fork));
  HIP_OK(hipStreamWaitEvent(origin, end, 0));
  HIP_OK(hipStreamUpdateCaptureDependencies(origin, nullptr, 0, hipStreamSetCaptureDependencies));
  hipStreamCaptureStatus status{};
  hipGraph_t graph = nullptr;
  hipGraphNode_t extra = nullptr;
  HIP_OK(hipStreamGetCaptureInfo_v2(origin, &status, nullptr, &graph, nullptr, nullptr));
  HIP_OK(hipGraphAddEmptyNode(&extra, graph, nullptr, 0));
  HIP_OK(hipStreamUpdateCaptureDependencies(origin, &extra, 1, hipStreamSetCaptureDependencies));
  HIP_OK(hipStreamUpdateCaptureDependencies(origin, nullptr, 0, hipStreamSetCaptureDependencies));
  HIP_OK(hipGraphDestroyNode(extra));
  HIP_OK(hipGraphDestroy(capture.end()));
}

TEST(Capture, TakesGraphsAsNodes) {
  const DeviceMemory<int> memory(8);
  const OwnStream stream;
  hipGraph_t inner = nullptr;
  {
    OwnCapture capture(stream);
    HIP_OK(append(stream, memory, 1));
    HIP_OK(append(stream, memory, 2));
    inner = capture.end();
  }
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, inner, nullptr, nullptr, 0));
  OwnCapture capture(stream);
  HIP_OK(hipGraphLaunch(executable, stream));
  HIP_OK(append(stream, memory, 3));
  hipGraph_t outer = capture.end();
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(inner));
  EXPECT_EQ(types_of(outer), (std::vector{hipGraphNodeTypeGraph, hipGraphNodeTypeKernel}));
  run_and_destroy(outer);
  EXPECT_EQ(memory.values(), (std::vector<int>{3, 1, 2, 3, 0, 0, 0, 0}));
}

TEST(Capture, EndsWithItsStream) {
  hipStream_t origin = nullptr, fork = nullptr;
  const OwnEvent event;
  HIP_OK(hipStreamCreate(&origin));
  HIP_OK(hipStreamCreate(&fork));
  HIP_OK(hipStreamBeginCapture(origin, hipStreamCaptureModeRelaxed));
  HIP_OK(hipEventRecord(event, origin));
  HIP_OK(hipStreamWaitEvent(fork, event, 0));
  HIP_OK(hipStreamDestroy(fork));
  EXPECT_EQ(status_of(origin), hipStreamCaptureStatusInvalidated);
  HIP_OK(hipStreamDestroy(origin));
  EXPECT_EQ(unsafe_call(), hipSuccess);
}

TEST(Capture, OfManyThreadsIsTheirOwn) {
  constexpr int threads = 6, kernels = 50;
  const DeviceMemory<unsigned long long> counter(1);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&] {
      const OwnStream stream;
      hipGraph_t graph = nullptr;
      EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
      for (int i = 0; i < kernels; ++i)
        EXPECT_EQ(launch(count_kernel, dim3(1), dim3(1), 0, stream, counter.data(), 1U), hipSuccess);
      EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
      hipGraphExec_t executable = nullptr;
      EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
      EXPECT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
      EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
      EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(counter.values()[0], static_cast<unsigned long long>(threads) * kernels);
}

}  // namespace
}  // namespace heddle::hip_tests
