// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that allocate and free memory.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

constexpr size_t page = size_t{2} << 20;
constexpr size_t count = page / sizeof(int);

uint64_t used(hipGraphMemAttributeType attribute) {
  uint64_t value = ~uint64_t{0};
  EXPECT_EQ(hipDeviceGetGraphMemAttribute(0, attribute, &value), hipSuccess);
  return value;
}

void reset_marks() {
  uint64_t none = 0;
  EXPECT_EQ(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &none), hipSuccess);
  EXPECT_EQ(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrReservedMemHigh, &none), hipSuccess);
}

hipMemAllocNodeParams params_of(size_t size) {
  hipMemAllocNodeParams params{};
  params.poolProps.allocType = hipMemAllocationTypePinned;
  params.poolProps.location = {hipMemLocationTypeDevice, 0};
  params.bytesize = size;
  return params;
}

/// A graph that allocates memory, fills it and copies it to the host.
class AllocatingGraph {
 public:
  explicit AllocatingGraph(size_t size = page) : host_(size / sizeof(int)) {
    EXPECT_EQ(hipGraphCreate(&graph_, 0), hipSuccess);
    auto params = params_of(size);
    EXPECT_EQ(hipGraphAddMemAllocNode(&allocate_, graph_, nullptr, 0, &params), hipSuccess);
    address_ = params.dptr;
    hipMemsetParams fill{};
    fill.dst = address_;
    fill.elementSize = 4;
    fill.value = 42;
    fill.width = host_.size();
    fill.height = 1;
    hipGraphNode_t filled = nullptr;
    EXPECT_EQ(hipGraphAddMemsetNode(&filled, graph_, &allocate_, 1, &fill), hipSuccess);
    EXPECT_EQ(hipGraphAddMemcpyNode1D(&last_, graph_, &filled, 1, host_.data(), address_, size,
                                      hipMemcpyDeviceToHost),
              hipSuccess);
  }
  ~AllocatingGraph() {
    if (executable_ != nullptr) EXPECT_EQ(hipGraphExecDestroy(executable_), hipSuccess);
    if (graph_ != nullptr) EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess);
  }
  AllocatingGraph(const AllocatingGraph&) = delete;
  AllocatingGraph& operator=(const AllocatingGraph&) = delete;

  void free_in_graph() {
    hipGraphNode_t node = nullptr;
    ASSERT_EQ(hipGraphAddMemFreeNode(&node, graph_, &last_, 1, address_), hipSuccess);
    hipGraphNodeType type{};
    ASSERT_EQ(hipGraphNodeGetType(node, &type), hipSuccess);
    EXPECT_EQ(type, hipGraphNodeTypeMemFree);
    void* freed = nullptr;
    ASSERT_EQ(hipGraphMemFreeNodeGetParams(node, static_cast<void*>(&freed)), hipSuccess);
    EXPECT_EQ(freed, address_);
  }
  /// Adds a function of the host behind the last node.
  void add_host_function(const hipHostNodeParams& params) {
    hipGraphNode_t node = nullptr;
    ASSERT_EQ(hipGraphAddHostNode(&node, graph_, &last_, 1, &params), hipSuccess);
    last_ = node;
  }
  /// Leaves the graph and what was instantiated of it to the caller.
  std::pair<hipGraph_t, hipGraphExec_t> release() {
    return {std::exchange(graph_, nullptr), std::exchange(executable_, nullptr)};
  }
  void instantiate(unsigned long long flags = 0) {
    ASSERT_EQ(hipGraphInstantiateWithFlags(&executable_, graph_, flags), hipSuccess);
  }
  void run(hipStream_t stream) {
    std::fill(host_.begin(), host_.end(), 0);
    ASSERT_EQ(hipGraphLaunch(executable_, stream), hipSuccess);
    ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(host_, std::vector<int>(host_.size(), 42));
  }

  hipGraph_t graph() const { return graph_; }
  hipGraphExec_t executable() const { return executable_; }
  hipGraphNode_t allocate() const { return allocate_; }
  hipGraphNode_t last() const { return last_; }
  void* address() const { return address_; }

 private:
  hipGraph_t graph_ = nullptr;
  hipGraphExec_t executable_ = nullptr;
  hipGraphNode_t allocate_ = nullptr, last_ = nullptr;
  void* address_ = nullptr;
  std::vector<int> host_;
};

