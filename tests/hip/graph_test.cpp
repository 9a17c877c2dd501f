// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// A graph, and what the tests put into it.
class OwnGraph {
 public:
  OwnGraph() { EXPECT_EQ(hipGraphCreate(&graph_, 0), hipSuccess); }
  ~OwnGraph() { EXPECT_EQ(hipGraphDestroy(graph_), hipSuccess); }
  OwnGraph(const OwnGraph&) = delete;
  OwnGraph& operator=(const OwnGraph&) = delete;
  operator hipGraph_t() const { return graph_; }

  template <typename... Arguments>
  hipGraphNode_t kernel(const std::vector<hipGraphNode_t>& before, const void* function,
                        Arguments... arguments) {
    void* list[] = {static_cast<void*>(&arguments)..., nullptr};
    hipKernelNodeParams params{};
    params.func = const_cast<void*>(function);
    params.kernelParams = list;
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph_, before.data(), before.size(), &params), hipSuccess);
    return node;
  }
  hipGraphNode_t append(const std::vector<hipGraphNode_t>& before, const DeviceMemory<int>& to, int value) {
    return kernel(before, append_kernel, to.data(), value);
  }
  hipGraphNode_t empty(const std::vector<hipGraphNode_t>& before = {}) {
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph_, before.data(), before.size()), hipSuccess);
    return node;
  }
  hipGraphNode_t host(const std::vector<hipGraphNode_t>& before, hipHostFn_t function, void* data) {
    const hipHostNodeParams params{function, data};
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddHostNode(&node, graph_, before.data(), before.size(), &params), hipSuccess);
    return node;
  }

 private:
  hipGraph_t graph_ = nullptr;
};

class Executable {
 public:
  explicit Executable(hipGraph_t graph) {
    EXPECT_EQ(hipGraphInstantiate(&executable_, graph, nullptr, nullptr, 0), hipSuccess);
  }
  ~Executable() { EXPECT_EQ(hipGraphExecDestroy(executable_), hipSuccess); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  operator hipGraphExec_t() const { return executable_; }
  void run(hipStream_t stream = nullptr) const {
    EXPECT_EQ(hipGraphLaunch(executable_, stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  }

 private:
  hipGraphExec_t executable_ = nullptr;
};

std::vector<int> values_of(const DeviceMemory<int>& memory) {
  auto values = memory.values();
  values.resize(static_cast<size_t>(values[0]) + 1);
  values.erase(values.begin());
  return values;
}

TEST(Graph, RunsKernelsInTheOrderOfItsEdges) {
  const DeviceMemory<int> memory(16);
  OwnGraph graph;
  const auto first = graph.append({}, memory, 1);
  const auto second = graph.append({first}, memory, 2);
  graph.append({second}, memory, 3);
  const Executable executable(graph);
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2, 3}));
  const OwnStream stream;
  executable.run(stream);
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

TEST(Graph, JoinsBranches) {
  constexpr int branches = 9, length = 7;
  std::vector<std::unique_ptr<DeviceMemory<int>>> memory;
  const DeviceMemory<int> order(4), copies(branches);
  OwnGraph graph;
  const auto root = graph.append({}, order, 1);
  std::vector<hipGraphNode_t> ends;
  for (int b = 0; b < branches; ++b) {
    memory.push_back(std::make_unique<DeviceMemory<int>>(length + 1));
    hipGraphNode_t last = root;
    for (int i = 0; i < length; ++i) last = graph.append({last}, *memory.back(), 10 * b + i);
    hipGraphNode_t copy = nullptr;
    HIP_OK(hipGraphAddMemcpyNode1D(&copy, graph, &last, 1, copies.data() + b, memory.back()->data() + length,
                                   sizeof(int), hipMemcpyDeviceToDevice));
    ends.push_back(copy);
  }
  graph.append(ends, order, 2);
  const Executable executable(graph);
  executable.run();
  std::vector<int> expected;
  expected.reserve(branches);
  for (int b = 0; b < branches; ++b) expected.push_back(10 * b + length - 1);
  EXPECT_EQ(copies.values(), expected);
  EXPECT_EQ(values_of(order), (std::vector<int>{1, 2}));
}

TEST(Graph, RunsBehindAndBeforeTheWorkOfItsStream) {
  HostNumber flag;
  const DeviceMemory<int> memory(16), other(16);
  OwnGraph graph;
  graph.append({}, memory, 2);
  graph.append({}, other, 2);
  const Executable executable(graph);
  const OwnStream stream(hipStreamDefault);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, nullptr, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), 1));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, other.data(), 1));
  HIP_OK(hipGraphLaunch(executable, stream));
  HIP_OK(hipGraphLaunch(executable, nullptr));  // waits for the launch in the other stream
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, memory.data(), 3));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, nullptr, other.data(), 3));
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2, 2, 3}));
  EXPECT_EQ(values_of(other), (std::vector<int>{1, 2, 2, 3}));
}

