// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/accessible_memory.h"

#include <algorithm>
#include <utility>

#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

using ptx_kernel::MemoryRange;

/// The generic driver tells of host memory that is larger than 2 GiB in pieces, which are one range for
/// kernels. Smaller neighbours are allocations of their own, which no access may span.
constexpr uint64_t least_piece = uint64_t{1} << 30;

uint64_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

}  // namespace

Driven<std::shared_ptr<const RangeTable>> RangeTable::create(GpuContext& context, DeviceMemory& device,
                                                             const std::vector<MemoryRange>& ranges) {
  const uint64_t bytes = ranges.size() * sizeof(MemoryRange);
  const auto address = device.allocate(std::max<uint64_t>(bytes, sizeof(MemoryRange)), alignof(MemoryRange));
  if (!address) return address.error();
  bool is_owned = false;
  const Finally give_back([&] {
    if (!is_owned) device.free(*address);
  });
  std::unique_ptr<const RangeTable> owner(
      new RangeTable(device, *address, static_cast<uint32_t>(ranges.size())));
  is_owned = true;
  std::shared_ptr<const RangeTable> table(std::move(owner));
  if (ranges.empty()) return table;
  // Not in the stream of a queue: that would wait for its kernels, which may wait for the next one.
  if (auto done = context.call(context.api().copy_to_device, *address,
                               static_cast<const void*>(ranges.data()), size_t{bytes}, Stream{});
      !done)
    return done.error();
  if (auto done = context.call(context.api().stream_synchronize, Stream{}); !done) return done.error();
  return table;
}

RangeTable::~RangeTable() { device_.free(address_); }

void AccessibleMemory::add(const void* base, uint64_t size) {
  std::lock_guard lock(mutex_);
  added_.emplace(number(base), size);
  changes_.fetch_add(1, std::memory_order_release);
}

void AccessibleMemory::remove(const void* base) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = added_.find(number(base));
  if (found == added_.end()) return;
  added_.erase(found);
  changes_.fetch_add(1, std::memory_order_release);
}

void AccessibleMemory::include(const std::shared_ptr<const AccessibleMemory>& peer) {
  std::lock_guard lock(mutex_);
  const auto is_peer = [&](const auto& other) { return other.lock() == peer; };
  if (std::ranges::any_of(peers_, is_peer)) return;
  peers_.push_back(peer);
  changes_.fetch_add(1, std::memory_order_release);
}

AccessibleMemory::Added AccessibleMemory::copy() const {
  std::lock_guard lock(mutex_);
  return added_;
}

std::vector<MemoryRange> AccessibleMemory::joined(const Added& added) {
  std::vector<MemoryRange> ranges;
  for (const auto& [base, size] : added) {
    if (size == 0) continue;
    MemoryRange* const last = ranges.empty() ? nullptr : &ranges.back();
    const uint64_t end = last ? last->begin + last->size : 0;
    if (last && (base < end || (base == end && last->size >= least_piece)))
      last->size = std::max(end, base + size) - last->begin;
    else
      ranges.push_back({base, size});
  }
  return ranges;
}

std::vector<MemoryRange> AccessibleMemory::ranges() const {
  std::lock_guard lock(mutex_);
  return joined(added_);
}

/// The locks of peers are taken while this one is not held, because they may include this.
Driven<std::shared_ptr<const RangeTable>> AccessibleMemory::table() {
  std::vector<std::shared_ptr<const AccessibleMemory>> peers;
  std::unique_lock lock(mutex_);
  for (const auto& peer : peers_)
    if (auto there = peer.lock()) peers.push_back(std::move(there));
  uint64_t changes = changes_.load(std::memory_order_relaxed);
  for (const auto& peer : peers) changes += peer->changes_.load(std::memory_order_acquire);
  const uint64_t generation = context_.generation();
  if (table_changes_ == changes && generation_ == generation) return table_;
  Added added = added_;
  lock.unlock();
  for (const auto& peer : peers) added.merge(peer->copy());
  auto made = RangeTable::create(context_, device_, joined(added));
  if (!made) return made;
  lock.lock();
  table_ = *made;
  generation_ = generation;
  table_changes_ = changes;
  return made;
}

}  // namespace heddle::cuda
