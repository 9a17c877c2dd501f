// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that can be launched.
#include "hip/core/graph_exec.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

void write_text(std::string_view text, char* to, size_t size) {
  if (to == nullptr || size == 0) return;
  const size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

/// Throws Failure: InvalidValue, and `error_node`, if it is not null, becomes a node of a circle;
/// NotSupported.
hipError_t instantiate(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long flags,
                       hipGraphNode_t* error_node) {
  constexpr unsigned long long without_effect =
      hipGraphInstantiateFlagUpload | hipGraphInstantiateFlagUseNodePriority;
  constexpr unsigned long long known =
      without_effect | hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagDeviceLaunch;
  if ((flags & ~known) != 0) throw Failure(hipErrorInvalidValue, "there are no such flags");
  if ((flags & hipGraphInstantiateFlagDeviceLaunch) != 0)
    throw Failure(hipErrorNotSupported, "kernels cannot launch graphs");
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  if (found->has_memory_nodes() && !found->executable.expired())
    throw Failure(hipErrorNotSupported, "a graph that allocates memory is instantiated once at a time");
  if (error_node != nullptr) *error_node = nullptr;
  GraphNode* culprit = nullptr;
  try {
    const auto made = std::make_shared<GraphExec>(*found, flags, &culprit);
    *executable = GraphHandles::get().executables.add(made);
    found->executable = made;
  } catch (const Failure&) {
    if (error_node != nullptr && culprit != nullptr) *error_node = handle_of(*culprit);
    throw;
  }
  return hipSuccess;
}

}  // namespace

hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode,
                               char* pLogBuffer, size_t bufferSize) {
  if (pGraphExec == nullptr) return hipErrorInvalidValue;
  write_text("", pLogBuffer, bufferSize);
  try {
    return instantiate(pGraphExec, graph, 0, pErrorNode);
  } catch (const Failure& failure) {
    write_text(failure.what(), pLogBuffer, bufferSize);
    throw;
  }
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                        unsigned long long flags) {
  if (pGraphExec == nullptr) return hipErrorInvalidValue;
  return instantiate(pGraphExec, graph, flags, nullptr);
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                         hipGraphInstantiateParams* instantiateParams) {
  if (pGraphExec == nullptr || instantiateParams == nullptr) return hipErrorInvalidValue;
  hipGraphInstantiateParams& params = *instantiateParams;
  params.errNode_out = nullptr;
  params.result_out = hipGraphInstantiateError;
  const auto held = graphs_lock();
  find_graph(graph);
  if ((params.flags & hipGraphInstantiateFlagUpload) != 0)
    refuse_if_captured(*Runtime::get().stream(params.uploadStream));
  try {
    instantiate(pGraphExec, graph, params.flags, &params.errNode_out);
  } catch (const Failure& failure) {
    if (params.errNode_out != nullptr) params.result_out = hipGraphInstantiateInvalidStructure;
    if (failure.code() == hipErrorNotSupported)
      params.result_out = hipGraphInstantiateNodeOperationNotSupported;
    throw;
  }
  params.result_out = hipGraphInstantiateSuccess;
  return hipSuccess;
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t graphExec, unsigned long long* flags) {
  if (flags == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  *flags = find_executable(graphExec)->flags();
  return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  const auto held = graphs_lock();
  const auto executable = find_executable(graphExec);
  if (!is_captured(*target)) {
    executable->launch(*target);
    return hipSuccess;
  }
  if (executable->graph().has_memory_nodes()) return hipErrorNotSupported;
  record_work(ChildGraph{executable->graph().clone(Graph::Visible::yes)}, *target);
  return hipSuccess;
}

hipError_t hipGraphUpload(hipGraphExec_t graphExec, hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  const auto held = graphs_lock();
  find_executable(graphExec);
  refuse_if_captured(*target);
  return hipSuccess;  // packets and arguments are ready since the graph was instantiated
}

hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec) {
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  ended = find_executable(graphExec)->graph().all_kept();
  GraphHandles::get().executables.take(graphExec);
  return hipSuccess;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                              hipGraphExecUpdateResult* updateResult_out) {
  if (hErrorNode_out == nullptr || updateResult_out == nullptr) return hipErrorInvalidValue;
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  const auto executable = find_executable(hGraphExec);
  ended = executable->graph().all_kept();
  const auto failure = executable->update(*find_graph(hGraph));
  *updateResult_out = failure ? failure->result : hipGraphExecUpdateSuccess;
  *hErrorNode_out = failure && failure->node != nullptr ? handle_of(*failure->node) : nullptr;
  return failure ? hipErrorGraphExecUpdateFailure : hipSuccess;
}

}  // namespace heddle::hip::api
