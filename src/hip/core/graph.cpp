// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <unordered_map>

#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

LaunchShape shape_of(const hipKernelNodeParams& params) {
  return shape_of_groups(params.gridDim, params.blockDim, params.sharedMemBytes);
}

dim3 groups_of(const LaunchShape& shape) {
  return {shape.grid.x / shape.group.x, shape.grid.y / shape.group.y, shape.grid.z / shape.group.z};
}

}  // namespace

KernelNode::KernelNode(const hipKernelNodeParams& params, const Function& function)
    : KernelNode(params.func, function, shape_of(params),
                 launch_arguments(params.kernelParams, params.extra)) {}

KernelNode::KernelNode(const void* host, const Function& function, const LaunchShape& shape,
                       const LaunchArguments& arguments)
    : launch_(prepare(function, shape, arguments)) {
  for (const KernelArgument& argument : function.kernel.arguments)
    each_.push_back(launch_.arguments.data() + argument.offset);
  params_.func = const_cast<void*>(host);
  params_.gridDim = groups_of(shape);
  params_.blockDim = shape.group;
  params_.sharedMemBytes = static_cast<unsigned>(shape.dynamic_group_size);
  params_.kernelParams = each_.empty() ? nullptr : each_.data();
}

// Programs that were compiled with the headers of HIP 5.2 know these numbers, which later versions have
// changed.
static_assert(hipGraphNodeTypeKernel == 1 && hipGraphNodeTypeEmpty == 6 && hipGraphNodeTypeEventRecord == 8 &&
              hipGraphNodeTypeMemcpy1D == 9 && hipGraphNodeTypeMemcpyToSymbol == 11);

hipGraphNodeType type_of(const Work& work) {
  constexpr std::array types{hipGraphNodeTypeKernel, hipGraphNodeTypeMemcpy,   hipGraphNodeTypeMemcpy1D,
                             hipGraphNodeTypeCount,  hipGraphNodeTypeMemset,   hipGraphNodeTypeHost,
                             hipGraphNodeTypeGraph,  hipGraphNodeTypeEmpty,    hipGraphNodeTypeCount,
                             hipGraphNodeTypeMemcpy, hipGraphNodeTypeMemAlloc, hipGraphNodeTypeMemFree};
  static_assert(types.size() == std::variant_size_v<Work>);
  if (const auto* const copy = std::get_if<CopySymbol>(&work))
    return copy->to_symbol ? hipGraphNodeTypeMemcpyToSymbol : hipGraphNodeTypeMemcpyFromSymbol;
  if (const auto* const event = std::get_if<EventWork>(&work))
    return event->records ? hipGraphNodeTypeEventRecord : hipGraphNodeTypeWaitEvent;
  return types[work.index()];
}

uint64_t Graph::next_id() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Graph::~Graph() {
  for (const auto& node : nodes_) {
    if (visible_ == Visible::no) continue;
    GraphHandles::get().nodes.take(handle_of(*node));
    if (auto* const child = std::get_if<ChildGraph>(&node->work))
      GraphHandles::get().graphs.take(handle_of(*child->graph));
  }
}

GraphNode& Graph::add(Work work, Device& device, const std::vector<GraphNode*>& dependencies) {
  const uint64_t number = next_id();
  auto node = std::make_shared<GraphNode>(GraphNode{*this, number, number, &device, std::move(work), {}, {}});
  if (visible_ == Visible::yes) {
    GraphHandles::get().nodes.add(node);
    if (auto* const child = std::get_if<ChildGraph>(&node->work)) {
      child->graph->of_node = true;
      GraphHandles::get().graphs.add(child->graph);
    }
  }
  nodes_.push_back(node);
  for (GraphNode* const dependency : dependencies) add_edge(*dependency, *node);
  return *node;
}

void Graph::remove(GraphNode& node) {
  while (!node.dependencies.empty()) remove_edge(*node.dependencies.back(), node);
  while (!node.dependents.empty()) remove_edge(node, *node.dependents.back());
  if (visible_ == Visible::yes) {
    GraphHandles::get().nodes.take(handle_of(node));
    if (auto* const child = std::get_if<ChildGraph>(&node.work))
      GraphHandles::get().graphs.take(handle_of(*child->graph));
  }
  std::erase_if(nodes_, [&](const auto& own) { return own.get() == &node; });
}

std::shared_ptr<Graph> Graph::clone(Visible visible) const {
  auto copy = std::make_shared<Graph>(visible);
  copy->origin = id;
  copy->user_objects = user_objects;
  std::unordered_map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes_) {
    Work work = node->work;
    if (auto* const child = std::get_if<ChildGraph>(&work)) child->graph = child->graph->clone(visible);
    GraphNode& made = copy->add(std::move(work), *node->device, {});
    made.origin = node->id;
    made.attributes = node->attributes;
    made.enabled = node->enabled;
    copies.emplace(node.get(), &made);
  }
  for (const auto& node : nodes_)
    for (const GraphNode* const dependency : node->dependencies)
      add_edge(*copies.at(dependency), *copies.at(node.get()));
  return copy;
}

