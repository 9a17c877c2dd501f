// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/accessible_memory.h"

#include <algorithm>

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
  std::shared_ptr<const RangeTable> table(
      new RangeTable(device, *address, static_cast<uint32_t>(ranges.size())));
  is_owned = true;
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
  is_current_ = false;
}

void AccessibleMemory::remove(const void* base) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = added_.find(number(base));
  if (found == added_.end()) return;
  added_.erase(found);
  is_current_ = false;
}

std::vector<MemoryRange> AccessibleMemory::joined() const {
  std::vector<MemoryRange> ranges;
  for (const auto& [base, size] : added_) {
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
  return joined();
}

Driven<std::shared_ptr<const RangeTable>> AccessibleMemory::table() {
  std::lock_guard lock(mutex_);
  const uint64_t generation = context_.generation();
  if (is_current_ && generation_ == generation) return table_;
  auto made = RangeTable::create(context_, device_, joined());
  if (!made) return made;
  table_ = *made;
  generation_ = generation;
  is_current_ = true;
  return made;
}

}  // namespace heddle::cuda
