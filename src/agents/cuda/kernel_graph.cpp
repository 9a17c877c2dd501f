// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/kernel_graph.h"

namespace heddle::cuda {

KernelGraph::~KernelGraph() {
  const DriverApi& api = context_.api();
  if (exec_) static_cast<void>(context_.call(api.graph_exec_destroy, exec_));
  if (graph_) static_cast<void>(context_.call(api.graph_destroy, graph_));
}

Driven<void> KernelGraph::instantiate(const KernelNode& kernel, const std::shared_ptr<const void>& code) {
  const DriverApi& api = context_.api();
  if (!graph_)
    if (auto done = api.call(api.graph_create, &graph_, 0u); !done) return done;
  if (!node_) {
    node_code_ = code;
    if (auto done = api.call(api.graph_add_kernel, &node_, graph_, static_cast<const GraphNode*>(nullptr),
                             size_t{0}, &kernel);
        !done)
      return done;
  }
  exec_code_ = node_code_;
  return api.call(api.graph_instantiate, &exec_, graph_, 0ull);
}

Driven<void> KernelGraph::launch(const KernelNode& kernel, const std::shared_ptr<const void>& code,
                                 Stream stream) {
  const DriverApi& api = context_.api();
  if (!exec_)
    if (auto done = instantiate(kernel, code); !done) return done;
  if (auto done = api.call(api.graph_set_kernel, exec_, node_, &kernel); !done) return done;
  if (exec_code_ != code) exec_code_ = code;
  return api.call(api.graph_launch, exec_, stream);
}

}  // namespace heddle::cuda
