// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory is anonymous files, mapped where the agent wants it. Host memory is only noted.
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "state.h"

namespace heddle::cuda::fake {
namespace {

constexpr size_t granule = size_t{2} << 20;

struct Physical {
  int file = -1;
  DeviceNumber device = 0;
  size_t size = 0;
  uint32_t uses = 1;  ///< the handle, and mappings
};

struct Memories {
  std::mutex mutex;
  std::map<MemoryHandle, Physical> physical;
  std::map<DeviceAddress, size_t> reserved;
  std::map<DeviceAddress, std::pair<MemoryHandle, size_t>> mapped;
  std::map<DeviceAddress, std::set<DeviceNumber>> access;  ///< to what is mapped
  std::map<uintptr_t, size_t> registered;
  MemoryHandle last = 0;
  uint64_t created = 0;  ///< bytes
};

Memories& memories() {
  static Memories& made = *new Memories;
  return made;
}

void* pointer(DeviceAddress address) { return reinterpret_cast<void*>(address); }

bool lies_in_reservation(const Memories& all, DeviceAddress address, size_t size) {
  auto found = all.reserved.upper_bound(address);
  if (found == all.reserved.begin()) return false;
  --found;
  return address + size <= found->first + found->second;
}

/// Drops one use of physical memory, which ends with the last one.
void drop(Memories& all, MemoryHandle handle) {
  const auto found = all.physical.find(handle);
  if (--found->second.uses != 0) return;
  close(found->second.file);
  all.created -= found->second.size;
  all.physical.erase(found);
}

bool overlaps(const std::map<uintptr_t, size_t>& ranges, uintptr_t begin, size_t size) {
  const auto next = ranges.lower_bound(begin + size);
  if (next == ranges.begin()) return false;
  const auto last = std::prev(next);
  return last->first + last->second > begin;
}

}  // namespace

Access access_of(DeviceNumber device, DeviceAddress address, size_t size) {
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  auto found = all.mapped.upper_bound(address);
  if (found != all.mapped.begin()) --found;
  const bool is_mapped =
      found != all.mapped.end() && address >= found->first && address - found->first < found->second.second;
  if (!is_mapped) return lies_in_reservation(all, address, 1) ? Access::none : Access::host;
  const bool fits = size <= found->second.second - (address - found->first);
  if (!fits || !all.access[found->first].contains(device)) return Access::none;
  return all.physical.at(found->second.first).device == device ? Access::own : Access::peer;
}

}  // namespace heddle::cuda::fake

using namespace heddle::cuda;
using namespace heddle::cuda::fake;

