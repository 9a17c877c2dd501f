// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/imported_memory.h"

#include <algorithm>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {

std::byte* ImportedMemory::open(const Part& part, const Device& device) {
  Key key{};
  static_assert(sizeof key == sizeof part.handle.handle);
  std::ranges::copy(part.handle.handle, key.begin());
  const std::scoped_lock lock(mutex_);
  auto found = attached_.find(key);
  if (found == attached_.end()) {
    void* address = nullptr;
    // HSA takes no more agents later, when the memory is opened for another device, or a pool of it gives
    // others access.
    const auto& agents = Runtime::get().agents();
    found = attached_.emplace(key, Attached{nullptr, &device}).first;
    const hsa_status_t status = hsa_amd_ipc_memory_attach(
        &part.handle, part.size, static_cast<uint32_t>(agents.size()), agents.data(), &address);
    if (status != HSA_STATUS_SUCCESS) attached_.erase(found);
    check(status, "hsa_amd_ipc_memory_attach", hipErrorMapFailed);
    found->second.base = static_cast<std::byte*>(address);
  }
  std::byte* const address = found->second.base + part.offset;
  try {
    if (++found->second.parts[address] == 1) {
      Allocation allocation{address, part.length, MemoryKind::imported, device.number(), 0, address};
      allocation.freeable = part.freeable;
      Runtime::get().memory().add(allocation);
    }
  } catch (...) {
    found->second.parts.erase(address);
    detach_if_unused(found);
    throw;
  }
  return address;
}

void ImportedMemory::detach_if_unused(std::map<Key, Attached>::iterator attached) {
  if (!attached->second.parts.empty()) return;
  hsa_amd_ipc_memory_detach(attached->second.base);
  attached_.erase(attached);
}

void ImportedMemory::close(std::byte* address) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      attached_, [&](const auto& entry) { return entry.second.parts.contains(address); });
  if (found == attached_.end()) throw Failure(hipErrorInvalidValue, "no handle was opened for this memory");
  auto& parts = found->second.parts;
  if (--parts.at(address) != 0) return;
  Runtime::get().memory().take(address);
  parts.erase(address);
  detach_if_unused(found);
}

void ImportedMemory::release(const Device& device) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(attached_, [&](const auto& entry) {
    if (entry.second.device != &device) return false;
    for (const auto& [address, opened] : entry.second.parts) Runtime::get().memory().take(address);
    hsa_amd_ipc_memory_detach(entry.second.base);
    return true;
  });
}

}  // namespace heddle::hip
