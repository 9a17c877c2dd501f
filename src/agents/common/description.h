// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host looks like, for the descriptions of agents that execute on it.
#pragma once

#include <hsam/hsam.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::agents {

struct HostDescription {
  std::string name;  ///< brand of the processor, 63 characters at most
  std::string vendor;
  uint64_t clock_frequency = 0;                ///< Hz, the highest; 0 = unknown
  uint64_t memory = 0;                         ///< bytes
  uint32_t processors = 1;                     ///< number that this process may use
  std::vector<std::string> cache_names;        ///< owns the names in `caches`
  std::vector<hsam_cache_description> caches;  ///< data and unified, ascending level
};

/// Describes the host, which is examined at the first call. The result lives as long as the process. Thread
/// safe.
const HostDescription& host_description();

/// The newest x86-64 level of the psABI that the host executes: 2, 3 or 4; 0 on other processors.
int host_x86_level();

struct SegmentSizes {
  uint32_t group = 0;              ///< bytes of group memory of one work-group
  uint32_t private_work_item = 0;  ///< bytes of private memory of one work-item
  uint64_t private_group = 0;      ///< bytes of private memory of a whole work-group
};

/// The ISAs of code for x86-64 levels from 2 up to `level`, the highest first. Processors of a level execute
/// the code for all ISAs of that level and of the lower ones, which `also_executes` names. The names live as
/// long as the process.
std::vector<hsam_isa_description> x86_isas(int level);

/// Regions of the host CPU agent: fine-grained with kernarg first, fine-grained, coarse-grained.
std::vector<hsam_region_description> host_regions();

/// Regions of a kernel agent that executes on the host. The first global region carries kernarg, the last one
/// is fine-grained: existing programs take one of these two without looking at the flags.
std::vector<hsam_region_description> kernel_agent_regions(const SegmentSizes& sizes);

/// An ISA of an agent that executes on the host, with the limits and modes that all of them have: the large
/// model, both profiles, every rounding mode, no exception policy, 1024 work-items to a group, 1024
/// fbarriers. The result refers to `name`, which must outlive it.
hsam_isa_description host_isa(const char* name, uint32_t wavefront_size = 1);

/// The configuration of the agent that stands for the host itself, with its name, caches and memory. It
/// dispatches no kernels. Registration keeps pointers to what the arguments own, so they must live as long as
/// the process (hsam.h).
hsa_agent_driver_config host_config(const std::vector<hsam_region_description>& regions);

/// The configuration of a kernel agent that executes on the host: one compute unit for each processor, and
/// the limits of queues that existing programs expect.
hsa_agent_driver_config kernel_agent_config(const char* name, const char* vendor,
                                            const std::vector<hsam_region_description>& regions,
                                            const std::vector<hsam_isa_description>& isas);

}  // namespace heddle::agents
