// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the nodes of graphs do: adding them, and reading, changing and replacing it.
#include "hip/api/graph_node_calls.h"

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

using Kernel = std::shared_ptr<const KernelNode>;

EventWork& event_work_of(GraphNode& node, bool records) {
  auto& work = work_of<EventWork>(node);
  if (work.records != records) throw Failure(hipErrorInvalidValue, "the node is of another type");
  return work;
}

/// Reports whether this is a handle of a function, of the program or of a loaded module.
bool is_handle(const void* kernel) {
  return Registry::get().has_given(kernel) || Runtime::get().modules().find_if([&](Module& loaded) {
    return loaded.has_given(kernel);
  }) != nullptr;
}

/// Finds a kernel by its address in the program, or by the handle of a function, which AMD's runtime also
/// takes.
const Function& find_kernel(const void* kernel, Device& device) {
  if (const Function* const function = Registry::get().function(kernel, device)) return *function;
  if (!is_handle(kernel)) throw Failure(hipErrorInvalidDeviceFunction);
  const auto& function = *static_cast<const Function*>(kernel);
  if (&function.device != &device)
    throw Failure(hipErrorInvalidHandle, "the node belongs to another device than the function");
  return function;
}

/// Makes the work of a kernel node.
Kernel make_kernel(const hipKernelNodeParams* params, Device& device) {
  if (params == nullptr || params->func == nullptr) throw Failure(hipErrorInvalidValue);
  return std::make_shared<const KernelNode>(*params, find_kernel(params->func, device));
}

CopyBytes checked(const CopyBytes& copy) {
  check_work(copy);
  return copy;
}

CopySymbol checked(const CopySymbol& copy, Device& device) {
  check_work(copy, device);
  return copy;
}

hipHostNodeParams checked(const hipHostNodeParams* params) {
  if (params == nullptr || params->fn == nullptr) throw Failure(hipErrorInvalidValue);
  return *params;
}

EventWork event_work(hipEvent_t handle, bool records) {
  auto event = Runtime::get().events().find(handle);
  if (event == nullptr) throw Failure(hipErrorInvalidValue);
  return {records, handle, std::move(event)};
}

/// Returns the copy that a node is to make in place of its own, which must have the same direction.
CopySymbol symbol_instead(const CopySymbol& own, const CopySymbol& copy, Device& device) {
  if (own.to_symbol != copy.to_symbol) throw Failure(hipErrorInvalidValue, "the node is of another type");
  return checked(copy, device);
}

CopySymbol copy_from(void* dst, const void* symbol, size_t count, size_t offset, hipMemcpyKind kind) {
  return {false, symbol, dst, count, offset, kind};
}

CopySymbol copy_to(const void* symbol, const void* src, size_t count, size_t offset, hipMemcpyKind kind) {
  return {true, symbol, src, count, offset, kind};
}

hipError_t get_event(hipGraphNode_t node, hipEvent_t* event, bool records) {
  if (event == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  *event = event_work_of(find_node(node), records).handle;
  return hipSuccess;
}

hipError_t set_event(GraphNode& node, hipEvent_t event, bool records) {
  event_work_of(node, records) = event_work(event, records);
  return hipSuccess;
}

}  // namespace

// ---- kernels ----

hipError_t hipGraphAddKernelNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipKernelNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device& device) { return make_kernel(pNodeParams, device); });
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return with<Kernel>(node, [&](const Kernel& work, Device&) { *pNodeParams = work->params(); });
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* pNodeParams) {
  return with<Kernel>(node, [&](Kernel& work, Device& device) { work = make_kernel(pNodeParams, device); });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipKernelNodeParams* pNodeParams) {
  return with<Kernel>(hGraphExec, node,
                      [&](Kernel& work, Device& device) { work = make_kernel(pNodeParams, device); });
}

