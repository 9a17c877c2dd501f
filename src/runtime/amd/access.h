// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which agents can access which memory.
#pragma once

#include <vector>

#include "runtime/core/topology.h"

namespace heddle::runtime::amd {

/// Whether the memory is the host's and not an agent's own.
bool is_host_memory(const driver::Region& region);

/// Whether the agent can access the memory of a region: because it lists the region, or because it can access
/// all memory of the process, as agents of the full profile can.
bool can_access(const Agent& agent, const driver::Region& region);

/// Whether kernels of the agent can use the memory of a region of another agent once they are allowed to.
bool can_be_allowed(driver::Client& client, const Agent& agent, const driver::Region& region);

/// Returns all agents that can access the memory of a region without being allowed to, or all agents that can
/// access all memory of the process if `region` is null, in the order of the topology.
std::vector<const Agent*> agents_with_access(const Topology& topology, const driver::Region* region);

/// Stores the agents with these handles. Returns INVALID_AGENT if one is not an agent.
hsa_status_t find_agents(const Topology& topology, const hsa_agent_t* handles, size_t count,
                         std::vector<const Agent*>& agents);

}  // namespace heddle::runtime::amd
