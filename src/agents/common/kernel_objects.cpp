// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/kernel_objects.h"

namespace heddle::agents {

uint64_t KernelObjects::add(std::shared_ptr<void> kernel) {
  std::unique_lock lock(mutex_);
  if (free_count_ <= free_minimum) add_slab();
  const uint64_t handle = free_[free_first_];
  live_.emplace(handle, std::move(kernel));
  free_first_ = (free_first_ + 1) % free_.size();
  --free_count_;
  return handle;
}

void KernelObjects::add_slab() {
  std::vector<uint64_t> ring;
  ring.reserve(free_.size() + slab_blocks);
  for (size_t i = 0; i < free_count_; ++i) ring.push_back(free_[(free_first_ + i) % free_.size()]);
  const auto& slab = slabs_.emplace_back(std::make_unique<Block[]>(slab_blocks));
  for (size_t i = 0; i < slab_blocks; ++i) ring.push_back(reinterpret_cast<uint64_t>(&slab[i]));
  free_count_ = ring.size();
  ring.resize(ring.capacity());
  free_ = std::move(ring);
  free_first_ = 0;
}

void KernelObjects::remove(uint64_t handle) {
  std::shared_ptr<void> last;  // destroyed outside the lock
  std::unique_lock lock(mutex_);
  const auto found = live_.find(handle);
  if (found == live_.end()) return;
  last = std::move(found->second);
  live_.erase(found);
  free_[(free_first_ + free_count_++) % free_.size()] = handle;
  lock.unlock();
}

std::shared_ptr<void> KernelObjects::find(uint64_t handle) const {
  std::shared_lock lock(mutex_);
  const auto found = live_.find(handle);
  return found == live_.end() ? nullptr : found->second;
}

/// Abandons everything, because a thread of the parent may have held the lock and left the list half changed.
void KernelObjects::forget_parent() noexcept {
  abandon(mutex_);
  abandon(live_);
  abandon(slabs_);
  abandon(free_);
  free_first_ = free_count_ = 0;
}

}  // namespace heddle::agents