TEST(GraphMemory, IsFreedByANodeAndGivenBack) {
  HIP_OK(hipDeviceGraphMemTrim(0));
  reset_marks();
  AllocatingGraph graph;
  graph.free_in_graph();
  graph.instantiate();
  EXPECT_EQ(used(hipGraphMemAttrUsedMemHigh), 0U);
  EXPECT_EQ(used(hipGraphMemAttrReservedMemHigh), 0U);
  const OwnStream stream;
  for (int i = 0; i < 3; ++i) graph.run(stream);
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), 0U);
  EXPECT_EQ(used(hipGraphMemAttrReservedMemCurrent), 0U);
  EXPECT_EQ(used(hipGraphMemAttrUsedMemHigh), page);
  EXPECT_EQ(used(hipGraphMemAttrReservedMemHigh), page);
  reset_marks();
  EXPECT_EQ(used(hipGraphMemAttrUsedMemHigh), 0U);
}

TEST(GraphMemory, IsFreedOutsideOfTheGraph) {
  HIP_OK(hipDeviceGraphMemTrim(0));
  AllocatingGraph graph;
  graph.instantiate();
  const OwnStream stream;
  graph.run(stream);
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), page);
  std::vector<int> values(count);
  HIP_OK(hipMemcpy(values.data(), graph.address(), page, hipMemcpyDeviceToHost));
  EXPECT_EQ(values, std::vector<int>(count, 42));
  EXPECT_EQ(hipGraphLaunch(graph.executable(), stream), hipErrorInvalidValue);
  HIP_OK(hipFree(graph.address()));
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), 0U);
  EXPECT_EQ(used(hipGraphMemAttrReservedMemCurrent), 0U);
  EXPECT_EQ(hipFree(graph.address()), hipErrorInvalidValue);
  graph.run(stream);
  HIP_OK(hipFreeAsync(graph.address(), stream));
  EXPECT_EQ(hipFreeAsync(graph.address(), stream), hipErrorInvalidValue);
  graph.run(stream);
  hipGraph_t other = nullptr;
  hipGraphNode_t node = nullptr;
  hipGraphExec_t freeing = nullptr;
  HIP_OK(hipGraphCreate(&other, 0));
  HIP_OK(hipGraphAddMemFreeNode(&node, other, nullptr, 0, graph.address()));
  HIP_OK(hipGraphInstantiate(&freeing, other, nullptr, nullptr, 0));
  HIP_OK(hipGraphLaunch(freeing, stream));
  EXPECT_EQ(hipGraphLaunch(freeing, stream), hipErrorInvalidValue);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(used(hipGraphMemAttrReservedMemCurrent), 0U);
  HIP_OK(hipGraphExecDestroy(freeing));
  HIP_OK(hipGraphDestroy(other));
}

TEST(GraphMemory, OutlivesItsGraphAndIsUsableByKernels) {
  void* address = nullptr;
  const OwnStream stream;
  {
    AllocatingGraph graph;
    graph.instantiate();
    graph.run(stream);
    address = graph.address();
  }
  HIP_OK(hipMemset(address, 0, page));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, static_cast<int*>(address), 7));
  int values[2] = {};
  HIP_OK(hipMemcpyAsync(values, address, sizeof values, hipMemcpyDeviceToHost, stream));
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 7);
  HIP_OK(hipFree(address));
  EXPECT_EQ(hipFree(address), hipErrorInvalidValue);
}

