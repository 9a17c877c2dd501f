// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of nodes, nodes that are switched off, nodes of any type and as drivers describe them, and other
// ways to make graphs and to look at them.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

class Attributes : public ::testing::Test {
 protected:
  void SetUp() override {
    HIP_OK(hipGraphCreate(&graph_, 0));
    first_ = append({}, 1);
    second_ = append({first_}, 2);
  }
  void TearDown() override {
    if (executable_ != nullptr) HIP_OK(hipGraphExecDestroy(executable_));
    HIP_OK(hipGraphDestroy(graph_));
  }
  hipGraphNodeParams params_of(int value) {
    hipGraphNodeParams params{};
    params.type = hipGraphNodeTypeKernel;
    params.kernel.func = const_cast<void*>(append_kernel);
    address_ = memory_.data();
    value_ = value;
    arguments_[0] = static_cast<void*>(&address_);
    arguments_[1] = &value_;
    params.kernel.kernelParams = arguments_;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(1);
    return params;
  }
  hipGraphNode_t append(const std::vector<hipGraphNode_t>& before, int value) {
    auto params = params_of(value);
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddNode(&node, graph_, before.data(), before.size(), &params), hipSuccess);
    return node;
  }
  void instantiate() { HIP_OK(hipGraphInstantiate(&executable_, graph_, nullptr, nullptr, 0)); }
  /// Launches the graph, and returns what was appended.
  std::vector<int> run() {
    EXPECT_EQ(hipMemset(memory_.data(), 0, 8 * sizeof(int)), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(executable_, nullptr), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    const auto values = memory_.values();
    return {values.begin() + 1, values.begin() + 1 + values[0]};
  }

  const DeviceMemory<int> memory_{8};
  hipGraph_t graph_ = nullptr;
  hipGraphNode_t first_ = nullptr, second_ = nullptr;
  hipGraphExec_t executable_ = nullptr;
  int* address_ = nullptr;
  int value_ = 0;
  void* arguments_[2] = {};
};

TEST_F(Attributes, AreKeptAndCopied) {
  hipKernelNodeAttrValue value{};
  value.priority = 3;
  HIP_OK(hipGraphKernelNodeSetAttribute(first_, hipKernelNodeAttributePriority, &value));
  value.accessPolicyWindow = {memory_.data(), hipAccessPropertyStreaming, 0.5F, hipAccessPropertyNormal, 0};
  HIP_OK(hipGraphKernelNodeSetAttribute(first_, hipKernelNodeAttributeAccessPolicyWindow, &value));
  HIP_OK(hipGraphKernelNodeCopyAttributes(first_, second_));
  hipKernelNodeAttrValue told{};
  HIP_OK(hipGraphKernelNodeGetAttribute(second_, hipKernelNodeAttributePriority, &told));
  EXPECT_EQ(told.priority, 3);
  HIP_OK(hipGraphKernelNodeGetAttribute(second_, hipKernelNodeAttributeAccessPolicyWindow, &told));
  EXPECT_EQ(told.accessPolicyWindow.base_ptr, memory_.data());
  EXPECT_EQ(told.accessPolicyWindow.hitRatio, 0.5F);
  HIP_OK(hipGraphKernelNodeGetAttribute(second_, hipKernelNodeAttributeCooperative, &told));
  EXPECT_EQ(told.cooperative, 0);
}

