// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of one kernel, and launches without a graph.
#include <memory>

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
  Launch launch;
  if (const Status status = read_parameters(*node, launch); status != Status::success) return status;
  exec->launch = std::move(launch);
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphLaunch(GraphExec exec, Stream stream) {
  if (sticky() != Status::success) return sticky();
  stream->work.add([launch = exec->launch] { execute(launch); });
  return Status::success;
}
HEDDLE_FAKE Status cuGraphDestroy(Graph graph) {
  delete graph;
  return state_of_context();
}
HEDDLE_FAKE Status cuGraphExecDestroy(GraphExec exec) {
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
  stream->work.add([launch] { execute(launch); });
  return state_of_context();
}