HEDDLE_FAKE Status cuMemGetInfo_v2(size_t* left, size_t* total) {
  std::lock_guard lock(memories().mutex);
  *total = control().machine.memory;
  *left = *total - memories().created;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemGetAllocationGranularity(size_t* size, const MemoryProperties*, unsigned) {
  *size = granule;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemAddressReserve(DeviceAddress* out, size_t size, size_t, DeviceAddress wanted,
                                       unsigned long long) {
  if (size == 0 || size % granule != 0) return Status::invalid_value;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if __has_feature(thread_sanitizer)
  wanted = 0;  // ThreadSanitizer has no room for it there
#endif
  void* base = mmap(pointer(wanted), size, PROT_NONE, flags | (wanted ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (base == MAP_FAILED) base = mmap(nullptr, size, PROT_NONE, flags, -1, 0);
  if (base == MAP_FAILED) return Status::out_of_memory;
  std::lock_guard lock(memories().mutex);
  *out = reinterpret_cast<DeviceAddress>(base);
  memories().reserved[*out] = size;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemAddressFree(DeviceAddress base, size_t size) {
  std::lock_guard lock(memories().mutex);
  const auto found = memories().reserved.find(base);
  if (found == memories().reserved.end() || found->second != size) return Status::invalid_value;
  memories().reserved.erase(found);
  munmap(pointer(base), size);
  return state_of_context();
}
HEDDLE_FAKE Status cuMemCreate(MemoryHandle* out, size_t size, const MemoryProperties* properties,
                               unsigned long long) {
  if (size == 0 || size % granule != 0 || properties->type != 1) return Status::invalid_value;
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  if (size > control().machine.memory - all.created) return Status::out_of_memory;
  const int file = memfd_create("fake-gpu", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) return Status::out_of_memory;
  all.created += size;
  *out = ++all.last;
  all.physical[*out] = {file, properties->location.device, size};
  return state_of_context();
}
HEDDLE_FAKE Status cuMemRelease(MemoryHandle handle) {
  std::lock_guard lock(memories().mutex);
  if (!memories().physical.contains(handle)) return Status::invalid_value;
  drop(memories(), handle);
  return state_of_context();
}
HEDDLE_FAKE Status cuMemMap(DeviceAddress base, size_t size, size_t offset, MemoryHandle handle,
                            unsigned long long) {
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  const auto physical = all.physical.find(handle);
  if (physical == all.physical.end() || offset != 0 || size != physical->second.size ||
      !lies_in_reservation(all, base, size) || all.mapped.contains(base))
    return Status::invalid_value;
  if (mmap(pointer(base), size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->second.file, 0) == MAP_FAILED)
    return Status::out_of_memory;
  ++physical->second.uses;
  all.mapped[base] = {handle, size};
  control().mapped_bytes += size;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemUnmap(DeviceAddress base, size_t size) {
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  const auto found = all.mapped.find(base);
  if (found == all.mapped.end() || found->second.second != size) return Status::invalid_value;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(pointer(base), size, PROT_NONE, flags, -1, 0) == MAP_FAILED) return Status::unknown;
  drop(all, found->second.first);
  all.mapped.erase(found);
  all.access.erase(base);
  control().mapped_bytes -= size;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemSetAccess(DeviceAddress base, size_t size, const MemoryAccess* wanted, size_t count) {
  if (const Status status = control().status_before("cuMemSetAccess"); status != Status::success)
    return status;
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  const auto found = all.mapped.find(base);
  if (found == all.mapped.end()) return Status::invalid_value;
  const DeviceNumber owner = all.physical.at(found->second.first).device;
  for (size_t i = 0; i < count; ++i) {
    const DeviceNumber device = wanted[i].location.device;
    if (device != owner && !control().machine.has_peers) return Status::invalid_device;
    all.access[base].insert(device);
  }
  return mprotect(pointer(base), size, PROT_READ | PROT_WRITE) == 0 ? state_of_context()
                                                                    : Status::invalid_value;
}

HEDDLE_FAKE Status cuMemHostRegister_v2(void* base, size_t size, unsigned) {
  if (const Status status = control().status_before("cuMemHostRegister_v2"); status != Status::success)
    return status;
  const auto begin = reinterpret_cast<uintptr_t>(base);
  std::lock_guard lock(memories().mutex);
  if (size == 0 || begin % 4096 != 0 || size % 4096 != 0) return Status::invalid_value;
  if (overlaps(memories().registered, begin, size)) return Status::host_memory_already_registered;
  memories().registered[begin] = size;
  control().registered_bytes += size;
  return state_of_context();
}
HEDDLE_FAKE Status cuMemHostUnregister(void* base) {
  if (const Status status = control().status_before("cuMemHostUnregister"); status != Status::success)
    return status;
  std::lock_guard lock(memories().mutex);
  const auto found = memories().registered.find(reinterpret_cast<uintptr_t>(base));
  if (found == memories().registered.end()) return Status::host_memory_not_registered;
  control().registered_bytes -= found->second;
  memories().registered.erase(found);
  return state_of_context();
}

/// For tests: whether GPUs can access all of this host memory.
HEDDLE_FAKE bool heddle_fake_cuda_is_registered(const void* base, size_t size) {
  const auto& registered = memories().registered;
  std::lock_guard lock(memories().mutex);
  const uintptr_t end = reinterpret_cast<uintptr_t>(base) + size;
  for (uintptr_t covered = reinterpret_cast<uintptr_t>(base); covered < end;) {
    const auto next = registered.upper_bound(covered);
    if (next == registered.begin()) return false;
    const auto [begin, bytes] = *std::prev(next);
    if (begin + bytes <= covered) return false;
    covered = begin + bytes;
  }
  return true;
}
