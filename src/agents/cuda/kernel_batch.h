// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "agents/cuda/kernel.h"
#include "agents/cuda/kernel_graph.h"

namespace heddle::cuda {

/// Kernels that wait to be launched together. Kernels that are launched as one graph cost the host a third to
/// a half of what separate launches cost, and leave shorter gaps on the GPU (docs/design.md, D30). One thread
/// uses it.
class KernelBatch {
 public:
  /// The most kernels that are launched together.
  static constexpr size_t capacity = 8;

  explicit KernelBatch(const GpuContext& context) : context_(context) {}

  size_t size() const { return size_; }
  bool is_full() const { return size_ == capacity; }
  /// Adds a kernel behind the others. Copies the values of its arguments, of which there are two. There must
  /// be room. Throws std::bad_alloc; the batch is then as before.
  void add(const KernelNode& node, const std::shared_ptr<Kernel>& kernel);
  /// Launches all kernels in their order, and leaves the batch empty. If one cannot be launched, those before
  /// it have been, and those behind it are dropped. The context has to be that of the thread.
  Driven<void> launch(Stream stream);
  /// The kernel that launch() could not launch, if it has failed; otherwise null.
  const std::shared_ptr<const Kernel>& refused() const { return refused_; }
  /// Drops the kernels that wait.
  void clear() noexcept;

 private:
  /// The lengths of the graphs, the longest first. A batch is launched as the fewest graphs of these lengths.
  static constexpr std::array<size_t, 4> lengths = {capacity, 4, 2, 1};
  struct Values {
    std::vector<std::byte> bytes[2];  ///< of the arguments; they keep their memory
    void* places[2] = {};
  };

  Driven<void> launch_part(size_t first, size_t length_index, Stream stream);
  Driven<void> launch_each(size_t first, size_t count, Stream stream);
  bool may_begin_early(std::span<const KernelLaunch> kernels) const;
  KernelGraph& graph(size_t length_index, KernelGraph::Begin begin);

  const GpuContext& context_;
  size_t size_ = 0;
  KernelLaunch kernels_[capacity];
  Values values_[capacity];
  std::shared_ptr<const Kernel> refused_;
  std::unique_ptr<KernelGraph> graphs_[2][lengths.size()];  ///< by Begin and length, made when first needed
  bool driver_begins_early_ = true;                         ///< as far as is known
};

}  // namespace heddle::cuda
