// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/kernel_objects.h"

namespace heddle::agents {

uint64_t KernelObjects::add(std::shared_ptr<void> kernel) {
  std::unique_lock lock(mutex_);
  if (free_.size() - free_first_ <= free_minimum) {
    const auto& slab = slabs_.emplace_back(new Block[slab_blocks]);
    // First in, first out: drop what has been taken before the vector grows.
    free_.erase(free_.begin(), free_.begin() + static_cast<ptrdiff_t>(free_first_));
    free_first_ = 0;
    for (size_t i = 0; i < slab_blocks; ++i) free_.push_back(reinterpret_cast<uint64_t>(&slab[i]));
  }
  const uint64_t handle = free_[free_first_++];
  live_.emplace(handle, std::move(kernel));
  return handle;
}

void KernelObjects::remove(uint64_t handle) {
  std::shared_ptr<void> last;  // destroyed outside the lock
  std::unique_lock lock(mutex_);
  const auto found = live_.find(handle);
  if (found == live_.end()) return;
  last = std::move(found->second);
  live_.erase(found);
  free_.push_back(handle);
  lock.unlock();
}

std::shared_ptr<void> KernelObjects::find(uint64_t handle) const {
  std::shared_lock lock(mutex_);
  const auto found = live_.find(handle);
  return found == live_.end() ? nullptr : found->second;
}

}  // namespace heddle::agents
