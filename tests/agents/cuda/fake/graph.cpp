// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of kernels that run one after the other.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernel.h"
#include "stream.h"

namespace heddle::cuda {
struct GraphNodeObject {
  fake::Launch launch;
  const GraphNodeObject* before = nullptr;
  bool begins_early = false;
};
struct GraphObject {
  std::vector<std::unique_ptr<GraphNodeObject>> nodes;
};
struct GraphExecObject {
  struct Node {
    const GraphNodeObject* node;
    fake::Launch launch;
  };
  std::vector<Node> nodes;
};
}  // namespace heddle::cuda

namespace heddle::cuda::fake {
namespace {

/// Complains about a graph with a function whose module has been unloaded.
void expect_loaded(const char* called, const Launch& launch) {
  if (launch.function && launch.function->is_unloaded)
    control().complain(std::string(called) + " for a graph whose module has been unloaded");
}

/// Adds a launch to what a stream does. The module has it in flight until it has been done or dropped.
void add(Work& work, const Launch& launch) {
  std::atomic<int>& launches = launch.function->module->launches;
  ++launches;
  const std::shared_ptr<std::atomic<int>> in_flight(&launches, [](std::atomic<int>* count) { --*count; });
  work.add([launch, in_flight] { execute(launch); });
}

}  // namespace
}  // namespace heddle::cuda::fake

using namespace heddle::cuda;
using namespace heddle::cuda::fake;

HEDDLE_FAKE Status cuGraphCreate(Graph* out, unsigned) {
  *out = new GraphObject;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphAddKernelNode(GraphNode* out, Graph graph, const GraphNode* before, size_t count,
                                        const KernelNode* node) {
  if (count > 1) return Status::invalid_value;
  auto made = std::make_unique<GraphNodeObject>();
  if (const Status status = read_parameters(*node, made->launch); status != Status::success) return status;
  if (count == 1) made->before = *before;
  *out = made.get();
  graph->nodes.push_back(std::move(made));
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphAddDependencies_v2(Graph, const GraphNode* before, const GraphNode* after,
                                             const GraphEdge* edge, size_t count) {
  if (!control().machine.has_early_kernels) return Status::not_supported;
  if (count != 1 || (*after)->before) return Status::invalid_value;
  (*after)->before = *before;
  (*after)->begins_early =
      edge->type == GraphEdge::programmatic && edge->from_port == GraphEdge::programmatic;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphInstantiateWithFlags(GraphExec* out, Graph graph, unsigned long long) {
  if (graph->nodes.empty()) return Status::invalid_value;
  const GraphNodeObject* last = nullptr;
  auto made = std::make_unique<GraphExecObject>();
  for (const auto& node : graph->nodes) {
    if (node->before != last) control().complain("the kernels of a graph do not follow each other");
    last = node.get();
    made->nodes.push_back({last, last->launch});
  }
  *out = made.release();
  ++control().graphs_made;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphExecKernelNodeSetParams(GraphExec exec, GraphNode which, const KernelNode* node) {
  const auto found = std::ranges::find(exec->nodes, which, &GraphExecObject::Node::node);
  if (found == exec->nodes.end()) return Status::invalid_value;
  expect_loaded("cuGraphExecKernelNodeSetParams", found->launch);
  expect_loaded("cuGraphExecKernelNodeSetParams", which->launch);
  Launch launch;
  if (const Status status = read_parameters(*node, launch); status != Status::success) return status;
  found->launch = std::move(launch);
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphLaunch(GraphExec exec, Stream stream) {
  if (sticky() != Status::success) return sticky();
  if (const Status status = control().status_before("cuGraphLaunch"); status != Status::success)
    return status;
  for (const auto& [node, launch] : exec->nodes) {
    expect_loaded("cuGraphLaunch", launch);
    if (node->begins_early && !launch.function->module->waits_for_predecessors)
      control().complain("a kernel may begin early that does not wait for the one ahead of it");
    if (node->begins_early) ++control().early_kernels;
    add(stream->work, launch);
  }
  return Status::success;
}
HEDDLE_FAKE Status cuGraphDestroy(Graph graph) {
  for (const auto& node : graph->nodes) expect_loaded("cuGraphDestroy", node->launch);
  delete graph;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphExecDestroy(GraphExec exec) {
  for (const auto& node : exec->nodes) expect_loaded("cuGraphExecDestroy", node.launch);
  delete exec;
  return state_of_context();
}
