// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions for parts of AMD's GPUs, which no agent has.
#include <hsa/hsa_ext_amd.h>

#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Returns `answer` if the handle is one of an agent.
hsa_status_t answer_for(hsa_agent_t agent, hsa_status_t answer) {
  return api::guard([&](Runtime& runtime) {
    return runtime.topology().agent(agent) == nullptr ? HSA_STATUS_ERROR_INVALID_AGENT : answer;
  });
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t preferred_agent) {
  return answer_for(preferred_agent, HSA_STATUS_ERROR);
}

hsa_status_t hsa_amd_spm_release(hsa_agent_t preferred_agent) {
  return answer_for(preferred_agent, HSA_STATUS_ERROR);
}

hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t preferred_agent, size_t, uint32_t*, uint32_t*, void*,
                                         bool*) {
  return answer_for(preferred_agent, HSA_STATUS_ERROR);
}

hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t) {
  return answer_for(agent, HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

hsa_status_t hsa_amd_enable_logging(uint8_t*, void*) {
  return api::guard([](Runtime&) { return HSA_STATUS_SUCCESS; });
}

}  // namespace heddle::runtime::functions
