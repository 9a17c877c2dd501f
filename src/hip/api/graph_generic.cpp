// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of any type, and nodes as functions for drivers describe them.
#include <algorithm>

#include "functions.h"
#include "hip/api/graph_node_calls.h"

namespace heddle::hip::api {
namespace {

/// Where a node is to be added.
struct Place {
  hipGraphNode_t* node;
  hipGraph_t graph;
  const hipGraphNode_t* dependencies;
  size_t count;
};

using AddNode = hipError_t (*)(const Place& place, hipGraphNodeParams& params);

struct NodeKind {
  hipGraphNodeType type;
  AddNode add;
};

constexpr NodeKind node_kinds[] = {
    {hipGraphNodeTypeKernel,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddKernelNode(p.node, p.graph, p.dependencies, p.count, &params.kernel);
     }},
    {hipGraphNodeTypeMemcpy,
     [](const Place& p, hipGraphNodeParams& params) {
       if (params.memcpy.flags != 0) return hipErrorInvalidValue;
       return hipGraphAddMemcpyNode(p.node, p.graph, p.dependencies, p.count, &params.memcpy.copyParams);
     }},
    {hipGraphNodeTypeMemset,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddMemsetNode(p.node, p.graph, p.dependencies, p.count, &params.memset);
     }},
    {hipGraphNodeTypeHost,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddHostNode(p.node, p.graph, p.dependencies, p.count, &params.host);
     }},
    {hipGraphNodeTypeGraph,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddChildGraphNode(p.node, p.graph, p.dependencies, p.count, params.graph.graph);
     }},
    {hipGraphNodeTypeEmpty,
     [](const Place& p, hipGraphNodeParams&) {
       return hipGraphAddEmptyNode(p.node, p.graph, p.dependencies, p.count);
     }},
    {hipGraphNodeTypeWaitEvent,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddEventWaitNode(p.node, p.graph, p.dependencies, p.count, params.eventWait.event);
     }},
    {hipGraphNodeTypeEventRecord,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddEventRecordNode(p.node, p.graph, p.dependencies, p.count, params.eventRecord.event);
     }},
    {hipGraphNodeTypeMemAlloc,
     [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddMemAllocNode(p.node, p.graph, p.dependencies, p.count, &params.alloc);
     }},
    {hipGraphNodeTypeMemFree, [](const Place& p, hipGraphNodeParams& params) {
       return hipGraphAddMemFreeNode(p.node, p.graph, p.dependencies, p.count, params.free.dptr);
     }}};

hipMemsetParams fill_of(const HIP_MEMSET_NODE_PARAMS* params) {
  if (params == nullptr) throw Failure(hipErrorInvalidValue);
  hipMemsetParams fill{};
  fill.dst = params->dst;
  fill.elementSize = params->elementSize;
  fill.height = params->height;
  fill.pitch = params->pitch;
  fill.value = params->value;
  fill.width = params->width;
  return checked(&fill);
}

/// Throws Failure (InvalidValue) if a context is not that of a node's device, which the node must keep.
void check_device(hipCtx_t context, const Device& device) {
  if (&device != &Runtime::get().device(context))
    throw Failure(hipErrorInvalidValue, "a node cannot change its device");
}

}  // namespace

hipError_t hipGraphAddNode(hipGraphNode_t* pGraphNode, hipGraph_t graph, const hipGraphNode_t* pDependencies,
                           size_t numDependencies, hipGraphNodeParams* nodeParams) {
  if (nodeParams == nullptr) return hipErrorInvalidValue;
  const auto* const kind = std::ranges::find(node_kinds, nodeParams->type, &NodeKind::type);
  if (kind == std::end(node_kinds)) return hipErrorInvalidValue;
  return kind->add({pGraphNode, graph, pDependencies, numDependencies}, *nodeParams);
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  if (phGraphNode == nullptr || copyParams == nullptr) return hipErrorInvalidValue;
  return add_for(Runtime::get().device(ctx), phGraphNode, hGraph, dependencies, numDependencies,
                 [&](Device&) { return checked(copyParams); });
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t hNode, HIP_MEMCPY3D* nodeParams) {
  if (nodeParams == nullptr) return hipErrorInvalidValue;
  return with<HIP_MEMCPY3D>(hNode, [&](const HIP_MEMCPY3D& work, Device&) { *nodeParams = work; });
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t hNode, const HIP_MEMCPY3D* nodeParams) {
  return with<HIP_MEMCPY3D>(hNode, [&](HIP_MEMCPY3D& work, Device&) { work = checked(nodeParams); });
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMCPY3D* copyParams, hipCtx_t ctx) {
  return replace_block_copy(hGraphExec, hNode, [&](const Device& device) {
    check_device(ctx, device);
    return checked(copyParams);
  });
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* phGraphNode, hipGraph_t hGraph,
                                    const hipGraphNode_t* dependencies, size_t numDependencies,
                                    const HIP_MEMSET_NODE_PARAMS* memsetParams, hipCtx_t ctx) {
  if (phGraphNode == nullptr || memsetParams == nullptr) return hipErrorInvalidValue;
  return add_for(Runtime::get().device(ctx), phGraphNode, hGraph, dependencies, numDependencies,
                 [&](Device&) { return fill_of(memsetParams); });
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                              const HIP_MEMSET_NODE_PARAMS* memsetParams, hipCtx_t ctx) {
  return replace<hipMemsetParams>(hGraphExec, hNode, [&](const hipMemsetParams&, const Device& device) {
    check_device(ctx, device);
    return fill_of(memsetParams);
  });
}

}  // namespace heddle::hip::api
