// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that the AMD extension adds to those of the system, of agents and of regions. The functions
// return INVALID_ARGUMENT for an attribute that the extension does not have.
#pragma once

#include <cstdint>

#include <hsa/hsa.h>

namespace heddle::runtime {
class Runtime;
struct Agent;
struct Region;
}  // namespace heddle::runtime

namespace heddle::runtime::amd {

/// Whether all agents that execute kernels can access all memory of the process and take page faults there.
bool is_svm_supported(Runtime& runtime);

hsa_status_t get_system_info(Runtime& runtime, uint32_t attribute, void* value);
hsa_status_t get_agent_info(Runtime& runtime, const Agent& agent, uint32_t attribute, void* value);
hsa_status_t get_region_info(const Region& region, uint32_t attribute, void* value);

}  // namespace heddle::runtime::amd