TEST(Graph, OfMoreKernelsThanAQueueHolds) {
  constexpr int kernels = 2500;
  const DeviceMemory<int> memory(kernels + 1);
  OwnGraph graph;
  std::vector<hipGraphNode_t> before;
  for (int i = 0; i < kernels; ++i) before = {graph.append(before, memory, i)};
  const Executable executable(graph);
  executable.run();
  const auto values = values_of(memory);
  ASSERT_EQ(values.size(), static_cast<size_t>(kernels));
  EXPECT_TRUE(std::ranges::is_sorted(values));
}

TEST(Graph, OfManyIndependentKernelsRunsAll) {
  constexpr unsigned kernels = 3000;
  const DeviceMemory<unsigned long long> counter(1);
  OwnGraph graph;
  for (unsigned i = 0; i < kernels; ++i) graph.kernel({}, count_kernel, counter.data(), 1U);
  const Executable executable(graph);
  executable.run();
  EXPECT_EQ(counter.values()[0], kernels);
}

void add_one(void* number) { ++*static_cast<std::atomic<int>*>(number); }

TEST(Graph, CopiesFillsAndCallsTheHost) {
  constexpr size_t count = 64;
  std::vector<int> from(count), to(count);
  const DeviceMemory<int> memory(count);
  std::atomic<int> calls{0};
  OwnGraph graph;
  hipGraphNode_t fill = nullptr, in = nullptr, out = nullptr;
  hipMemsetParams zeros{};
  zeros.dst = memory.data();
  zeros.elementSize = 4;
  zeros.width = count;
  zeros.height = 1;
  zeros.value = 7;
  HIP_OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros));
  const auto host = graph.host({fill}, add_one, &calls);
  HIP_OK(hipGraphAddMemcpyNode1D(&in, graph, &host, 1, memory.data(), from.data(), count / 2 * sizeof(int),
                                 hipMemcpyHostToDevice));
  HIP_OK(hipGraphAddMemcpyNode1D(&out, graph, &in, 1, to.data(), memory.data(), count * sizeof(int),
                                 hipMemcpyDeviceToHost));
  graph.host({out}, add_one, &calls);
  const Executable executable(graph);
  std::ranges::fill(from, 5);  // memory of the host is read when the graph runs
  executable.run();
  EXPECT_EQ(calls, 2);
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(to[i], i < count / 2 ? 5 : 7) << i;
}

TEST(Graph, CopiesBlocks) {
  std::vector<int> from(48), to(48, -1);
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  hipMemcpy3DParms params{};
  params.srcPtr = {from.data(), 8 * sizeof(int), 8, 3};
  params.dstPtr = {to.data(), 8 * sizeof(int), 8, 3};
  params.srcPos = {4, 1, 0};
  params.extent = {2 * sizeof(int), 2, 2};
  params.kind = hipMemcpyHostToHost;
  OwnGraph graph;
  hipGraphNode_t node = nullptr;
  HIP_OK(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &params));
  hipMemcpy3DParms read{};
  HIP_OK(hipGraphMemcpyNodeGetParams(node, &read));
  EXPECT_EQ(read.extent.depth, 2U);
  const Executable executable(graph);
  executable.run();
  EXPECT_EQ(to[0], 9);
  EXPECT_EQ(to[1], 10);
  EXPECT_EQ(to[2], -1);
  EXPECT_EQ(to[8], 17);
  EXPECT_EQ(to[24], 33);
}

TEST(Graph, CopiesVariables) {
  const int values[2] = {111, 222};
  int read[4] = {};
  OwnGraph graph;
  hipGraphNode_t in = nullptr, out = nullptr;
  HIP_OK(hipGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, table_symbol, values, sizeof values,
                                       sizeof(int), hipMemcpyHostToDevice));
  HIP_OK(hipGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, read, table_symbol, sizeof read, 0,
                                         hipMemcpyDeviceToHost));
  int before[4];
  HIP_OK(hipMemcpyFromSymbol(before, table_symbol, sizeof before, 0, hipMemcpyDeviceToHost));
  const Executable executable(graph);
  executable.run();
  EXPECT_EQ(read[0], before[0]);
  EXPECT_EQ(read[1], 111);
  EXPECT_EQ(read[2], 222);
  HIP_OK(hipMemcpyToSymbol(table_symbol, before, sizeof before, 0, hipMemcpyHostToDevice));
  EXPECT_EQ(
      hipGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, read, table_symbol, 17, 0, hipMemcpyDeviceToHost),
      hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, read, read, 4, 0, hipMemcpyDeviceToHost),
            hipErrorInvalidSymbol);
  EXPECT_EQ(hipGraphMemcpyNodeSetParamsToSymbol(out, table_symbol, values, 4, 0, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphMemcpyNodeSetParamsFromSymbol(out, read, table_symbol, 4, 0, hipMemcpyHostToDevice),
            hipErrorInvalidMemcpyDirection);
}