TEST(GraphMemory, IsFreedByTheNextLaunchIfAFlagSaysSo) {
  AllocatingGraph graph;
  graph.instantiate(hipGraphInstantiateFlagAutoFreeOnLaunch);
  unsigned long long flags = 0;
  HIP_OK(hipGraphExecGetFlags(graph.executable(), &flags));
  EXPECT_EQ(flags, static_cast<unsigned long long>(hipGraphInstantiateFlagAutoFreeOnLaunch));
  const OwnStream first, second;
  graph.run(first);
  graph.run(second);
  HIP_OK(hipFree(graph.address()));
}

TEST(GraphMemory, IsOnlyNamedByNodesWhileItIsAbsent) {
  const AllocatingGraph graph;
  int value = 0;
  EXPECT_EQ(hipMemcpy(&value, graph.address(), 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(graph.address(), 0, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(graph.address()), hipErrorInvalidValue);
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(
      hipGraphAddMemcpyNode1D(&node, graph.graph(), nullptr, 0, &value,
                              static_cast<std::byte*>(graph.address()) + page - 3, 4, hipMemcpyDeviceToHost),
      hipErrorInvalidValue);
}

TEST(GraphMemory, KeepsItsGraphFromBeingCopied) {
  AllocatingGraph graph;
  hipGraph_t copy = nullptr, parent = nullptr;
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphClone(&copy, graph.graph()), hipErrorNotSupported);
  HIP_OK(hipGraphCreate(&parent, 0));
  EXPECT_EQ(hipGraphAddChildGraphNode(&node, parent, nullptr, 0, graph.graph()), hipErrorNotSupported);
  HIP_OK(hipGraphDestroy(parent));
  EXPECT_EQ(hipGraphDestroyNode(graph.last()), hipErrorNotSupported);
  HIP_OK(hipGraphAddEmptyNode(&node, graph.graph(), nullptr, 0));
  const hipGraphNode_t from = graph.allocate();
  HIP_OK(hipGraphAddDependencies(graph.graph(), &from, &node, 1));
  EXPECT_EQ(hipGraphRemoveDependencies(graph.graph(), &from, &node, 1), hipErrorNotSupported);
  graph.instantiate();
  hipGraphExec_t second = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&second, graph.graph(), nullptr, nullptr, 0), hipErrorNotSupported);
  const OwnStream stream;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  EXPECT_EQ(hipGraphLaunch(graph.executable(), stream), hipErrorNotSupported);
  HIP_OK(hipStreamEndCapture(stream, &copy));
  HIP_OK(hipGraphDestroy(copy));
}

