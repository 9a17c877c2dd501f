// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions for nodes of graphs have in common.
#pragma once

#include "hip/core/failure.h"
#include "hip/core/graph.h"
#include "hip/core/graph_exec.h"
#include "hip/core/graph_update.h"
#include "hip/core/graph_work.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {

/// Adds a node for a device. `make` returns its work.
template <typename Make>
hipError_t add_for(Device& device, hipGraphNode_t* node, hipGraph_t handle,
                   const hipGraphNode_t* dependencies, size_t count, Make make) {
  if (node == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const auto graph = find_graph(handle);
  const auto before = find_nodes(*graph, dependencies, count);
  *node = handle_of(graph->add(make(device), device, before));
  return hipSuccess;
}

/// The same for the current device.
template <typename Make>
hipError_t add(hipGraphNode_t* node, hipGraph_t handle, const hipGraphNode_t* dependencies, size_t count,
               Make make) {
  return add_for(Runtime::get().device(), node, handle, dependencies, count, std::move(make));
}

/// Throws Failure (NotSupported) for graphs that allocate or free memory, of which there can be no copies.
inline void refuse_memory_nodes(const Graph& graph) {
  if (graph.has_memory_nodes())
    throw Failure(hipErrorNotSupported, "this is not possible with graphs that allocate or free memory");
}

/// Returns the work of a node. Throws Failure (InvalidValue) if the node is of another type.
template <typename T>
T& work_of(GraphNode& node) {
  T* const work = std::get_if<T>(&node.work);
  if (work == nullptr) throw Failure(hipErrorInvalidValue, "the node is of another type");
  return *work;
}

/// Returns the node of an executable graph. Throws Failure (InvalidValue).
inline GraphNode& node_in(GraphExec& executable, hipGraphNode_t handle) {
  GraphNode* const own = executable.find(find_node(handle));
  if (own == nullptr) throw Failure(hipErrorInvalidValue, "the executable graph has no such node");
  return *own;
}

/// Calls a function with the work of a node, of a type.
template <typename T, typename Use>
hipError_t with(hipGraphNode_t handle, Use use) {
  const auto held = graphs_lock();
  GraphNode& node = find_node(handle);
  use(work_of<T>(node), *node.device);
  return hipSuccess;
}

/// The same for the copy of the node in an executable graph.
template <typename T, typename Use>
hipError_t with(hipGraphExec_t executable, hipGraphNode_t handle, Use use) {
  const auto held = graphs_lock();
  const auto owner = find_executable(executable);
  GraphNode& node = node_in(*owner, handle);
  use(work_of<T>(node), *node.device);
  return hipSuccess;
}

/// Replaces the work that a node has in an executable graph. It has the type T, and `make` returns the new
/// work.
template <typename T, typename Make>
hipError_t replace(hipGraphExec_t executable, hipGraphNode_t handle, Make make) {
  const auto held = graphs_lock();
  const auto owner = find_executable(executable);
  GraphNode& node = node_in(*owner, handle);
  replace_work(node, make(work_of<T>(node), *node.device));
  return hipSuccess;
}

/// The same for a copy of blocks, however it was described.
template <typename Make>
hipError_t replace_block_copy(hipGraphExec_t executable, hipGraphNode_t handle, Make make) {
  const auto held = graphs_lock();
  const auto owner = find_executable(executable);
  GraphNode& node = node_in(*owner, handle);
  if (type_of(node.work) != hipGraphNodeTypeMemcpy)
    throw Failure(hipErrorInvalidValue, "the node is of another type");
  replace_work(node, make(*node.device));
  return hipSuccess;
}

template <typename Params>
Params checked(const Params* params) {
  if (params == nullptr) throw Failure(hipErrorInvalidValue);
  check_work(*params);
  return *params;
}

}  // namespace heddle::hip::api