TEST(Graph, HoldsGraphs) {
  const DeviceMemory<int> memory(16);
  hipGraphNode_t child = nullptr, last = nullptr;
  OwnGraph outer;
  const auto first = outer.append({}, memory, 1);
  hipGraphNode_t inner_node = nullptr;
  {
    OwnGraph inner;
    inner_node = inner.append({inner.append({inner.empty()}, memory, 2)}, memory, 3);
    HIP_OK(hipGraphAddChildGraphNode(&child, outer, &first, 1, inner));
  }
  auto type = hipGraphNodeTypeCount;
  EXPECT_EQ(hipGraphNodeGetType(inner_node, &type), hipErrorInvalidValue) << "its graph is destroyed";
  last = outer.append({outer.empty({child})}, memory, 4);
  const Executable executable(outer);
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2, 3, 4}));

  hipGraph_t embedded = nullptr;
  HIP_OK(hipGraphChildGraphNodeGetGraph(child, &embedded));
  size_t count = 0;
  HIP_OK(hipGraphGetNodes(embedded, nullptr, &count));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(hipGraphDestroy(embedded), hipErrorInvalidValue);
  // What a graph gets of itself is a copy of what it was.
  hipGraphNode_t of_itself = nullptr;
  OwnGraph twice;
  twice.empty();
  HIP_OK(hipGraphAddChildGraphNode(&of_itself, twice, nullptr, 0, twice));
  HIP_OK(hipGraphChildGraphNodeGetGraph(of_itself, &embedded));
  HIP_OK(hipGraphGetNodes(embedded, nullptr, &count));
  EXPECT_EQ(count, 1U);

  OwnGraph changed;
  changed.append({changed.append({changed.empty()}, memory, 5)}, memory, 6);
  HIP_OK(hipGraphExecChildGraphNodeSetParams(executable, child, changed));
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2, 3, 4, 1, 5, 6, 4}));
  OwnGraph different;
  different.append({}, memory, 5);
  EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(executable, child, different), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphExecChildGraphNodeSetParams(executable, last, changed), hipErrorInvalidValue);
}

TEST(Graph, RecordsAndAwaitsEvents) {
  HostNumber flag;
  const DeviceMemory<int> memory(16);
  const OwnEvent recorded, awaited;
  const OwnStream stream, other;
  OwnGraph graph;
  hipGraphNode_t wait = nullptr, record = nullptr;
  HIP_OK(hipGraphAddEventWaitNode(&wait, graph, nullptr, 0, awaited));
  const auto kernel = graph.append({wait}, memory, 2);
  HIP_OK(hipGraphAddEventRecordNode(&record, graph, &kernel, 1, recorded));
  const Executable executable(graph);
  HIP_OK(launch(wait_kernel, dim3(1), dim3(1), 0, other, flag.address()));
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, other, memory.data(), 1));
  HIP_OK(hipEventRecord(awaited, other));
  HIP_OK(hipGraphLaunch(executable, stream));
  EXPECT_EQ(hipEventQuery(recorded), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipEventSynchronize(recorded));
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2}));
  hipEvent_t read = nullptr;
  HIP_OK(hipGraphEventRecordNodeGetEvent(record, &read));
  EXPECT_EQ(read, recorded);
  HIP_OK(hipGraphEventWaitNodeSetEvent(wait, recorded));
  HIP_OK(hipGraphEventWaitNodeGetEvent(wait, &read));
  EXPECT_EQ(read, recorded);
  HIP_OK(hipGraphExecEventRecordNodeSetEvent(executable, record, awaited));
  HIP_OK(hipGraphExecEventWaitNodeSetEvent(executable, wait, recorded));
  HIP_OK(hipGraphEventRecordNodeSetEvent(record, awaited));
  executable.run(stream);
  HIP_OK(hipEventQuery(awaited));
  EXPECT_EQ(hipGraphEventWaitNodeSetEvent(record, recorded), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphEventRecordNodeSetEvent(record, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphEventRecordNodeGetEvent(record, nullptr), hipErrorInvalidValue);
}

