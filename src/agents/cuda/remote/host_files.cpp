// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/host_files.h"

#include <iterator>

#include "support/align.h"
#include "support/fork_handler.h"

namespace heddle::cuda::remote {
namespace {

constexpr uint64_t page = 4096;

}  // namespace

void HostFiles::add(const void* base, uint64_t size, const Place& place) {
  const auto begin = reinterpret_cast<uint64_t>(base);
  std::lock_guard lock(mutex_);
  ranges_.insert_or_assign(begin, Range{align_up(begin + size, page), place.file, place.offset - begin});
}

void HostFiles::remove(const void* base) {
  std::lock_guard lock(mutex_);
  ranges_.erase(reinterpret_cast<uint64_t>(base));
}

std::optional<HostFiles::Place> HostFiles::find(uint64_t address, uint64_t size) const {
  std::lock_guard lock(mutex_);
  std::optional<Place> found;
  for (uint64_t covered = address; covered < address + size;) {
    // Of all that begins on the page of this address or before it, the last one has the greatest end.
    const auto next = ranges_.upper_bound(covered | (page - 1));
    if (next == ranges_.begin()) return std::nullopt;
    const Range& range = std::prev(next)->second;
    if (range.end <= covered) return std::nullopt;
    const Place place = {range.file, address + range.distance};
    if (found && (found->file != place.file || found->offset != place.offset)) return std::nullopt;
    found = place;
    covered = range.end;
  }
  return found;
}

void HostFiles::forget_parent() noexcept {
  abandon(mutex_);
  abandon(ranges_);
}

}  // namespace heddle::cuda::remote
