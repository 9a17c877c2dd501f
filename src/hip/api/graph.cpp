// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: their nodes and edges.
#include "hip/core/graph.h"

#include <algorithm>
#include <fstream>

#include "functions.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/graph_dot.h"

namespace heddle::hip::api {
namespace {

/// Stores handles as functions that list them do: without a place only their number.
template <typename Handle>
hipError_t list(const std::vector<Handle>& found, Handle* to, size_t* count) {
  if (count == nullptr) return hipErrorInvalidValue;
  if (to != nullptr) {
    const size_t taken = std::min(found.size(), *count);
    std::copy_n(found.begin(), taken, to);
    std::fill(to + taken, to + *count, nullptr);
    *count = taken;
  } else {
    *count = found.size();
  }
  return hipSuccess;
}

std::vector<hipGraphNode_t> handles_of(const std::vector<GraphNode*>& nodes) {
  std::vector<hipGraphNode_t> handles;
  handles.reserve(nodes.size());
  for (GraphNode* const node : nodes) handles.push_back(handle_of(*node));
  return handles;
}

struct Edge {
  GraphNode* from;
  GraphNode* to;
  bool operator==(const Edge&) const = default;
};

/// Returns the edges of a call that adds or removes edges, which must all be there already, or none.
std::vector<Edge> find_edges(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to,
                             size_t count, bool there) {
  const auto graph = find_graph(handle);
  if (count != 0 && (from == nullptr || to == nullptr)) throw Failure(hipErrorInvalidValue);
  std::vector<Edge> edges;
  for (size_t i = 0; i < count; ++i) {
    const Edge edge{find_nodes(*graph, from + i, 1)[0], find_nodes(*graph, to + i, 1)[0]};
    if (edge.from == edge.to || has_edge(*edge.from, *edge.to) != there ||
        std::ranges::find(edges, edge) != edges.end())
      throw Failure(hipErrorInvalidValue);
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace

hipError_t hipGraphCreate(hipGraph_t* pGraph, unsigned int flags) {
  if (pGraph == nullptr || flags != 0) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  *pGraph = GraphHandles::get().graphs.add(std::make_shared<Graph>(Graph::Visible::yes));
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  const auto found = find_graph(graph);
  if (found->of_node || found->is_captured_into()) return hipErrorInvalidValue;
  ended = found->all_kept();
  GraphHandles::get().graphs.take(graph);
  return hipSuccess;
}

hipError_t hipGraphClone(hipGraph_t* pGraphClone, hipGraph_t originalGraph) {
  if (pGraphClone == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const auto original = find_graph(originalGraph);
  if (original->has_memory_nodes()) return hipErrorNotSupported;
  *pGraphClone = GraphHandles::get().graphs.add(original->clone(Graph::Visible::yes));
  return hipSuccess;
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* pNode, hipGraphNode_t originalNode,
                                   hipGraph_t clonedGraph) {
  if (pNode == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  const GraphNode& original = find_node(originalNode);
  const auto clone = find_graph(clonedGraph);
  if (clone->origin != original.graph.id) return hipErrorInvalidValue;
  for (const auto& node : clone->nodes()) {
    if (node->origin != original.id) continue;
    *pNode = handle_of(*node);
    return hipSuccess;
  }
  return hipErrorInvalidValue;
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   size_t numDependencies) {
  const auto held = graphs_lock();
  for (const Edge& edge : find_edges(graph, from, to, numDependencies, false)) add_edge(*edge.from, *edge.to);
  return hipSuccess;
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                      size_t numDependencies) {
  const auto held = graphs_lock();
  const auto edges = find_edges(graph, from, to, numDependencies, true);
  if (!edges.empty() && edges.front().from->graph.has_memory_nodes()) return hipErrorNotSupported;
  for (const Edge& edge : edges) remove_edge(*edge.from, *edge.to);
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* numNodes) {
  const auto held = graphs_lock();
  std::vector<hipGraphNode_t> handles;
  for (const auto& node : find_graph(graph)->nodes()) handles.push_back(handle_of(*node));
  return list(handles, nodes, numNodes);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
  const auto held = graphs_lock();
  std::vector<hipGraphNode_t> handles;
  for (const auto& node : find_graph(graph)->nodes())
    if (node->dependencies.empty()) handles.push_back(handle_of(*node));
  return list(handles, pRootNodes, pNumRootNodes);
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* numEdges) {
  const auto held = graphs_lock();
  if (numEdges == nullptr || (from == nullptr) != (to == nullptr)) return hipErrorInvalidValue;
  std::vector<hipGraphNode_t> first, second;
  for (const auto& node : find_graph(graph)->nodes())
    for (GraphNode* const dependent : node->dependents) {
      first.push_back(handle_of(*node));
      second.push_back(handle_of(*dependent));
    }
  size_t places = *numEdges;
  list(first, from, &places);
  return list(second, to, numEdges);
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* pDependencies,
                                       size_t* pNumDependencies) {
  const auto held = graphs_lock();
  return list(handles_of(find_node(node).dependencies), pDependencies, pNumDependencies);
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* pDependentNodes,
                                         size_t* pNumDependentNodes) {
  const auto held = graphs_lock();
  return list(handles_of(find_node(node).dependents), pDependentNodes, pNumDependentNodes);
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* pType) {
  if (pType == nullptr) return hipErrorInvalidValue;
  const auto held = graphs_lock();
  *pType = type_of(find_node(node).work);
  return hipSuccess;
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags) {
  if (path == nullptr) return hipErrorInvalidValue;
  std::string text;
  {
    const auto held = graphs_lock();
    text = dot_of(*find_graph(graph), flags);
  }
  std::ofstream file(path);
  file << text << std::flush;
  return file ? hipSuccess : hipErrorOperatingSystem;
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  KeptByGraph ended;  // destroyed when the lock is released
  const auto held = graphs_lock();
  GraphNode& found = find_node(node);
  if (found.graph.has_memory_nodes()) return hipErrorNotSupported;
  const auto* const child = std::get_if<ChildGraph>(&found.work);
  if (child != nullptr && child->graph->is_captured_into()) return hipErrorInvalidValue;
  ended = found.graph.all_kept();
  leave_capture(found);
  found.graph.remove(found);
  return hipSuccess;
}

}  // namespace heddle::hip::api
