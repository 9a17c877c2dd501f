// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling of program counters, which no agent has.
#include <hsa/hsa_ven_amd_pc_sampling.h>

#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Whether the agent is one that could be sampled if it had the hardware.
bool is_gpu(Runtime& runtime, hsa_agent_t agent) {
  const Agent* found = runtime.topology().agent(agent);
  return found != nullptr && found->config().device == HSA_DEVICE_TYPE_GPU;
}

/// What both functions that make sessions answer.
hsa_status_t refuse_session(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                            hsa_ven_amd_pcs_units_t units, hsa_ven_amd_pcs_data_ready_callback_t callback,
                            const hsa_ven_amd_pcs_t* session) {
  return api::guard([&](Runtime& runtime) {
    if (!is_gpu(runtime, agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr || session == nullptr ||
        static_cast<uint32_t>(method) > HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1 ||
        static_cast<uint32_t>(units) > HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return HSA_STATUS_ERROR;
  });
}

/// There is no session that a handle could denote.
hsa_status_t refuse_handle() {
  return api::guard([](Runtime&) { return HSA_STATUS_ERROR_INVALID_ARGUMENT; });
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ven_amd_pcs_iterate_configuration(
    hsa_agent_t agent, hsa_ven_amd_pcs_iterate_configuration_callback_t configuration_callback, void*) {
  return api::guard([&](Runtime& runtime) {
    if (!is_gpu(runtime, agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    return configuration_callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_ERROR;
  });
}

hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                    hsa_ven_amd_pcs_units_t units, size_t, size_t, size_t,
                                    hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback, void*,
                                    hsa_ven_amd_pcs_t* pc_sampling) {
  return refuse_session(agent, method, units, data_ready_callback, pc_sampling);
}

hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t, hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                            hsa_ven_amd_pcs_units_t units, size_t, size_t, size_t,
                                            hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback, void*,
                                            hsa_ven_amd_pcs_t* pc_sampling) {
  return refuse_session(agent, method, units, data_ready_callback, pc_sampling);
}

hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t) { return refuse_handle(); }
hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t) { return refuse_handle(); }
hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t) { return refuse_handle(); }
hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t) { return refuse_handle(); }

}  // namespace heddle::runtime::functions
