// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of one kernel, and launches without a graph.
#include <memory>
#include <string>

#include "kernel.h"
#include "stream.h"

namespace heddle::cuda {
struct GraphNodeObject {
  fake::Launch launch;
};
struct GraphObject {
  std::unique_ptr<GraphNodeObject> node;
};
struct GraphExecObject {
  const GraphNodeObject* node;
  fake::Launch launch;
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
HEDDLE_FAKE Status cuGraphAddKernelNode(GraphNode* out, Graph graph, const GraphNode*, size_t before,
                                        const KernelNode* node) {
  if (before != 0 || graph->node) return Status::invalid_value;
  auto made = std::make_unique<GraphNodeObject>();
  if (const Status status = read_parameters(*node, made->launch); status != Status::success) return status;
  *out = made.get();
  graph->node = std::move(made);
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphInstantiateWithFlags(GraphExec* out, Graph graph, unsigned long long) {
  if (!graph->node) return Status::invalid_value;
  *out = new GraphExecObject{graph->node.get(), graph->node->launch};
  ++control().graphs_made;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphExecKernelNodeSetParams(GraphExec exec, GraphNode which, const KernelNode* node) {
  if (which != exec->node) return Status::invalid_value;
  expect_loaded("cuGraphExecKernelNodeSetParams", exec->launch);
  expect_loaded("cuGraphExecKernelNodeSetParams", which->launch);
  Launch launch;
  if (const Status status = read_parameters(*node, launch); status != Status::success) return status;
  exec->launch = std::move(launch);
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphLaunch(GraphExec exec, Stream stream) {
  if (sticky() != Status::success) return sticky();
  if (const Status status = control().status_before("cuGraphLaunch"); status != Status::success)
    return status;
  expect_loaded("cuGraphLaunch", exec->launch);
  add(stream->work, exec->launch);
  return Status::success;
}
HEDDLE_FAKE Status cuGraphDestroy(Graph graph) {
  if (graph->node) expect_loaded("cuGraphDestroy", graph->node->launch);
  delete graph;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphExecDestroy(GraphExec exec) {
  expect_loaded("cuGraphExecDestroy", exec->launch);
  delete exec;
  return state_of_context();
}
HEDDLE_FAKE Status cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size,
                                  Stream stream, void** arguments, void**) {
  KernelNode node;
  node.function = function;
  const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
  std::copy(std::begin(grid), std::end(grid), node.grid);
  std::copy(std::begin(block), std::end(block), node.block);
  node.shared_size = shared_size;
  node.arguments = arguments;
  Launch launch;
  if (const Status status = read_parameters(node, launch); status != Status::success) return status;
  add(stream->work, launch);
  return state_of_context();
}
