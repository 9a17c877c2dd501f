// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "agents/cuda/gpu_context.h"

namespace heddle::cuda {

/// An instantiated graph of one kernel, whose kernel and parameters are set anew for each launch: the fastest
/// way to launch (docs/design.md, D30). One thread uses it at a time.
class KernelGraph {
 public:
  explicit KernelGraph(const GpuContext& context) : context_(context) {}
  ~KernelGraph();
  KernelGraph(const KernelGraph&) = delete;
  KernelGraph& operator=(const KernelGraph&) = delete;

  /// Launches the kernel in the stream, behind what has been launched there. The values of the parameters are
  /// copied. The context has to be that of the thread. `code` keeps the function of the kernel; the graph
  /// holds it for as long as it refers to the function.
  Driven<void> launch(const KernelNode& kernel, const std::shared_ptr<const void>& code, Stream stream);

 private:
  Driven<void> instantiate(const KernelNode& kernel, const std::shared_ptr<const void>& code);

  const GpuContext& context_;
  std::shared_ptr<const void> node_code_, exec_code_;  ///< of the kernels that graph_ and exec_ refer to
  Graph graph_ = nullptr;
  GraphNode node_ = nullptr;
  GraphExec exec_ = nullptr;
};

}  // namespace heddle::cuda