// ---- copies ----

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipMemcpy3DParms* pCopyParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return checked(pCopyParams); });
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return with<hipMemcpy3DParms>(node, [&](const hipMemcpy3DParms& work, Device&) { *pNodeParams = work; });
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* pNodeParams) {
  return with<hipMemcpy3DParms>(node, [&](hipMemcpy3DParms& work, Device&) { work = checked(pNodeParams); });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           hipMemcpy3DParms* pNodeParams) {
  return replace_block_copy(hGraphExec, node,
                            [&](Device&) { return checked<hipMemcpy3DParms>(pNodeParams); });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                   const hipGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                   const void* src, size_t count, hipMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return checked(CopyBytes{dst, src, count, kind}); });
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* dst, const void* src, size_t count,
                                         hipMemcpyKind kind) {
  return with<CopyBytes>(node,
                         [&](CopyBytes& work, Device&) { work = checked(CopyBytes{dst, src, count, kind}); });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t hGraphExec, hipGraphNode_t node, void* dst,
                                             const void* src, size_t count, hipMemcpyKind kind) {
  return replace<CopyBytes>(
      hGraphExec, node, [&](const CopyBytes&, Device&) { return checked(CopyBytes{dst, src, count, kind}); });
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                           const hipGraphNode_t* pDependencies, size_t numDependencies,
                                           void* dst, const void* symbol, size_t count, size_t offset,
                                           hipMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device& device) { return checked(copy_from(dst, symbol, count, offset, kind), device); });
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* dst, const void* symbol,
                                                 size_t count, size_t offset, hipMemcpyKind kind) {
  return with<CopySymbol>(node, [&](CopySymbol& work, Device& device) {
    work = symbol_instead(work, copy_from(dst, symbol, count, offset, kind), device);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                     void* dst, const void* symbol, size_t count,
                                                     size_t offset, hipMemcpyKind kind) {
  return replace<CopySymbol>(hGraphExec, node, [&](const CopySymbol& work, Device& device) {
    return symbol_instead(work, copy_from(dst, symbol, count, offset, kind), device);
  });
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                         const hipGraphNode_t* pDependencies, size_t numDependencies,
                                         const void* symbol, const void* src, size_t count, size_t offset,
                                         hipMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device& device) { return checked(copy_to(symbol, src, count, offset, kind), device); });
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol, const void* src,
                                               size_t count, size_t offset, hipMemcpyKind kind) {
  return with<CopySymbol>(node, [&](CopySymbol& work, Device& device) {
    work = symbol_instead(work, copy_to(symbol, src, count, offset, kind), device);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                                   const void* symbol, const void* src, size_t count,
                                                   size_t offset, hipMemcpyKind kind) {
  return replace<CopySymbol>(hGraphExec, node, [&](const CopySymbol& work, Device& device) {
    return symbol_instead(work, copy_to(symbol, src, count, offset, kind), device);
  });
}

// ---- fills ----

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                 const hipGraphNode_t* pDependencies, size_t numDependencies,
                                 const hipMemsetParams* pMemsetParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return checked(pMemsetParams); });
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return with<hipMemsetParams>(node, [&](const hipMemsetParams& work, Device&) { *pNodeParams = work; });
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* pNodeParams) {
  return with<hipMemsetParams>(node, [&](hipMemsetParams& work, Device&) { work = checked(pNodeParams); });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                           const hipMemsetParams* pNodeParams) {
  return replace<hipMemsetParams>(hGraphExec, node,
                                  [&](const hipMemsetParams&, Device&) { return checked(pNodeParams); });
}

// ---- functions of the host ----

hipError_t hipGraphAddHostNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                               const hipGraphNode_t* pDependencies, size_t numDependencies,
                               const hipHostNodeParams* pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return checked(pNodeParams); });
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* pNodeParams) {
  if (pNodeParams == nullptr) return hipErrorInvalidValue;
  return with<hipHostNodeParams>(node, [&](const hipHostNodeParams& work, Device&) { *pNodeParams = work; });
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* pNodeParams) {
  return with<hipHostNodeParams>(node,
                                 [&](hipHostNodeParams& work, Device&) { work = checked(pNodeParams); });
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                         const hipHostNodeParams* pNodeParams) {
  return with<hipHostNodeParams>(hGraphExec, node,
                                 [&](hipHostNodeParams& work, Device&) { work = checked(pNodeParams); });
}

// ---- graphs in graphs, and nothing ----

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                     const hipGraphNode_t* pDependencies, size_t numDependencies,
                                     hipGraph_t childGraph) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](Device&) {
    const auto child = find_graph(childGraph);
    refuse_memory_nodes(*child);
    return ChildGraph{child->clone(Graph::Visible::yes)};
  });
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* pGraph) {
  if (pGraph == nullptr) return hipErrorInvalidValue;
  return with<ChildGraph>(node, [&](const ChildGraph& work, Device&) { *pGraph = handle_of(*work.graph); });
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t hGraphExec, hipGraphNode_t node,
                                               hipGraph_t childGraph) {
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  const auto owner = find_executable(hGraphExec);
  GraphNode& own = node_in(*owner, node);
  ended = work_of<ChildGraph>(own).graph->all_kept();
  const auto child = find_graph(childGraph);
  refuse_memory_nodes(*child);
  return GraphExec::update_child(own, *child) ? hipErrorInvalidValue : hipSuccess;
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                const hipGraphNode_t* pDependencies, size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [](Device&) { return NoWork{}; });
}

// ---- events ----

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                      const hipGraphNode_t* pDependencies, size_t numDependencies,
                                      hipEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return event_work(event, true); });
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  return get_event(node, event_out, true);
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  const auto held = graphs_lock();
  return set_event(find_node(node), event, true);
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                               hipEvent_t event) {
  const auto held = graphs_lock();
  const auto owner = find_executable(hGraphExec);
  return set_event(node_in(*owner, hNode), event, true);
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* pGraphNode, hipGraph_t graph,
                                    const hipGraphNode_t* pDependencies, size_t numDependencies,
                                    hipEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](Device&) { return event_work(event, false); });
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event_out) {
  return get_event(node, event_out, false);
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
  const auto held = graphs_lock();
  return set_event(find_node(node), event, false);
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                             hipEvent_t event) {
  const auto held = graphs_lock();
  const auto owner = find_executable(hGraphExec);
  return set_event(node_in(*owner, hNode), event, false);
}

}  // namespace heddle::hip::api
