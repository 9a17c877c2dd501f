// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "support/fork_handler.h"

namespace heddle::agents {

/// Gives out kernel objects (the 64-bit handle in dispatch packets) and finds what they stand for. A kernel
/// object is the address of 256 readable bytes, because existing clients look inside as if it were AMD's
/// kernel descriptor: the first words are zero, the rest is ours. Any number may be looked up. Blocks are
/// never unmapped, and a freed block is used again only after many others, so that stale handles are detected
/// for as long as possible. The child of a fork starts without any kernel objects.
class KernelObjects {
 public:
  /// A new handle for `kernel`, never 0.
  uint64_t add(std::shared_ptr<void> kernel);
  void remove(uint64_t handle);
  /// What the handle stands for; null if it is no live kernel object of this agent.
  std::shared_ptr<void> find(uint64_t handle) const;

 private:
  struct alignas(256) Block {
    uint8_t bytes[256] = {};
  };
  static constexpr size_t slab_blocks = 256;
  static constexpr size_t free_minimum = 128;

  mutable std::shared_mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<void>> live_;
  std::vector<std::unique_ptr<Block[]>> slabs_;
  // A ring of free blocks, oldest first. Its capacity is the number of all blocks, so that remove() never
  // allocates.
  std::vector<uint64_t> free_;
  size_t free_first_ = 0;
  size_t free_count_ = 0;

  void add_slab();
  void forget_parent() noexcept;

  const ForkHandler fork_handler_{
      [](void* objects) noexcept { static_cast<KernelObjects*>(objects)->forget_parent(); }, this};
};

}  // namespace heddle::agents
