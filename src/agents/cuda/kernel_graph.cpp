// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/kernel_graph.h"

#include <cassert>

namespace heddle::cuda {

KernelGraph::~KernelGraph() {
  const DriverApi& api = context_.api();
  if (exec_) static_cast<void>(context_.call(api.graph_exec_destroy, exec_));
  if (graph_) static_cast<void>(context_.call(api.graph_destroy, graph_));
}

/// Adds a kernel behind the one before it.
Driven<void> KernelGraph::add_node(size_t place, const KernelLaunch& kernel) {
  const DriverApi& api = context_.api();
  const GraphNode* const before = place == 0 ? nullptr : &nodes_[place - 1];
  const bool early = before && begin_ == Begin::early;
  const size_t ordinary = before && !early ? 1 : 0;
  node_code_[place] = kernel.code;
  if (auto done = api.call(api.graph_add_kernel, &nodes_[place], graph_, ordinary ? before : nullptr,
                           ordinary, &kernel.node);
      !done)
    return done;
  if (!early) return {};
  GraphEdge edge;
  edge.from_port = edge.type = GraphEdge::programmatic;
  const GraphNode* const after = &nodes_[place];
  return api.call(api.graph_add_edges, graph_, before, after, static_cast<const GraphEdge*>(&edge),
                  size_t{1});
}

Driven<void> KernelGraph::instantiate(std::span<const KernelLaunch> kernels) {
  const DriverApi& api = context_.api();
  if (!graph_) {
    if (auto done = api.call(api.graph_create, &graph_, 0u); !done) return done;
    for (size_t i = 0; i < kernels.size(); ++i)
      if (auto done = add_node(i, kernels[i]); !done) {
        // What has been added is of no use.
        static_cast<void>(api.graph_destroy(graph_));
        graph_ = nullptr;
        return done;
      }
  }
  exec_code_ = node_code_;
  return api.call(api.graph_instantiate, &exec_, graph_, 0ull);
}

Driven<void> KernelGraph::launch(std::span<const KernelLaunch> kernels, Stream stream) {
  assert(kernels.size() == nodes_.size());
  const DriverApi& api = context_.api();
  if (!exec_)
    if (auto done = instantiate(kernels); !done) return done;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (auto done = api.call(api.graph_set_kernel, exec_, nodes_[i], &kernels[i].node); !done) return done;
    if (exec_code_[i] != kernels[i].code) exec_code_[i] = kernels[i].code;
  }
  return api.call(api.graph_launch, exec_, stream);
}

}  // namespace heddle::cuda
