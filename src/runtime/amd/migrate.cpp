// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Migration of allocations between pools. Nothing migrates: the pools of all agents on the host have the same
// memory, and other memory has other addresses.
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                             hsa_amd_memory_pool_t dst_memory_pool, bool* result) {
  return api::guard([&](Runtime& runtime) {
    const Pool* from = runtime.topology().pool(src_memory_pool);
    const Pool* to = runtime.topology().pool(dst_memory_pool);
    if (from == nullptr || to == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = from == to;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool, uint32_t flags) {
  return api::guard([&](Runtime& runtime) {
    if (flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* to = runtime.topology().pool(memory_pool);
    if (to == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    const auto notes = runtime.amd().allocations.notes(ptr);
    if (!notes || notes->pool == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return notes->pool == to ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

}  // namespace heddle::runtime::functions
