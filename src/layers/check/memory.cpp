// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/memory.h"

#include <utility>

#include <fmt/format.h>

#include "support/intervals.h"

namespace heddle::check {

std::vector<Note> life_of(const Allocation& allocation) {
  std::vector<Note> notes;
  if (allocation.made.function != nullptr)
    notes.push_back({fmt::format("allocated by {}", allocation.made.function), allocation.made.site});
  if (allocation.freed.function != nullptr)
    notes.push_back({fmt::format("freed by {}", allocation.freed.function), allocation.freed.site});
  return notes;
}

void Memory::allocate(const Allocation& allocation) {
  // Addresses are used again; what lay there before is no longer worth a message.
  std::erase_if(freed_, [&](const Allocation& old) {
    return old.begin < allocation.end() && allocation.begin < old.end();
  });
  const uint64_t begin = allocation.begin;
  live_[begin] = allocation;
}

void Memory::free(uint64_t begin, const Event& event) {
  auto node = live_.extract(begin);
  if (node.empty()) return;
  node.mapped().freed = event;
  freed_.push_front(node.mapped());
  if (freed_.size() > remembered) freed_.pop_back();
}

void Memory::keep(uint64_t begin) {
  if (freed_.empty() || freed_.front().begin != begin) return;
  freed_.front().freed = {};
  live_[begin] = freed_.front();
  freed_.pop_front();
}

void Memory::clear() {
  live_.clear();
  freed_.clear();
  locked_.clear();
  registered_.clear();
  complete_ = true;
}

const Allocation* Memory::find(uint64_t address) const {
  const auto found =
      interval_at(live_, address, [](const Allocation& allocation) { return allocation.capacity; });
  return found == live_.end() ? nullptr : &found->second;
}

const Allocation* Memory::find_freed(uint64_t address) const {
  for (const Allocation& allocation : freed_)
    if (allocation.begin <= address && address < allocation.end()) return &allocation;
  return nullptr;
}

std::optional<Finding> Memory::check_free(uint64_t begin) const {
  if (begin == 0 || live_.contains(begin)) return std::nullopt;
  if (const Allocation* inside = find(begin))
    return Finding{&rules::memory_free_unknown,
                   fmt::format("{:#x} lies {} bytes behind the beginning of an allocation of {} bytes", begin,
                               begin - inside->begin, inside->size),
                   life_of(*inside)};
  const Allocation* gone = find_freed(begin);
  if (gone != nullptr && gone->begin == begin)
    return Finding{&rules::memory_freed_twice,
                   fmt::format("the memory at {:#x} has been freed already", begin), life_of(*gone)};
  if (!complete_) return std::nullopt;
  return Finding{&rules::memory_free_unknown, fmt::format("no memory was allocated at {:#x}", begin), {}};
}

std::optional<Finding> Memory::check_range(uint64_t begin, uint64_t size, const char* role) const {
  const Allocation* allocation = find(begin);
  if (allocation == nullptr || size <= allocation->end() - begin) return std::nullopt;
  // Neighbouring virtual memory can be used as one range.
  uint64_t reached = allocation->end();
  while (const Allocation* next = find(reached)) {
    reached = next->end();
    if (size <= reached - begin) return std::nullopt;
  }
  return Finding{&rules::memory_bounds,
                 fmt::format("{} has {} bytes at {:#x}, {} more than its allocation of {} bytes has there",
                             role, size, begin, size - (reached - begin), allocation->size),
                 life_of(*allocation)};
}

bool Memory::unlock(uint64_t address) {
  const auto found = locked_.find(address);
  if (found == locked_.end()) return false;
  found->second.pop_back();
  if (found->second.empty()) locked_.erase(found);
  return true;
}

bool Memory::deregister_range(uint64_t address, uint64_t size) {
  const auto found = registered_.find({address, size});
  if (found == registered_.end()) return false;
  if (--found->second == 0) registered_.erase(found);
  return true;
}

}  // namespace heddle::check
