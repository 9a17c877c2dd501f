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

}  // namespace

hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, hipGraphNode_t* pErrorNode,
                               char* pLogBuffer, size_t bufferSize) {
  if (pGraphExec == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  if (pErrorNode != nullptr) *pErrorNode = nullptr;
  write_text("", pLogBuffer, bufferSize);
  GraphNode* culprit = nullptr;
  try {
    *pGraphExec = GraphHandles::get().executables.add(std::make_shared<GraphExec>(*found, &culprit));
  } catch (const Failure& failure) {
    if (pErrorNode != nullptr && culprit != nullptr) *pErrorNode = handle_of(*culprit);
    write_text(failure.what(), pLogBuffer, bufferSize);
    throw;
  }
  return hipSuccess;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* pGraphExec, hipGraph_t graph,
                                        unsigned long long flags) {
  if (flags != 0 && flags != hipGraphInstantiateFlagAutoFreeOnLaunch) return hipErrorInvalidValue;
  return hipGraphInstantiate(pGraphExec, graph, nullptr, nullptr, 0);
}

hipError_t hipGraphLaunch(hipGraphExec_t graphExec, hipStream_t stream) {
  const auto target = Runtime::get().stream(stream);
  const auto held = graphs_lock();
  const auto executable = find_executable(graphExec);
  if (is_captured(*target))
    record_work(ChildGraph{executable->graph().clone(Graph::Visible::yes)}, *target);
  else
    executable->launch(*target);
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
  UserObjects ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  ended = find_executable(graphExec)->graph().all_user_objects();
  GraphHandles::get().executables.take(graphExec);
  return hipSuccess;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph, hipGraphNode_t* hErrorNode_out,
                              hipGraphExecUpdateResult* updateResult_out) {
  if (hErrorNode_out == nullptr || updateResult_out == nullptr) return hipErrorInvalidValue;
  UserObjects ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  const auto executable = find_executable(hGraphExec);
  ended = executable->graph().all_user_objects();
  const auto failure = executable->update(*find_graph(hGraph));
  *updateResult_out = failure ? failure->result : hipGraphExecUpdateSuccess;
  *hErrorNode_out = failure && failure->node != nullptr ? handle_of(*failure->node) : nullptr;
  return failure ? hipErrorGraphExecUpdateFailure : hipSuccess;
}

}  // namespace heddle::hip::api