TEST(GraphMemory, ChecksItsArguments) {
  const AllocatingGraph graph;
  hipGraphNode_t node = nullptr;
  const auto add = [&](auto change) {
    auto params = params_of(page);
    change(params);
    return hipGraphAddMemAllocNode(&node, graph.graph(), nullptr, 0, &params);
  };
  EXPECT_EQ(add([](auto& p) { p.bytesize = 0; }), hipErrorInvalidValue);
  EXPECT_EQ(add([](auto& p) { p.bytesize = SIZE_MAX; }), hipErrorOutOfMemory);
  EXPECT_EQ(add([](auto& p) { p.poolProps.allocType = hipMemAllocationTypeInvalid; }), hipErrorInvalidValue);
  EXPECT_EQ(add([](auto& p) { p.poolProps.location.id = 99; }), hipErrorInvalidValue);
  EXPECT_EQ(add([](auto& p) { p.poolProps.location.type = hipMemLocationTypeInvalid; }),
            hipErrorInvalidValue);
  EXPECT_EQ(add([](auto& p) { p.poolProps.handleTypes = hipMemHandleTypePosixFileDescriptor; }),
            hipErrorNotSupported);
  EXPECT_EQ(add([](auto& p) { p.accessDescCount = 99; }), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemAllocNode(&node, graph.graph(), nullptr, 0, nullptr), hipErrorInvalidValue);
  auto params = params_of(page);
  EXPECT_EQ(hipGraphAddMemAllocNode(nullptr, graph.graph(), nullptr, 0, &params), hipErrorInvalidValue);
  int own = 0;
  EXPECT_EQ(hipGraphAddMemFreeNode(&node, graph.graph(), nullptr, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemFreeNode(&node, graph.graph(), nullptr, 0, &own), hipErrorInvalidValue);
  HIP_OK(hipGraphAddMemFreeNode(&node, graph.graph(), nullptr, 0, graph.address()));
  EXPECT_EQ(hipGraphAddMemFreeNode(&node, graph.graph(), nullptr, 0, graph.address()), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphMemAllocNodeGetParams(node, &params), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphMemAllocNodeGetParams(graph.allocate(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphMemFreeNodeGetParams(node, nullptr), hipErrorInvalidValue);
  uint64_t value = 1;
  EXPECT_EQ(hipDeviceGetGraphMemAttribute(99, hipGraphMemAttrUsedMemHigh, &value), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceGetGraphMemAttribute(0, static_cast<hipGraphMemAttributeType>(7), &value),
            hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGraphMemTrim(-1), hipErrorInvalidDevice);
}

TEST(GraphMemory, ParametersAreThoseOfTheNode) {
  const AllocatingGraph graph;
  const hipMemAccessDesc access{{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  auto params = params_of(100);
  params.accessDescs = &access;
  params.accessDescCount = 1;
  hipGraphNode_t node = nullptr;
  HIP_OK(hipGraphAddMemAllocNode(&node, graph.graph(), nullptr, 0, &params));
  hipMemAllocNodeParams told{};
  HIP_OK(hipGraphMemAllocNodeGetParams(node, &told));
  EXPECT_EQ(told.dptr, params.dptr);
  EXPECT_EQ(told.bytesize, 100U);
  ASSERT_EQ(told.accessDescCount, 1U);
  EXPECT_NE(told.accessDescs, &access);
  EXPECT_EQ(told.accessDescs->flags, hipMemAccessFlagsProtReadWrite);
  hipGraphNodeType type{};
  HIP_OK(hipGraphNodeGetType(node, &type));
  EXPECT_EQ(type, hipGraphNodeTypeMemAlloc);
}

TEST(GraphMemory, IsWhatCapturedAllocationsGive) {
  const OwnStream stream;
  HIP_OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  int own = 0;
  int* memory = nullptr;
  int* nothing = &own;
  HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&memory), page, stream));
  HIP_OK(hipMallocAsync(reinterpret_cast<void**>(&nothing), 0, stream));
  EXPECT_EQ(nothing, nullptr);
  HIP_OK(hipMemsetAsync(memory, 0, page, stream));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory, 5));
  HostNumber result;
  HIP_OK(hipMemcpyAsync(result.address(), memory + 1, 4, hipMemcpyDeviceToHost, stream));
  const DeviceMemory<int> other(1);
  EXPECT_EQ(hipFreeAsync(other.data(), stream), hipErrorInvalidValue);
  HIP_OK(hipFreeAsync(memory, stream));
  EXPECT_EQ(hipFreeAsync(memory, stream), hipErrorInvalidValue) << "it is freed already";
  hipGraph_t graph = nullptr;
  HIP_OK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t executable = nullptr;
  HIP_OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 2; ++i) {
    result.set(0);
    HIP_OK(hipGraphLaunch(executable, stream));
    HIP_OK(hipStreamSynchronize(stream));
    EXPECT_EQ(*result.address(), 5);
  }
  HIP_OK(hipGraphExecDestroy(executable));
  HIP_OK(hipGraphDestroy(graph));
}

