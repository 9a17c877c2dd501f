// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of kernel nodes, and nodes that are switched off.
#include "functions.h"
#include "hip/api/graph_node_calls.h"
#include "hip/core/device_info.h"

namespace heddle::hip::api {
namespace {

/// Throws Failure (InvalidValue) if the node is none of a kernel.
KernelAttributes& attributes_of_kernel(hipGraphNode_t handle) {
  GraphNode& node = find_node(handle);
  work_of<std::shared_ptr<const KernelNode>>(node);
  return node.attributes;
}

void check_window(const hipAccessPolicyWindow& window, const Device& device) {
  const int largest = attribute_of(device, hipDeviceAttributeAccessPolicyMaxWindowSize).value_or(0);
  const bool known =
      window.hitProp >= hipAccessPropertyNormal && window.hitProp <= hipAccessPropertyPersisting;
  const bool missed =
      window.missProp == hipAccessPropertyNormal || window.missProp == hipAccessPropertyStreaming;
  if (window.num_bytes > static_cast<size_t>(largest) || !(window.hitRatio >= 0 && window.hitRatio <= 1) ||
      !known || !missed)
    throw Failure(hipErrorInvalidValue, "the device has no such window of its cache");
}

/// Whether work can be left out: that of kernels, copies and fills.
bool can_be_disabled(const Work& work) {
  const hipGraphNodeType type = type_of(work);
  return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemset || type == hipGraphNodeTypeMemcpy ||
         type == hipGraphNodeTypeMemcpy1D || type == hipGraphNodeTypeMemcpyFromSymbol ||
         type == hipGraphNodeTypeMemcpyToSymbol;
}

/// Returns the node of an executable graph. Throws Failure (InvalidValue), also if it can not be disabled.
GraphNode& switched_node(GraphExec& executable, hipGraphNode_t handle) {
  GraphNode& node = node_in(executable, handle);
  if (!can_be_disabled(node.work)) throw Failure(hipErrorInvalidValue, "such nodes cannot be disabled");
  return node;
}

}  // namespace

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          const hipKernelNodeAttrValue* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  KernelAttributes& attributes = attributes_of_kernel(hNode);
  switch (attr) {
    case hipLaunchAttributeAccessPolicyWindow:
      check_window(value->accessPolicyWindow, *find_node(hNode).device);
      attributes.window = value->accessPolicyWindow;
      return hipSuccess;
    case hipLaunchAttributeCooperative:
      attributes.cooperative = value->cooperative;
      return hipSuccess;
    case hipLaunchAttributePriority:
      attributes.priority = value->priority;
      return hipSuccess;
  }
  return hipErrorInvalidValue;
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t hNode, hipKernelNodeAttrID attr,
                                          hipKernelNodeAttrValue* value) {
  if (value == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const KernelAttributes& attributes = attributes_of_kernel(hNode);
  switch (attr) {
    case hipLaunchAttributeAccessPolicyWindow:
      value->accessPolicyWindow = attributes.window;
      return hipSuccess;
    case hipLaunchAttributeCooperative:
      value->cooperative = attributes.cooperative;
      return hipSuccess;
    case hipLaunchAttributePriority:
      value->priority = attributes.priority;
      return hipSuccess;
  }
  return hipErrorInvalidValue;
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t hSrc, hipGraphNode_t hDst) {
  const auto held = graphs_lock();
  const KernelAttributes& from = attributes_of_kernel(hSrc);
  attributes_of_kernel(hDst) = from;
  return hipSuccess;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int isEnabled) {
  const auto held = graphs_lock();
  const auto owner = find_executable(hGraphExec);
  switched_node(*owner, hNode).enabled = isEnabled != 0;
  return hipSuccess;
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t hGraphExec, hipGraphNode_t hNode, unsigned int* isEnabled) {
  if (isEnabled == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const auto owner = find_executable(hGraphExec);
  *isEnabled = switched_node(*owner, hNode).enabled ? 1 : 0;
  return hipSuccess;
}

}  // namespace heddle::hip::api
