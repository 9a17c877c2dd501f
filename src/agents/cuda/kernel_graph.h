// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "agents/cuda/gpu_context.h"

namespace heddle::cuda {

/// A kernel that is to be launched, and what keeps its function.
struct KernelLaunch {
  KernelNode node;
  std::shared_ptr<const void> code;
};

/// An instantiated graph of kernels that run one after the other, which are set anew for each launch: the
/// fastest way to launch (docs/design.md, D30). One thread uses it at a time.
class KernelGraph {
 public:
  /// When a kernel may begin.
  enum class Begin : uint8_t {
    behind,  ///< when the one ahead of it has ended
    early,   ///< before that, because it waits for its predecessor itself (kernel_waits_for_predecessor)
  };

  KernelGraph(const GpuContext& context, size_t length, Begin begin)
      : context_(context), begin_(begin), nodes_(length), node_code_(length), exec_code_(length) {}
  ~KernelGraph();
  KernelGraph(const KernelGraph&) = delete;
  KernelGraph& operator=(const KernelGraph&) = delete;

  /// Launches as many kernels as the graph is long in the stream, behind what has been launched there. The
  /// values of the parameters are copied. The context has to be that of the thread. The graph keeps the code
  /// for as long as it refers to the functions. Fails with Status::not_supported if the driver is too old to
  /// let kernels begin early. After any error, none of the kernels has been launched.
  Driven<void> launch(std::span<const KernelLaunch> kernels, Stream stream);

 private:
  Driven<void> instantiate(std::span<const KernelLaunch> kernels);
  Driven<void> add_node(size_t place, const KernelLaunch& kernel);

  const GpuContext& context_;
  const Begin begin_;
  Graph graph_ = nullptr;
  std::vector<GraphNode> nodes_;
  std::vector<std::shared_ptr<const void>> node_code_, exec_code_;  ///< of what graph_ and exec_ refer to
  GraphExec exec_ = nullptr;
};

}  // namespace heddle::cuda
