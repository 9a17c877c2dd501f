// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of one kernel, and launches without a graph.
#include <algorithm>
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
HEDDLE_FAKE Status cuLaunchKernelEx(const LaunchConfiguration* configuration, Function function,
                                    void** arguments, void**) {
  if (sticky() != Status::success) return sticky();
  if (const Status status = control().status_before("cuLaunchKernelEx"); status != Status::success)
    return status;
  KernelNode node;
  node.function = function;
  std::copy(std::begin(configuration->grid), std::end(configuration->grid), node.grid);
  std::copy(std::begin(configuration->block), std::end(configuration->block), node.block);
  node.shared_size = configuration->shared_size;
  node.arguments = arguments;
  Launch launch;
  if (const Status status = read_parameters(node, launch); status != Status::success) return status;
  for (unsigned i = 0; i < configuration->attribute_count; ++i) {
    const LaunchAttribute& attribute = configuration->attributes[i];
    if (attribute.id != LaunchAttribute::Id::may_begin_early) return Status::invalid_value;
    if (attribute.value == 0) continue;
    ++control().early_kernels;
    if (!function->module->waits_for_predecessors)
      control().complain("a kernel may begin early that does not wait for the one ahead of it");
  }
  add(configuration->stream->work, launch);
  return state_of_context();
}
