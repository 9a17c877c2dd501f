// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filling memory with a word.
#include <algorithm>
#include <vector>

#include <hsa/hsa_ext_amd.h>

#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Whether the host can write to the allocation itself, because no agent has to be told or keeps a copy.
bool host_can_write(const heddle::driver::MemoryInfo& info) {
  return amd::is_host_memory(*info.region) &&
         (info.owner == nullptr || info.owner->config().wants_memory_messages == 0);
}

/// Returns the address behind the memory that contains `address` and that the host can write; 0 if it is not
/// such memory.
uintptr_t end_of_mapping(Runtime& runtime, const void* address) {
  const auto end = [](const void* base, size_t size) { return reinterpret_cast<uintptr_t>(base) + size; };
  if (const auto imported = runtime.amd().imported.find(address)) return end(imported->base, imported->size);
  if (const uintptr_t locked = runtime.amd().locked.end_of(address); locked != 0) return locked;
  const auto mapped = runtime.amd().virtual_memory.find(address);
  if (!mapped) return 0;
  const bool writable = std::ranges::any_of(
      mapped->access, [](const auto& access) { return (access.second & HSA_ACCESS_PERMISSION_WO) != 0; });
  return writable ? end(mapped->base, mapped->size) : 0;
}

/// Writes through the driver, which asks the owner of the memory.
hsa_status_t fill_by_copies(Runtime& runtime, uint32_t* words, uint32_t value, size_t count) {
  constexpr size_t most = size_t{1} << 18;
  const std::vector<uint32_t> pattern(std::min(count, most), value);
  for (size_t done = 0; done < count; done += pattern.size()) {
    const size_t piece = std::min(pattern.size(), count - done);
    const hsa_status_t status = runtime.client().copy(words + done, pattern.data(), piece * sizeof(uint32_t));
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  return api::guard([&](Runtime& runtime) {
    const auto address = reinterpret_cast<uintptr_t>(ptr);
    if (ptr == nullptr || address % sizeof(uint32_t) != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (count == 0) return HSA_STATUS_SUCCESS;
    const auto info = runtime.client().find(ptr);
    const bool is_allocation = info && info->region != nullptr;
    const uintptr_t end =
        is_allocation ? reinterpret_cast<uintptr_t>(info->base) + info->size : end_of_mapping(runtime, ptr);
    if (end < address || count > (end - address) / sizeof(uint32_t))
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    auto* words = static_cast<uint32_t*>(ptr);
    if (is_allocation && !host_can_write(*info)) return fill_by_copies(runtime, words, value, count);
    std::fill_n(words, count, value);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
