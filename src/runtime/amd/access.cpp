// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/access.h"

#include <algorithm>

namespace heddle::runtime::amd {

namespace {

bool can_access_process(const Agent& agent) { return agent.config().profile == HSA_PROFILE_FULL; }

}  // namespace

bool is_host_memory(const driver::Region& region) {
  return region.description.segment == HSAM_SEGMENT_GLOBAL &&
         region.description.memory_id < HSAM_MEMORY_AGENT_FIRST;
}

bool can_access(const Agent& agent, const driver::Region& region) {
  if (std::ranges::find(agent.driver->regions(), &region) != agent.driver->regions().end()) return true;
  return is_host_memory(region) && can_access_process(agent);
}

bool can_be_allowed(driver::Client& client, const Agent& agent, const driver::Region& region) {
  return !can_access(agent, region) && client.can_reach(*agent.driver, region);
}

std::vector<const Agent*> agents_with_access(const Topology& topology, const driver::Region* region) {
  std::vector<const Agent*> agents;
  for (size_t i = 0; i < topology.agent_count(); ++i) {
    const Agent& agent = topology.agent_at(i);
    if (region == nullptr ? can_access_process(agent) : can_access(agent, *region)) agents.push_back(&agent);
  }
  return agents;
}

hsa_status_t find_agents(const Topology& topology, const hsa_agent_t* handles, size_t count,
                         std::vector<const Agent*>& agents) {
  for (size_t i = 0; i < count; ++i) {
    const Agent* agent = topology.agent(handles[i]);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    agents.push_back(agent);
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime::amd
