/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool (hsa/hsa_api_trace.h) for programs that accept only agents with one ISA of AMD: it shows the first
 * ISA of each agent alone, and under the name of such an ISA. */
#include <hsa/hsa_api_trace.h>

#include <string.h>

static const char pretended[] = "amdgcn-amd-amdhsa--gfx900";
static CoreApiTable core;

static hsa_status_t take_first(hsa_isa_t isa, void* data) {
  *(hsa_isa_t*)data = isa;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                 void* data) {
  hsa_isa_t isa = {0};
  const hsa_status_t status = core.hsa_agent_iterate_isas_fn(agent, take_first, &isa);
  return status == HSA_STATUS_INFO_BREAK ? callback(isa, data) : status;
}

static hsa_status_t get_info(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  if (attribute == HSA_ISA_INFO_NAME) {
    memcpy(value, pretended, sizeof pretended);
    return HSA_STATUS_SUCCESS;
  }
  if (attribute == HSA_ISA_INFO_NAME_LENGTH) {
    *(uint32_t*)value = sizeof pretended;
    return HSA_STATUS_SUCCESS;
  }
  return core.hsa_isa_get_info_alt_fn(isa, attribute, value);
}

__attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char* const* failed_tool_names) {
  (void)runtime_version;
  (void)failed_tool_count;
  (void)failed_tool_names;
  core = *table->core_;
  table->core_->hsa_agent_iterate_isas_fn = iterate_isas;
  table->core_->hsa_isa_get_info_alt_fn = get_info;
  return true;
}
