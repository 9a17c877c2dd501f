// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The agents that may access an allocation.
#include "driver/log.h"
#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Returns the region of the allocation that begins at `base`; null if none does.
const heddle::driver::Region* region_of(Runtime& runtime, const void* base) {
  const auto info = runtime.client().find(base);
  return info && info->base == base ? info->region : nullptr;
}

/// Sees to it that the agent can access the memory of a region.
hsa_status_t allow(Runtime& runtime, const Agent& agent, const heddle::driver::Region& region) {
  if (amd::can_access(agent, region)) return HSA_STATUS_SUCCESS;
  if (amd::can_be_allowed(runtime.client(), agent, region))
    return runtime.client().allow_peer(*agent.driver, region);
  heddle::driver::log_warning("agent '{}' can never access memory of this pool", agent.config().name);
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                         const uint32_t* flags, const void* ptr) {
  return api::guard([&](Runtime& runtime) {
    if (num_agents == 0 || agents == nullptr || flags != nullptr || ptr == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<const Agent*> allowed;
    hsa_status_t status = amd::find_agents(runtime.topology(), agents, num_agents, allowed);
    if (status != HSA_STATUS_SUCCESS) return status;
    const heddle::driver::Region* region = region_of(runtime, ptr);
    if (region == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Agent* agent : allowed)
      if (status = allow(runtime, *agent, *region); status != HSA_STATUS_SUCCESS) return status;
    const bool changed = runtime.amd().allocations.change(
        const_cast<void*>(ptr), [&](amd::AllocationNotes& notes) { notes.allowed = std::move(allowed); });
    return changed ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