UserObjects Graph::all_user_objects() const {
  UserObjects all = user_objects;
  for (const auto& node : nodes_)
    if (const auto* const child = std::get_if<ChildGraph>(&node->work))
      all.merge(child->graph->all_user_objects());
  return all;
}

KeptByGraph Graph::all_kept() const {
  KeptByGraph kept{all_user_objects(), {}};
  add_memory(kept.memory);
  return kept;
}

void Graph::add_memory(std::vector<std::shared_ptr<GraphMemory>>& memory) const {
  for (const auto& node : nodes_)
    if (const auto* const allocate = std::get_if<AllocateWork>(&node->work))
      memory.push_back(allocate->memory);
    else if (const auto* const free = std::get_if<FreeWork>(&node->work))
      memory.push_back(free->memory);
    else if (const auto* const child = std::get_if<ChildGraph>(&node->work))
      child->graph->add_memory(memory);
}

bool Graph::is_captured_into() const {
  return captures || std::ranges::any_of(nodes_, [](const auto& node) {
           const auto* const child = std::get_if<ChildGraph>(&node->work);
           return child != nullptr && child->graph->is_captured_into();
         });
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    const auto* const child = std::get_if<ChildGraph>(&node->work);
    return std::holds_alternative<AllocateWork>(node->work) || std::holds_alternative<FreeWork>(node->work) ||
           (child != nullptr && child->graph->has_memory_nodes());
  });
}

std::vector<GraphNode*> Graph::ordered(GraphNode** culprit) const {
  // Of the nodes that are ready, the one that became so last is taken: branches stay together.
  std::unordered_map<const GraphNode*, size_t> missing;
  std::vector<GraphNode*> ready, order;
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    missing[node->get()] = (*node)->dependencies.size();
    if ((*node)->dependencies.empty()) ready.push_back(node->get());
  }
  while (!ready.empty()) {
    GraphNode* const node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (auto next = node->dependents.rbegin(); next != node->dependents.rend(); ++next)
      if (--missing.at(*next) == 0) ready.push_back(*next);
  }
  if (order.size() == nodes_.size()) return order;
  if (culprit != nullptr)
    for (const auto& node : nodes_)
      if (missing.at(node.get()) != 0) *culprit = node.get();
  throw Failure(hipErrorInvalidValue, "the edges of the graph make a circle");
}

void add_edge(GraphNode& from, GraphNode& to) {
  assert(&from.graph == &to.graph && !has_edge(from, to));
  from.dependents.push_back(&to);
  to.dependencies.push_back(&from);
}

bool has_edge(const GraphNode& from, const GraphNode& to) {
  return std::ranges::find(to.dependencies, &from) != to.dependencies.end();
}

void remove_edge(GraphNode& from, GraphNode& to) {
  std::erase(from.dependents, &to);
  std::erase(to.dependencies, &from);
}

GraphHandles& GraphHandles::get() {
  static auto* const handles = new GraphHandles;  // destructors of programs may still use it
  return *handles;
}

std::unique_lock<std::recursive_mutex> graphs_lock() {
  static auto* const mutex = new std::recursive_mutex;
  return std::unique_lock(*mutex);
}

std::shared_ptr<Graph> find_graph(hipGraph_t handle) {
  auto graph = GraphHandles::get().graphs.find(handle);
  if (graph == nullptr) throw Failure(hipErrorInvalidValue, "there is no such graph");
  return graph;
}

GraphNode& find_node(hipGraphNode_t handle) {
  const auto node = GraphHandles::get().nodes.find(handle);
  if (node == nullptr) throw Failure(hipErrorInvalidValue, "there is no such node");
  return *node;
}

std::shared_ptr<GraphExec> find_executable(hipGraphExec_t handle) {
  auto executable = GraphHandles::get().executables.find(handle);
  if (executable == nullptr) throw Failure(hipErrorInvalidValue, "there is no such executable graph");
  return executable;
}

std::vector<GraphNode*> find_nodes(const Graph& graph, const hipGraphNode_t* handles, size_t count) {
  if (handles == nullptr && count != 0) throw Failure(hipErrorInvalidValue);
  std::vector<GraphNode*> found;
  for (size_t i = 0; i < count; ++i) {
    GraphNode& node = find_node(handles[i]);
    if (&node.graph != &graph) throw Failure(hipErrorInvalidValue, "the node belongs to another graph");
    if (std::ranges::find(found, &node) != found.end())
      throw Failure(hipErrorInvalidValue, "a node is listed twice");
    found.push_back(&node);
  }
  return found;
}

hipGraph_t handle_of(Graph& graph) { return reinterpret_cast<hipGraph_t>(&graph); }
hipGraphNode_t handle_of(GraphNode& node) { return reinterpret_cast<hipGraphNode_t>(&node); }

}  // namespace heddle::hip