TEST(Graph, TellsItsTopology) {
  OwnGraph graph;
  const auto a = graph.empty(), b = graph.empty({a}), c = graph.empty({a}), d = graph.empty({b, c});
  hipGraphNode_t nodes[6], to[6];
  size_t count = 6;
  HIP_OK(hipGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(nodes[3], d);
  EXPECT_EQ(nodes[4], nullptr);
  HIP_OK(hipGraphGetRootNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 1U);
  HIP_OK(hipGraphGetRootNodes(graph, nodes, &count));
  EXPECT_EQ(nodes[0], a);
  count = 6;
  HIP_OK(hipGraphGetEdges(graph, nodes, to, &count));
  EXPECT_EQ(count, 4U);
  HIP_OK(hipGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 4U);
  count = 6;
  HIP_OK(hipGraphNodeGetDependencies(d, nodes, &count));
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(nodes[1], c);
  count = 1;
  HIP_OK(hipGraphNodeGetDependentNodes(a, nodes, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(nodes[0], b);

  EXPECT_EQ(hipGraphGetNodes(graph, nodes, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphGetEdges(graph, nodes, nullptr, &count), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphNodeGetDependencies(nullptr, nodes, &count), hipErrorInvalidValue);

  HIP_OK(hipGraphDestroyNode(b));
  EXPECT_EQ(hipGraphDestroyNode(b), hipErrorInvalidValue);
  HIP_OK(hipGraphGetEdges(graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2U);
}

TEST(Graph, ChecksItsEdges) {
  OwnGraph graph, other;
  const auto a = graph.empty(), b = graph.empty(), foreign = other.empty();
  HIP_OK(hipGraphAddDependencies(graph, &a, &b, 1));
  EXPECT_EQ(hipGraphAddDependencies(graph, &a, &b, 1), hipErrorInvalidValue) << "there already";
  EXPECT_EQ(hipGraphAddDependencies(graph, &a, &a, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddDependencies(graph, &a, &foreign, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddDependencies(graph, nullptr, &b, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphRemoveDependencies(graph, &b, &a, 1), hipErrorInvalidValue);
  HIP_OK(hipGraphRemoveDependencies(graph, &a, &b, 1));
  HIP_OK(hipGraphAddDependencies(graph, &a, &b, 1));
  HIP_OK(hipGraphAddDependencies(graph, &b, &a, 1));
  hipGraphExec_t executable = nullptr;
  hipGraphNode_t culprit = nullptr;
  char text[200] = {};
  EXPECT_EQ(hipGraphInstantiate(&executable, graph, &culprit, text, sizeof text), hipErrorInvalidValue);
  EXPECT_TRUE(culprit == a || culprit == b);
  EXPECT_NE(std::strstr(text, "circle"), nullptr) << text;
  hipGraphNode_t node = nullptr;
  const hipGraphNode_t twice[] = {a, a};
  EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, twice, 2), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, &foreign, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEmptyNode(nullptr, graph, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
}

TEST(Graph, ChecksWhatNodesDo) {
  OwnGraph graph;
  hipGraphNode_t node = nullptr;
  hipKernelNodeParams kernel{};
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipErrorInvalidValue);
  int number = 0;
  kernel.func = &number;
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipErrorInvalidDeviceFunction);
  kernel.func = const_cast<void*>(append_kernel);
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipErrorInvalidValue) << "no arguments";
  kernel.func = const_cast<void*>(empty_kernel);
  kernel.blockDim = dim3(0);
  EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, nullptr, &number, 4, hipMemcpyDefault),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, &number, &number, 4, hipMemcpyKind(9)),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  hipMemsetParams fill{};
  fill.dst = &number;
  fill.elementSize = 3;
  fill.width = fill.height = 1;
  EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipErrorInvalidValue);
  fill.elementSize = 4;
  fill.dst = nullptr;
  EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill), hipErrorInvalidValue);
  const hipHostNodeParams host{};
  EXPECT_EQ(hipGraphAddHostNode(&node, graph, nullptr, 0, &host), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
  size_t count = 1;
  HIP_OK(hipGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 0U) << "what fails adds nothing";
}

TEST(Graph, ChecksHandlesAndFlags) {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphCreate(&graph, 1), hipErrorInvalidValue);
  HIP_OK(hipGraphCreate(&graph, 0));
  hipGraphExec_t executable = nullptr;
  EXPECT_EQ(hipGraphInstantiateWithFlags(&executable, graph, 16), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphInstantiate(nullptr, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_OK(hipGraphInstantiateWithFlags(&executable, graph, hipGraphInstantiateFlagAutoFreeOnLaunch));
  HIP_OK(hipGraphUpload(executable, nullptr));
  HIP_OK(hipGraphLaunch(executable, nullptr));
  HIP_OK(hipGraphDestroy(graph));
  EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDestroy(nullptr), hipErrorInvalidValue);
  HIP_OK(hipGraphLaunch(executable, nullptr));
  HIP_OK(hipGraphExecDestroy(executable));
  EXPECT_EQ(hipGraphExecDestroy(executable), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphLaunch(executable, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphUpload(executable, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
}

TEST(Graph, IsCloned) {
  const DeviceMemory<int> memory(16);
  hipGraph_t clone = nullptr;
  hipGraphNode_t found = nullptr, second = nullptr;
  {
    OwnGraph graph;
    const auto first = graph.append({}, memory, 1);
    second = graph.append({first}, memory, 2);
    HIP_OK(hipGraphClone(&clone, graph));
    HIP_OK(hipGraphNodeFindInClone(&found, second, clone));
    EXPECT_NE(found, second);
    EXPECT_EQ(hipGraphNodeFindInClone(&found, found, clone), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphNodeFindInClone(&found, second, graph), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphClone(nullptr, graph), hipErrorInvalidValue);
  }
  const Executable executable(clone);
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 2}));
  HIP_OK(hipGraphDestroy(clone));
}

TEST(Graph, NodesAreReadAndChanged) {
  const DeviceMemory<int> memory(16);
  OwnGraph graph;
  const auto node = graph.append({}, memory, 1);
  hipKernelNodeParams params{};
  HIP_OK(hipGraphKernelNodeGetParams(node, &params));
  EXPECT_EQ(params.func, append_kernel);
  EXPECT_EQ(*static_cast<int**>(params.kernelParams[0]), memory.data());
  EXPECT_EQ(*static_cast<int*>(params.kernelParams[1]), 1);
  const Executable executable(graph);
  int* address = memory.data();
  int value = 5;
  void* arguments[] = {static_cast<void*>(&address), &value};
  params.kernelParams = arguments;
  HIP_OK(hipGraphKernelNodeSetParams(node, &params));
  executable.run();
  HIP_OK(hipGraphExecKernelNodeSetParams(executable, node, &params));
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{1, 5}));
  params.func = const_cast<void*>(write_kernel);  // another kernel
  HIP_OK(hipGraphExecKernelNodeSetParams(executable, node, &params));
  executable.run();
  EXPECT_NE(memory.values()[0], 2);
  params.func = nullptr;
  EXPECT_EQ(hipGraphExecKernelNodeSetParams(executable, node, &params), hipErrorInvalidValue);
  hipMemsetParams fill{};
  EXPECT_EQ(hipGraphMemsetNodeGetParams(node, &fill), hipErrorInvalidValue) << "another type";
  EXPECT_EQ(hipGraphKernelNodeGetParams(node, nullptr), hipErrorInvalidValue);
  OwnGraph other;
  EXPECT_EQ(hipGraphExecKernelNodeSetParams(executable, other.empty(), &params), hipErrorInvalidValue);
}

