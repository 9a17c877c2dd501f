// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/locked_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/log.h"
#include "runtime/amd/system_memory.h"
#include "support/exception_safety.h"

namespace heddle::runtime::amd {

namespace {

/// Whether there is memory in all pages of a range.
bool is_mapped(const void* base, size_t size) {
  const uintptr_t page = page_size();
  const auto first = reinterpret_cast<uintptr_t>(base) / page * page;
  const auto last = reinterpret_cast<uintptr_t>(base) + size;
  if (last < reinterpret_cast<uintptr_t>(base)) return false;
  unsigned char residence[256];
  for (uintptr_t at = first; at < last; at += page * sizeof residence) {
    const size_t piece = std::min<size_t>(last - at, page * sizeof residence);
    // Fails if a page has no memory; which pages are resident does not matter.
    if (mincore(reinterpret_cast<void*>(at), piece, residence) != 0) return false;
  }
  return true;
}

}  // namespace

hsa_status_t LockedMemory::lock(void* base, size_t size, const Pool* pool, std::vector<const Agent*> agents) {
  if (!is_mapped(base, size)) {
    driver::log_warning("{} bytes from {} on cannot be locked: there is no memory in a part of them", size,
                        base);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  std::lock_guard lock(mutex_);
  const auto added =
      ranges_.emplace(reinterpret_cast<uintptr_t>(base), Range{base, size, pool, std::move(agents), nullptr});
  hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const Finally give_up([&] {
    if (status == HSA_STATUS_SUCCESS) return;
    const Range range = std::move(added->second);
    ranges_.erase(added);
    uncover(range);
  });
  status = cover(added->first, added->first + size);
  return status;
}

/// Registers what the driver does not know of a range: neither as an allocation nor as a registration.
hsa_status_t LockedMemory::cover(uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = begin; at < end;) {
    if (const auto known = client_.find(reinterpret_cast<void*>(at))) {
      at = reinterpret_cast<uintptr_t>(known->base) + known->size;
      continue;
    }
    const auto next = pieces_.upper_bound(at);
    const uintptr_t gap_end = next == pieces_.end() ? end : std::min(end, next->first);
    const auto piece = pieces_.emplace(at, gap_end - at).first;
    hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const Finally forget([&] {
      if (status != HSA_STATUS_SUCCESS) pieces_.erase(piece);
    });
    status = client_.register_memory(reinterpret_cast<void*>(at), gap_end - at);
    if (status != HSA_STATUS_SUCCESS) return status;
    at = gap_end;
  }
  return HSA_STATUS_SUCCESS;
}

/// Deregisters those pieces of a range, which is locked no more, of which no other range has a part.
void LockedMemory::uncover(const Range& range) {
  for (auto piece = pieces_.begin(); piece != pieces_.end();) {
    const auto [begin, size] = *piece;
    const bool is_locked = !range.meets(begin, size) || std::ranges::any_of(ranges_, [&](const auto& other) {
      return other.second.meets(begin, size);
    });
    if (is_locked) {
      ++piece;
      continue;
    }
    (void)client_.deregister_memory(reinterpret_cast<void*>(begin), size);
    piece = pieces_.erase(piece);
  }
}

void LockedMemory::unlock(void* base) {
  std::lock_guard lock(mutex_);
  const auto [first, behind] = ranges_.equal_range(reinterpret_cast<uintptr_t>(base));
  if (first == behind) return;
  const auto last = std::prev(behind);
  const Range range = std::move(last->second);
  ranges_.erase(last);
  uncover(range);
}

std::optional<LockedMemory::Range> LockedMemory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto found = containing(ranges_, address);
  if (found == ranges_.end()) return std::nullopt;
  return found->second;
}

uintptr_t LockedMemory::end_of(const void* address) const {
  std::lock_guard lock(mutex_);
  uintptr_t end = 0;
  for (const auto& [begin, range] : ranges_)
    if (range.meets(reinterpret_cast<uintptr_t>(address), 1)) end = std::max(end, begin + range.size);
  return end;
}

bool LockedMemory::set_user_data(const void* address, void* user_data) {
  std::lock_guard lock(mutex_);
  const auto found = containing(ranges_, address);
  if (found == ranges_.end()) return false;
  found->second.user_data = user_data;
  return true;
}

}  // namespace heddle::runtime::amd
