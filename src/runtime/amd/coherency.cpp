// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coherency that programs expect of agents. It has no effect, because all agents are coherent.
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  return api::guard([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (type == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *type = runtime.amd().coherency.type(*found);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
  return api::guard([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (type != HSA_AMD_COHERENCY_TYPE_COHERENT && type != HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.amd().coherency.set_type(*found, type);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