TEST_F(Attributes, AreChecked) {
  hipKernelNodeAttrValue value{};
  const auto set = [&](auto change) {
    value.accessPolicyWindow = {memory_.data(), hipAccessPropertyStreaming, 0.5F, hipAccessPropertyNormal, 0};
    change(value.accessPolicyWindow);
    return hipGraphKernelNodeSetAttribute(first_, hipKernelNodeAttributeAccessPolicyWindow, &value);
  };
  int largest = 0;
  HIP_OK(hipDeviceGetAttribute(&largest, hipDeviceAttributeAccessPolicyMaxWindowSize, 0));
  EXPECT_EQ(set([&](auto& w) { w.num_bytes = static_cast<size_t>(largest) + 1; }), hipErrorInvalidValue);
  EXPECT_EQ(set([](auto& w) { w.hitRatio = -0.1F; }), hipErrorInvalidValue);
  EXPECT_EQ(set([](auto& w) { w.hitRatio = 1.1F; }), hipErrorInvalidValue);
  EXPECT_EQ(set([](auto& w) { w.missProp = hipAccessPropertyPersisting; }), hipErrorInvalidValue);
  const auto unknown = static_cast<hipKernelNodeAttrID>(99);
  EXPECT_EQ(hipGraphKernelNodeSetAttribute(first_, unknown, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeGetAttribute(first_, unknown, &value), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeGetAttribute(first_, hipKernelNodeAttributePriority, nullptr),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeSetAttribute(nullptr, hipKernelNodeAttributePriority, &value),
            hipErrorInvalidValue);
  hipGraphNode_t empty = nullptr;
  HIP_OK(hipGraphAddEmptyNode(&empty, graph_, nullptr, 0));
  EXPECT_EQ(hipGraphKernelNodeSetAttribute(empty, hipKernelNodeAttributePriority, &value),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeCopyAttributes(first_, empty), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphKernelNodeCopyAttributes(nullptr, first_), hipErrorInvalidValue);
}

TEST_F(Attributes, NodesAreSwitchedOffAndOn) {
  hipGraphNode_t empty = nullptr;
  HIP_OK(hipGraphAddEmptyNode(&empty, graph_, &second_, 1));
  instantiate();
  EXPECT_EQ(run(), (std::vector<int>{1, 2}));
  unsigned enabled = 7;
  HIP_OK(hipGraphNodeGetEnabled(executable_, first_, &enabled));
  EXPECT_EQ(enabled, 1U);
  HIP_OK(hipGraphNodeSetEnabled(executable_, first_, 0));
  HIP_OK(hipGraphNodeGetEnabled(executable_, first_, &enabled));
  EXPECT_EQ(enabled, 0U);
  EXPECT_EQ(run(), std::vector<int>{2});
  HIP_OK(hipGraphNodeSetEnabled(executable_, first_, 1));
  EXPECT_EQ(run(), (std::vector<int>{1, 2}));
  EXPECT_EQ(hipGraphNodeSetEnabled(executable_, empty, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphNodeSetEnabled(nullptr, first_, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphNodeGetEnabled(executable_, nullptr, &enabled), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphNodeGetEnabled(executable_, first_, nullptr), hipErrorInvalidValue);
}

TEST_F(Attributes, NodesOfAnyTypeAreAdded) {
  int number = 0;
  const OwnEvent event;
  hipGraphNode_t last = second_;
  const auto add = [&](hipGraphNodeType type, auto fill) {
    hipGraphNodeParams params{};
    params.type = type;
    fill(params);
    const hipGraphNode_t before = last;
    const hipError_t result = hipGraphAddNode(&last, graph_, &before, 1, &params);
    hipGraphNodeType told{};
    if (result == hipSuccess) {
      EXPECT_EQ(hipGraphNodeGetType(last, &told), hipSuccess);
      EXPECT_EQ(told, type);
    }
    return result;
  };
  void* allocated = nullptr;
  HIP_OK(add(hipGraphNodeTypeMemAlloc, [&](hipGraphNodeParams& p) {
    p.alloc.poolProps.allocType = hipMemAllocationTypePinned;
    p.alloc.poolProps.location = {hipMemLocationTypeDevice, 0};
    p.alloc.bytesize = 4096;
  }));
  hipMemAllocNodeParams told{};
  HIP_OK(hipGraphMemAllocNodeGetParams(last, &told));
  allocated = told.dptr;
  HIP_OK(add(hipGraphNodeTypeMemset, [&](hipGraphNodeParams& p) {
    p.memset.dst = allocated;
    p.memset.elementSize = 4;
    p.memset.value = 99;
    p.memset.width = 1;
    p.memset.height = 1;
  }));
  HIP_OK(add(hipGraphNodeTypeMemcpy, [&](hipGraphNodeParams& p) {
    p.memcpy.copyParams.dstPtr = {&number, 4, 4, 1};
    p.memcpy.copyParams.srcPtr = {allocated, 4, 4, 1};
    p.memcpy.copyParams.extent = {4, 1, 1};
    p.memcpy.copyParams.kind = hipMemcpyDeviceToHost;
  }));
  HIP_OK(add(hipGraphNodeTypeMemFree, [&](hipGraphNodeParams& p) { p.free.dptr = allocated; }));
  HIP_OK(add(hipGraphNodeTypeHost, [&](hipGraphNodeParams& p) {
    p.host = {[](void* data) { ++*static_cast<int*>(data); }, &number};
  }));
  HIP_OK(add(hipGraphNodeTypeEventRecord, [&](hipGraphNodeParams& p) { p.eventRecord.event = event; }));
  HIP_OK(add(hipGraphNodeTypeWaitEvent, [&](hipGraphNodeParams& p) { p.eventWait.event = event; }));
  HIP_OK(add(hipGraphNodeTypeEmpty, [](hipGraphNodeParams&) {}));
  hipGraph_t child = nullptr;
  HIP_OK(hipGraphCreate(&child, 0));
  HIP_OK(add(hipGraphNodeTypeGraph, [&](hipGraphNodeParams& p) { p.graph.graph = child; }));
  HIP_OK(hipGraphDestroy(child));
  EXPECT_EQ(add(static_cast<hipGraphNodeType>(99), [](hipGraphNodeParams&) {}), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphAddNode(&last, graph_, nullptr, 0, nullptr), hipErrorInvalidValue);
  instantiate();
  EXPECT_EQ(run(), (std::vector<int>{1, 2}));
  EXPECT_EQ(number, 100);
}

TEST_F(Attributes, InstantiationTellsWhy) {
  hipGraphInstantiateParams params{};
  params.flags = hipGraphInstantiateFlagUpload;
  HIP_OK(hipGraphInstantiateWithParams(&executable_, graph_, &params));
  EXPECT_EQ(params.result_out, hipGraphInstantiateSuccess);
  EXPECT_EQ(params.errNode_out, nullptr);
  unsigned long long flags = 0;
  HIP_OK(hipGraphExecGetFlags(executable_, &flags));
  EXPECT_EQ(flags, static_cast<unsigned long long>(hipGraphInstantiateFlagUpload));
  EXPECT_EQ(hipGraphExecGetFlags(executable_, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphExecGetFlags(nullptr, &flags), hipErrorInvalidValue);
  EXPECT_EQ(run(), (std::vector<int>{1, 2}));
  hipGraphExec_t other = nullptr;
  params.flags = hipGraphInstantiateFlagDeviceLaunch;
  EXPECT_EQ(hipGraphInstantiateWithParams(&other, graph_, &params), hipErrorNotSupported);
  EXPECT_EQ(params.result_out, hipGraphInstantiateNodeOperationNotSupported);
  params.flags = 1U << 20;
  EXPECT_EQ(hipGraphInstantiateWithParams(&other, graph_, &params), hipErrorInvalidValue);
  EXPECT_EQ(params.result_out, hipGraphInstantiateError);
  HIP_OK(hipGraphAddDependencies(graph_, &second_, &first_, 1));
  params.flags = 0;
  EXPECT_EQ(hipGraphInstantiateWithParams(&other, graph_, &params), hipErrorInvalidValue);
  EXPECT_EQ(params.result_out, hipGraphInstantiateInvalidStructure);
  EXPECT_NE(params.errNode_out, nullptr);
  EXPECT_EQ(hipGraphInstantiateWithParams(&other, graph_, nullptr), hipErrorInvalidValue);
}

TEST_F(Attributes, StreamsAreCapturedIntoGraphs) {
  const OwnStream stream;
  HIP_OK(hipStreamBeginCaptureToGraph(stream, graph_, &second_, nullptr, 1, hipStreamCaptureModeRelaxed));
  EXPECT_EQ(hipGraphDestroy(graph_), hipErrorInvalidValue);
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory_.data(), 3));
  hipGraph_t ended = nullptr;
  HIP_OK(hipStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, graph_);
  // A capture that fails leaves the graph to the program.
  HIP_OK(hipStreamBeginCaptureToGraph(stream, graph_, nullptr, nullptr, 0, hipStreamCaptureModeRelaxed));
  EXPECT_NE(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_NE(hipStreamEndCapture(stream, &ended), hipSuccess);
  EXPECT_EQ(ended, nullptr);
  instantiate();
  EXPECT_EQ(run(), (std::vector<int>{1, 2, 3}));
  const auto begin = [&](hipStream_t s, hipGraph_t g, const hipGraphNode_t* nodes, size_t n, int mode) {
    return hipStreamBeginCaptureToGraph(s, g, nodes, nullptr, n, static_cast<hipStreamCaptureMode>(mode));
  };
  EXPECT_EQ(begin(nullptr, graph_, nullptr, 0, 0), hipErrorStreamCaptureUnsupported);
  EXPECT_EQ(begin(stream, nullptr, nullptr, 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(begin(stream, graph_, &second_, 0, 0), hipErrorInvalidValue);
  EXPECT_EQ(begin(stream, graph_, nullptr, 1, 0), hipErrorInvalidValue);
  EXPECT_EQ(begin(stream, graph_, nullptr, 0, 7), hipErrorInvalidValue);
}

TEST_F(Attributes, StreamsAreCapturedIntoGraphsOfNodes) {
  hipGraph_t child = nullptr, inside = nullptr, ended = nullptr;
  hipGraphNode_t node = nullptr;
  HIP_OK(hipGraphCreate(&child, 0));
  HIP_OK(hipGraphAddChildGraphNode(&node, graph_, &second_, 1, child));
  HIP_OK(hipGraphDestroy(child));
  HIP_OK(hipGraphChildGraphNodeGetGraph(node, &inside));
  const OwnStream stream, other;
  HIP_OK(hipStreamBeginCaptureToGraph(stream, inside, nullptr, nullptr, 0, hipStreamCaptureModeRelaxed));
  EXPECT_EQ(hipStreamBeginCaptureToGraph(other, inside, nullptr, nullptr, 0, hipStreamCaptureModeRelaxed),
            hipErrorInvalidValue)
      << "it takes another capture";
  HIP_OK(launch(append_kernel, dim3(1), dim3(1), 0, stream, memory_.data(), 3));
  HIP_OK(hipStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, inside);
  EXPECT_EQ(hipGraphDestroy(inside), hipErrorInvalidValue) << "it still belongs to the node";
  instantiate();
  EXPECT_EQ(run(), (std::vector<int>{1, 2, 3}));
}

TEST_F(Attributes, GraphsAreDescribedForGraphviz) {
  const std::string path = ::testing::TempDir() + "heddle_hip_graph.dot";
  HIP_OK(hipGraphDebugDotPrint(graph_, path.c_str(), hipGraphDebugDotFlagsVerbose));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path.c_str());
  EXPECT_EQ(text.str().rfind("digraph", 0), 0U) << text.str();
  EXPECT_NE(text.str().find("kernel"), std::string::npos);
  EXPECT_NE(text.str().find(" -> "), std::string::npos);
  EXPECT_NE(text.str().find("grid 1 x 1 x 1"), std::string::npos);
  EXPECT_EQ(hipGraphDebugDotPrint(graph_, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDebugDotPrint(nullptr, path.c_str(), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipGraphDebugDotPrint(graph_, "/no/such/folder/graph.dot", 0), hipErrorOperatingSystem);
}

TEST_F(Attributes, DriversDescribeNodes) {
  hipCtx_t context = nullptr;
  HIP_OK(hipDevicePrimaryCtxRetain(&context, 0));
  const DeviceMemory<int> target(2);
  int results[2] = {};
  HIP_MEMSET_NODE_PARAMS fill{};
  fill.dst = target.data();
  fill.elementSize = 4;
  fill.value = 5;
  fill.width = 2;
  fill.height = 1;
  hipGraphNode_t filled = nullptr, copied = nullptr;
  HIP_OK(hipDrvGraphAddMemsetNode(&filled, graph_, nullptr, 0, &fill, context));
  HIP_MEMCPY3D copy{};
  copy.srcMemoryType = hipMemoryTypeDevice;
  copy.srcDevice = target.data();
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = sizeof results;
  copy.dstMemoryType = hipMemoryTypeHost;
  copy.dstHost = results;
  copy.Height = copy.Depth = copy.srcHeight = copy.dstHeight = 1;
  HIP_OK(hipDrvGraphAddMemcpyNode(&copied, graph_, &filled, 1, &copy, context));
  HIP_MEMCPY3D told{};
  HIP_OK(hipDrvGraphMemcpyNodeGetParams(copied, &told));
  EXPECT_EQ(told.dstHost, results);
  instantiate();
  run();
  EXPECT_EQ(results[1], 5);
  fill.value = 6;
  HIP_OK(hipDrvGraphExecMemsetNodeSetParams(executable_, filled, &fill, context));
  copy.WidthInBytes = 4;
  HIP_OK(hipDrvGraphMemcpyNodeSetParams(copied, &copy));
  HIP_OK(hipDrvGraphExecMemcpyNodeSetParams(executable_, copied, &copy, context));
  run();
  EXPECT_EQ(results[0], 6);
  EXPECT_EQ(results[1], 5);
  copy.dstHost = nullptr;
  EXPECT_EQ(hipDrvGraphMemcpyNodeSetParams(copied, &copy), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGraphAddMemcpyNode(&copied, graph_, nullptr, 0, &copy, context), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGraphAddMemcpyNode(&copied, graph_, nullptr, 0, nullptr, context), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGraphMemcpyNodeGetParams(first_, &told), hipErrorInvalidValue);
  fill.elementSize = 3;
  EXPECT_EQ(hipDrvGraphAddMemsetNode(&filled, graph_, nullptr, 0, &fill, context), hipErrorInvalidValue);
  fill.elementSize = 4;
  EXPECT_EQ(hipDrvGraphAddMemsetNode(&filled, graph_, nullptr, 0, &fill, nullptr), hipErrorInvalidContext);
  HIP_OK(hipDevicePrimaryCtxRelease(0));
}

}  // namespace
}  // namespace heddle::hip_tests