TEST(Graph, WorkOfOtherNodesIsChangedInExecutables) {
  int from[2] = {1, 2}, to[2] = {};
  std::atomic<int> first{0}, second{0};
  OwnGraph graph;
  hipGraphNode_t copy = nullptr, fill = nullptr;
  HIP_OK(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, to, from, sizeof(int), hipMemcpyHostToHost));
  hipMemsetParams params{};
  const DeviceMemory<unsigned char> bytes(4);
  params.dst = bytes.data();
  params.elementSize = 1;
  params.width = 2;
  params.height = 1;
  params.value = 0x155;
  HIP_OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &params));
  const auto host = graph.host({copy, fill}, add_one, &first);
  const Executable executable(graph);
  HIP_OK(hipGraphExecMemcpyNodeSetParams1D(executable, copy, to, from, sizeof to, hipMemcpyHostToHost));
  params.width = 3;
  HIP_OK(hipGraphExecMemsetNodeSetParams(executable, fill, &params));
  const hipHostNodeParams call{add_one, &second};
  HIP_OK(hipGraphExecHostNodeSetParams(executable, host, &call));
  executable.run();
  EXPECT_EQ(to[1], 2);
  EXPECT_EQ(bytes.values(), (std::vector<unsigned char>{0x55, 0x55, 0x55, 0}));
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  hipHostNodeParams read{};
  HIP_OK(hipGraphHostNodeGetParams(host, &read));
  EXPECT_EQ(read.userData, &first);
  HIP_OK(hipGraphHostNodeSetParams(host, &call));
  HIP_OK(hipGraphMemsetNodeSetParams(fill, &params));
  HIP_OK(hipGraphMemsetNodeGetParams(fill, &params));
  EXPECT_EQ(params.width, 3U);
  HIP_OK(hipGraphMemcpyNodeSetParams1D(copy, to, from, sizeof to, hipMemcpyHostToHost));
  hipMemcpy3DParms block{};
  EXPECT_EQ(hipGraphExecMemcpyNodeSetParams(executable, copy, &block), hipErrorInvalidValue);
}

