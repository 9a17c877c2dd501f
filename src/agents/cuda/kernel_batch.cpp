// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/kernel_batch.h"

#include <algorithm>
#include <cassert>

#include "support/exception_safety.h"

namespace heddle::cuda {

void KernelBatch::add(const KernelNode& node, const std::shared_ptr<Kernel>& kernel) {
  assert(!is_full());
  Values& values = values_[size_];
  for (int i = 0; i < 2; ++i) {
    const auto* bytes = static_cast<const std::byte*>(node.arguments[i]);
    values.bytes[i].assign(bytes, bytes + node.argument_sizes[i]);
    values.places[i] = values.bytes[i].data();
  }
  kernels_[size_] = {node, kernel};
  kernels_[size_].node.arguments = values.places;
  ++size_;
}

void KernelBatch::clear() noexcept {
  while (size_ != 0) kernels_[--size_].code = nullptr;
}

/// Whether each kernel waits for the one ahead of it by itself. The first one follows what is no part of the
/// graph.
bool KernelBatch::may_begin_early(std::span<const KernelLaunch> kernels) const {
  return driver_begins_early_ && kernels.size() > 1 &&
         std::ranges::all_of(kernels.subspan(1), [](const KernelLaunch& launch) {
           const auto& kernel = *static_cast<const Kernel*>(launch.code.get());
           return (kernel.info.flags & codeobject::kernel_waits_for_predecessor) != 0;
         });
}

KernelGraph& KernelBatch::graph(size_t length_index, KernelGraph::Begin begin) {
  auto& graph = graphs_[static_cast<size_t>(begin)][length_index];
  if (!graph) graph = std::make_unique<KernelGraph>(context_, lengths[length_index], begin);
  return *graph;
}

Driven<void> KernelBatch::launch_part(size_t first, size_t length_index, Stream stream) {
  const std::span<const KernelLaunch> kernels(kernels_ + first, lengths[length_index]);
  if (may_begin_early(kernels)) {
    auto done = graph(length_index, KernelGraph::Begin::early).launch(kernels, stream);
    if (done || done.error().status != Status::not_supported) return done;
    driver_begins_early_ = false;
  }
  return graph(length_index, KernelGraph::Begin::behind).launch(kernels, stream);
}

/// Launches kernels one by one, up to the one that cannot be launched.
Driven<void> KernelBatch::launch_each(size_t first, size_t count, Stream stream) {
  for (size_t i = first; i < first + count; ++i)
    if (auto done = launch_part(i, lengths.size() - 1, stream); !done) {
      refused_ = std::static_pointer_cast<const Kernel>(kernels_[i].code);
      return done;
    }
  return {};
}

Driven<void> KernelBatch::launch(Stream stream) {
  const Finally emptied([&] { clear(); });
  refused_ = nullptr;
  for (size_t first = 0, length_index = 0; first < size_; first += lengths[length_index]) {
    while (lengths[length_index] > size_ - first) ++length_index;
    const size_t length = lengths[length_index];
    // If several cannot be launched together, none of them has been, perhaps because of a single one.
    if (length > 1 && launch_part(first, length_index, stream)) continue;
    if (auto done = launch_each(first, length, stream); !done) return done;
  }
  return {};
}

}  // namespace heddle::cuda
