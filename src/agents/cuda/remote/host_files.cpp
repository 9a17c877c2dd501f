// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/host_files.h"

#include <algorithm>
#include <iterator>

#include "support/align.h"
#include "support/fork_handler.h"

namespace heddle::cuda::remote {
namespace {

constexpr uint64_t page = 4096;

}  // namespace

void HostFiles::add(const void* base, uint64_t size, const Place& place) {
  std::lock_guard lock(mutex_);
  ranges_.insert_or_assign(reinterpret_cast<uint64_t>(base), Range{align_up(size, page), place});
}

void HostFiles::remove(const void* base) {
  std::lock_guard lock(mutex_);
  ranges_.erase(reinterpret_cast<uint64_t>(base));
}

/// Memory may have been told of in several pieces, which follow each other in the file, too.
std::optional<HostFiles::Place> HostFiles::find(uint64_t address, uint64_t size) const {
  std::lock_guard lock(mutex_);
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return std::nullopt;
  range = std::prev(range);
  if (address - range->first >= range->second.size) return std::nullopt;
  const Place place = {range->second.place.file, range->second.place.offset + (address - range->first)};
  uint64_t covered = range->first + range->second.size;
  while (covered < address + size) {
    range = std::next(range);
    if (range == ranges_.end() || range->first != covered || range->second.place.file != place.file ||
        range->second.place.offset != place.offset + (covered - address))
      return std::nullopt;
    covered += range->second.size;
  }
  return place;
}

void HostFiles::forget_parent() noexcept {
  abandon(mutex_);
  abandon(ranges_);
}

}  // namespace heddle::cuda::remote
