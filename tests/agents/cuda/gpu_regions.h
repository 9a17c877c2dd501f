// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs that test a GPU through the public interface look for first.
#pragma once

#include <hsa/hsa.h>

namespace heddle::cuda::test {

/// Returns the last agent that is a GPU; its handle is 0 if there is none.
inline hsa_agent_t find_gpu() {
  hsa_agent_t found = {0};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* out) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type == HSA_DEVICE_TYPE_GPU) *static_cast<hsa_agent_t*>(out) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

/// Returns the last global region of an agent with one of these flags (hsa_region_global_flag_t); its handle
/// is 0 if there is none.
inline hsa_region_t find_region(hsa_agent_t agent, uint32_t flags) {
  struct Search {
    uint32_t flags;
    hsa_region_t found;
  } search = {flags, {0}};
  hsa_agent_iterate_regions(
      agent,
      [](hsa_region_t region, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        hsa_region_segment_t segment;
        uint32_t present = 0;
        hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
        if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
        hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &present);
        if ((present & wanted.flags) != 0) wanted.found = region;
        return HSA_STATUS_SUCCESS;
      },
      &search);
  return search.found;
}

}  // namespace heddle::cuda::test
