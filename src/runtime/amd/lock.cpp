// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locking memory of the operating system.
#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Checks the arguments that both functions have, and locks. `pool` may be null.
hsa_status_t lock(Runtime& runtime, void* host_ptr, size_t size, const hsa_agent_t* agents, int num_agent,
                  const Pool* pool, void** agent_ptr) {
  if (host_ptr == nullptr || size == 0 || agent_ptr == nullptr || num_agent < 0 ||
      (agents == nullptr) != (num_agent == 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::vector<const Agent*> found;
  hsa_status_t status = amd::find_agents(runtime.topology(), agents, static_cast<size_t>(num_agent), found);
  if (status == HSA_STATUS_SUCCESS)
    status = runtime.amd().locked.lock(host_ptr, size, pool, std::move(found));
  if (status == HSA_STATUS_SUCCESS) *agent_ptr = host_ptr;
  return status;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                 void** agent_ptr) {
  return api::guard(
      [&](Runtime& runtime) { return lock(runtime, host_ptr, size, agents, num_agent, nullptr, agent_ptr); });
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                         hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr) {
  return api::guard([&](Runtime& runtime) {
    if (flags != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* found = runtime.topology().pool(pool);
    if (found == nullptr || !amd::is_host_memory(*found->region->driver))
      return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return lock(runtime, host_ptr, size, agents, num_agent, found, agent_ptr);
  });
}

hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  return api::guard([&](Runtime& runtime) {
    runtime.amd().locked.unlock(host_ptr);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