TEST(Graph, CopiesKeepTheirDirectionInExecutables) {
  const DeviceMemory<int> memory(4), other(4);
  const HostNumber number;
  OwnGraph graph;
  hipGraphNode_t bytes = nullptr, block = nullptr, symbol = nullptr;
  HIP_OK(hipGraphAddMemcpyNode1D(&bytes, graph, nullptr, 0, memory.data(), number.address(), 4,
                                 hipMemcpyHostToDevice));
  hipMemcpy3DParms params{};
  params.dstPtr = {memory.data(), 4, 4, 1};
  params.srcPtr = {number.address(), 4, 4, 1};
  params.extent = {4, 1, 1};
  params.kind = hipMemcpyHostToDevice;
  HIP_OK(hipGraphAddMemcpyNode(&block, graph, nullptr, 0, &params));
  HIP_OK(hipGraphAddMemcpyNodeToSymbol(&symbol, graph, nullptr, 0, table_symbol, memory.data(), 4, 0,
                                       hipMemcpyDeviceToDevice));
  const Executable executable(graph);
  const auto set_bytes = [&](void* to, const void* from, hipMemcpyKind kind) {
    return hipGraphExecMemcpyNodeSetParams1D(executable, bytes, to, from, 4, kind);
  };
  HIP_OK(set_bytes(other.data(), number.address(), hipMemcpyHostToDevice));
  EXPECT_EQ(set_bytes(other.data(), number.address(), hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(set_bytes(number.address(), other.data(), hipMemcpyDeviceToHost), hipErrorInvalidValue);
  const auto set_block = [&](void* to, hipMemcpyKind kind) {
    params.dstPtr.ptr = to;
    params.kind = kind;
    return hipGraphExecMemcpyNodeSetParams(executable, block, &params);
  };
  HIP_OK(set_block(other.data(), hipMemcpyHostToDevice));
  EXPECT_EQ(set_block(other.data(), hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(set_block(number.address(), hipMemcpyHostToHost), hipErrorInvalidValue);
  const auto set_symbol = [&](const void* from, hipMemcpyKind kind) {
    return hipGraphExecMemcpyNodeSetParamsToSymbol(executable, symbol, table_symbol, from, 4, 0, kind);
  };
  HIP_OK(set_symbol(other.data(), hipMemcpyDeviceToDevice));
  EXPECT_EQ(set_symbol(other.data(), hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(set_symbol(number.address(), hipMemcpyHostToDevice), hipErrorInvalidValue);
}

TEST(Graph, UpdatesKeepTheDirectionsOfCopies) {
  const DeviceMemory<int> memory(4);
  const HostNumber number;
  OwnGraph graph, other;
  hipGraphNode_t copy = nullptr, culprit = nullptr;
  HIP_OK(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, memory.data(), number.address(), 4,
                                 hipMemcpyHostToDevice));
  const Executable executable(graph);
  HIP_OK(hipGraphAddMemcpyNode1D(&copy, other, nullptr, 0, number.address(), memory.data(), 4,
                                 hipMemcpyDeviceToHost));
  hipGraphExecUpdateResult result{};
  EXPECT_EQ(hipGraphExecUpdate(executable, other, &culprit, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorParametersChanged);
  EXPECT_EQ(culprit, copy);
}

TEST(Graph, CopiesOfTheProgramsOwnMemoryStayOnTheHost) {
  const DeviceMemory<int> memory(4), other(4);
  int own[4] = {}, more[4] = {1, 2, 3, 4};
  OwnGraph graph, changed;
  hipGraphNode_t to_own = nullptr, culprit = nullptr, swapped = nullptr;
  HIP_OK(hipGraphAddMemcpyNode1D(&to_own, graph, nullptr, 0, own, memory.data(), 4, hipMemcpyDefault));
  const Executable executable(graph);
  const auto set = [&](void* to, const void* from) {
    return hipGraphExecMemcpyNodeSetParams1D(executable, to_own, to, from, 4, hipMemcpyDefault);
  };
  EXPECT_EQ(set(other.data(), memory.data()), hipErrorInvalidValue);
  EXPECT_EQ(set(own, more), hipErrorInvalidValue);
  HIP_OK(set(more, other.data()));
  HIP_OK(hipGraphAddMemcpyNode1D(&swapped, changed, nullptr, 0, memory.data(), own, 4, hipMemcpyDefault));
  hipGraphExecUpdateResult result{};
  EXPECT_EQ(hipGraphExecUpdate(executable, changed, &culprit, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorParametersChanged);
  executable.run();
  EXPECT_EQ(more[0], 0);
}

TEST(Graph, CopiesKeepTheirDirectionBeyondTheirMemory) {
  const DeviceMemory<int> kept(4);
  HostNumber number;
  OwnGraph graph;
  hipGraphNode_t copy = nullptr;
  int* gone = nullptr;
  HIP_OK(hipMalloc(reinterpret_cast<void**>(&gone), 16));
  HIP_OK(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, gone, number.address(), 4, hipMemcpyDefault));
  const Executable executable(graph);
  HIP_OK(hipFree(gone));
  const auto set = [&](void* to) {
    return hipGraphExecMemcpyNodeSetParams1D(executable, copy, to, number.address(), 4, hipMemcpyDefault);
  };
  int own[4];
  EXPECT_EQ(set(own), hipErrorInvalidValue);
  HIP_OK(set(kept.data()));
  number.set(5);
  executable.run();
  EXPECT_EQ(kept.values()[0], 5);
}

TEST(Graph, CopiesOfBlocksAreOfOneKindHoweverTheyAreDescribed) {
  const DeviceMemory<int> memory(4), other(4);
  HostNumber number;
  hipCtx_t context = nullptr;
  HIP_OK(hipCtxGetCurrent(&context));
  hipMemcpy3DParms params{};
  params.dstPtr = {memory.data(), 4, 4, 1};
  params.srcPtr = {number.address(), 4, 4, 1};
  params.extent = {4, 1, 1};
  params.kind = hipMemcpyHostToDevice;
  HIP_MEMCPY3D described{};
  described.srcMemoryType = hipMemoryTypeHost;
  described.srcHost = number.address();
  described.dstMemoryType = hipMemoryTypeDevice;
  described.dstDevice = other.data();
  described.dstArray = reinterpret_cast<hipArray_t>(memory.data());  // does not count with this type
  described.WidthInBytes = 4;
  described.Height = described.Depth = 1;
  OwnGraph graph, like, back;
  hipGraphNode_t node = nullptr, described_node = nullptr, culprit = nullptr;
  HIP_OK(hipGraphAddMemcpyNode(&node, graph, nullptr, 0, &params));
  HIP_OK(hipDrvGraphAddMemcpyNode(&described_node, like, nullptr, 0, &described, context));
  const Executable executable(graph);
  hipGraphExecUpdateResult result{};
  HIP_OK(hipGraphExecUpdate(executable, like, &culprit, &result));
  number.set(6);
  executable.run();
  EXPECT_EQ(other.values()[0], 6);
  HIP_OK(hipGraphExecMemcpyNodeSetParams(executable, node, &params));
  number.set(7);
  executable.run();
  EXPECT_EQ(memory.values()[0], 7);
  HIP_OK(hipDrvGraphExecMemcpyNodeSetParams(executable, node, &described, context));
  std::swap(described.srcMemoryType, described.dstMemoryType);
  described.dstHost = number.address();
  described.srcDevice = other.data();
  EXPECT_EQ(hipDrvGraphExecMemcpyNodeSetParams(executable, node, &described, context), hipErrorInvalidValue);
  HIP_OK(hipDrvGraphAddMemcpyNode(&described_node, back, nullptr, 0, &described, context));
  EXPECT_EQ(hipGraphExecUpdate(executable, back, &culprit, &result), hipErrorGraphExecUpdateFailure);
  EXPECT_EQ(result, hipGraphExecUpdateErrorParametersChanged);
}

TEST(Graph, OnlyFillsOfARowChangeInExecutables) {
  const DeviceMemory<int> memory(16);
  const HostNumber number;
  OwnGraph graph;
  hipMemsetParams fill{};
  fill.dst = memory.data();
  fill.elementSize = 4;
  fill.width = 1;
  fill.height = 2;
  fill.pitch = 16;
  hipGraphNode_t row = nullptr, rows = nullptr;
  HIP_OK(hipGraphAddMemsetNode(&rows, graph, nullptr, 0, &fill));
  fill.dst = memory.data() + 8;
  fill.height = 1;
  HIP_OK(hipGraphAddMemsetNode(&row, graph, nullptr, 0, &fill));
  fill.height = 2;
  const Executable executable(graph);
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(executable, row, &fill), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(executable, rows, &fill), hipErrorInvalidValue);
  fill.height = 1;
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(executable, rows, &fill), hipErrorInvalidValue);
  fill.value = 7;
  HIP_OK(hipGraphExecMemsetNodeSetParams(executable, row, &fill));
  fill.dst = number.address();
  EXPECT_EQ(hipGraphExecMemsetNodeSetParams(executable, row, &fill), hipErrorInvalidValue);
  executable.run();
  EXPECT_EQ(memory.values()[8], 7);
}

TEST(Graph, IsUpdatedFromAnother) {
  const DeviceMemory<int> memory(16);
  OwnGraph graph, like, shorter, other_edges, other_type, other_kernel;
  graph.append({graph.append({}, memory, 1)}, memory, 2);
  const Executable executable(graph);
  hipGraphNode_t culprit = nullptr;
  hipGraphExecUpdateResult result{};
  like.append({like.append({}, memory, 3)}, memory, 4);
  HIP_OK(hipGraphExecUpdate(executable, like, &culprit, &result));
  EXPECT_EQ(result, hipGraphExecUpdateSuccess);
  const auto fails = [&](hipGraph_t with, hipGraphExecUpdateResult why, hipGraphNode_t where) {
    EXPECT_EQ(hipGraphExecUpdate(executable, with, &culprit, &result), hipErrorGraphExecUpdateFailure);
    EXPECT_EQ(result, why);
    EXPECT_EQ(culprit, where);
  };
  shorter.append({}, memory, 9);
  fails(shorter, hipGraphExecUpdateErrorTopologyChanged, nullptr);
  other_edges.append({}, memory, 9);
  fails(other_edges, hipGraphExecUpdateErrorTopologyChanged, nullptr);
  fails(other_edges, hipGraphExecUpdateErrorTopologyChanged, nullptr);
  const auto loose = other_edges.append({}, memory, 9);
  fails(other_edges, hipGraphExecUpdateErrorTopologyChanged, loose);
  const auto typed = other_type.empty({other_type.append({}, memory, 9)});
  fails(other_type, hipGraphExecUpdateErrorNodeTypeChanged, typed);
  EXPECT_EQ(hipGraphExecUpdate(executable, like, nullptr, &result), hipErrorInvalidValue);
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{3, 4})) << "updates that fail change nothing";
  // A node may get another kernel, with other arguments.
  other_kernel.kernel({other_kernel.append({}, memory, 9)}, empty_kernel);
  HIP_OK(hipGraphExecUpdate(executable, other_kernel, &culprit, &result));
  executable.run();
  EXPECT_EQ(values_of(memory), (std::vector<int>{3, 4, 9}));
}

TEST(Graph, IsLaunchedByManyThreads) {
  constexpr int threads = 6, launches = 40;
  const DeviceMemory<unsigned long long> counter(1);
  OwnGraph graph;
  std::vector<hipGraphNode_t> nodes;
  nodes.reserve(6);
  for (int i = 0; i < 6; ++i) nodes.push_back(graph.kernel({}, count_kernel, counter.data(), 1U));
  for (int i = 0; i < 3; ++i) graph.kernel(nodes, count_kernel, counter.data(), 1U);
  const Executable shared(graph);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&] {
      const OwnStream stream;
      const Executable own(graph);
      for (int i = 0; i < launches; ++i)
        EXPECT_EQ(hipGraphLaunch(i % 2 == 0 ? shared : own, stream), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    });
  for (std::thread& thread : running) thread.join();
  HIP_OK(hipDeviceSynchronize());
  EXPECT_EQ(counter.values()[0], static_cast<unsigned long long>(threads) * launches * 9);
}

TEST(Graph, OutlivesItsExecutableWhileItRuns) {
  HostNumber flag;
  const DeviceMemory<int> memory(8);
  const OwnStream stream;
  {
    OwnGraph graph;
    graph.append({graph.kernel({}, wait_kernel, flag.address())}, memory, 1);
    graph.kernel({}, empty_kernel);
    const Executable executable(graph);
    HIP_OK(hipGraphLaunch(executable, stream));
  }
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  flag.set(1);
  HIP_OK(hipStreamSynchronize(stream));
  EXPECT_EQ(values_of(memory), std::vector<int>{1});
}

}  // namespace
}  // namespace heddle::hip_tests