/// A cooperative kernel with more work-groups than the device has room for makes the launch fail behind the
/// allocation.
TEST(GraphMemory, OfALaunchThatFailsHalfwayIsFreed) {
  AllocatingGraph graph;
  void* address = graph.address();
  int value = 1;
  void* arguments[] = {static_cast<void*>(&address), static_cast<void*>(&value)};
  hipKernelNodeParams params{};
  params.func = const_cast<void*>(append_kernel);
  params.gridDim = dim3(1U << 20);
  params.blockDim = dim3(1);
  params.kernelParams = arguments;
  hipGraphNode_t node = nullptr;
  const hipGraphNode_t before_it = graph.last();
  HIP_OK(hipGraphAddKernelNode(&node, graph.graph(), &before_it, 1, &params));
  hipKernelNodeAttrValue cooperative{};
  cooperative.cooperative = 1;
  HIP_OK(hipGraphKernelNodeSetAttribute(node, hipLaunchAttributeCooperative, &cooperative));
  graph.instantiate();
  const OwnStream stream;
  const uint64_t before = used(hipGraphMemAttrUsedMemCurrent);
  EXPECT_EQ(hipGraphLaunch(graph.executable(), stream), hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), before);
}

/// What a function of the host waits for, so that work before and behind it has an order in time.
struct Gate {
  std::atomic<bool> open{false}, gave_up{false};

  static void wait(void* gate) {
    auto& own = *static_cast<Gate*>(gate);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!own.open && !own.gave_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() > end) own.gave_up = true;
    }
  }
};

/// Ends the last reference to memory whose work has not ended, and calls for another graph meanwhile.
void expect_no_wait_for_other_graphs(bool graph_is_last) {
  Gate gate;
  AllocatingGraph graph;
  const hipHostNodeParams waiting{Gate::wait, &gate};
  graph.add_host_function(waiting);
  graph.free_in_graph();
  graph.instantiate();
  hipStream_t stream = nullptr;
  HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  HIP_OK(hipGraphLaunch(graph.executable(), stream));
  const auto [parts, executable] = graph.release();
  if (graph_is_last)
    HIP_OK(hipGraphExecDestroy(executable));
  else
    HIP_OK(hipGraphDestroy(parts));
  std::thread destroying([&, whole = parts, launched = executable] {
    EXPECT_EQ(graph_is_last ? hipGraphDestroy(whole) : hipGraphExecDestroy(launched), hipSuccess);
  });
  // The handle is gone before the memory is.
  unsigned long long flags = 0;
  size_t nodes = 0;
  while ((graph_is_last ? hipGraphGetNodes(parts, nullptr, &nodes)
                        : hipGraphExecGetFlags(executable, &flags)) == hipSuccess)
    std::this_thread::yield();
  EXPECT_FALSE(gate.gave_up) << "the calls have waited for the work";
  gate.open = true;
  destroying.join();
  HIP_OK(hipStreamDestroy(stream));
}

TEST(GraphMemory, ThatGraphsLeaveInUseDoesNotKeepOtherGraphsWaiting) {
  expect_no_wait_for_other_graphs(true);
  expect_no_wait_for_other_graphs(false);
}

TEST(GraphMemory, EndsWithTheDevice) {
  AllocatingGraph graph;
  graph.instantiate();
  graph.run(nullptr);
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), page);
  HIP_OK(hipDeviceReset());
  EXPECT_EQ(used(hipGraphMemAttrUsedMemCurrent), 0U);
  graph.run(nullptr);
  HIP_OK(hipFree(graph.address()));
}

TEST(GraphMemory, ThatWasFreedIsGivenBackWhenTheDeviceIsReset) {
  HIP_OK(hipDeviceGraphMemTrim(0));
  AllocatingGraph graph;
  graph.free_in_graph();
  graph.instantiate();
  HIP_OK(hipGraphLaunch(graph.executable(), nullptr));
  EXPECT_EQ(used(hipGraphMemAttrReservedMemCurrent), page);
  HIP_OK(hipDeviceReset());
  EXPECT_EQ(used(hipGraphMemAttrReservedMemCurrent), 0U);
}

}  // namespace
}  // namespace heddle::hip_tests
