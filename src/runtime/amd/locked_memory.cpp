// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/locked_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/log.h"
#include "runtime/amd/system_memory.h"

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
  const auto added = ranges_.emplace(reinterpret_cast<uintptr_t>(base),
                                     Range{base, size, pool, std::move(agents), nullptr, false});
  // The driver registers a range once; who registers what it knows already must not deregister it.
  if (client_.find(base)) return HSA_STATUS_SUCCESS;
  hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  try {
    status = client_.register_memory(base, size);
  } catch (const std::bad_alloc&) {
    ranges_.erase(added);
    throw;
  }
  if (status != HSA_STATUS_SUCCESS)
    ranges_.erase(added);
  else
    added->second.is_registered_here = true;
  return status;
}

void LockedMemory::unlock(void* base) {
  std::lock_guard lock(mutex_);
  const auto [first, behind] = ranges_.equal_range(reinterpret_cast<uintptr_t>(base));
  if (first == behind) return;
  const auto last = std::prev(behind);
  // The first lock has registered the range; of several, another one inherits that.
  const bool registered = std::exchange(last->second.is_registered_here, false);
  ranges_.erase(last);
  if (!registered) return;
  const auto other = ranges_.find(reinterpret_cast<uintptr_t>(base));
  if (other != ranges_.end())
    other->second.is_registered_here = true;
  else
    (void)client_.deregister_memory(base, 0);
}

std::optional<LockedMemory::Range> LockedMemory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto found = containing(ranges_, address);
  if (found == ranges_.end()) return std::nullopt;
  return found->second;
}

bool LockedMemory::set_user_data(const void* address, void* user_data) {
  std::lock_guard lock(mutex_);
  const auto found = containing(ranges_, address);
  if (found == ranges_.end()) return false;
  found->second.user_data = user_data;
  return true;
}

}  // namespace heddle::runtime::amd
