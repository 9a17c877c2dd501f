// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an address belongs to.
#include <algorithm>
#include <cstddef>

#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// What is known of an address.
struct Found {
  hsa_amd_pointer_info_t info{};
  std::vector<const Agent*> agents;  ///< those that access the memory
};

/// The agents of a list that a client gave, and the owner; the others if the client gave none.
std::vector<const Agent*> agents_of(const std::vector<const Agent*>& listed, const Agent& owner,
                                    std::vector<const Agent*> others) {
  if (listed.empty()) return others;
  std::vector<const Agent*> agents = listed;
  if (std::ranges::find(agents, &owner) == agents.end()) agents.push_back(&owner);
  return agents;
}

Found describe_allocation(Runtime& runtime, const heddle::driver::MemoryInfo& memory) {
  const Topology& topology = runtime.topology();
  const auto notes = runtime.amd().allocations.notes(memory.base).value_or(amd::AllocationNotes{});
  const Agent& owner =
      notes.pool != nullptr ? *notes.pool->owner : topology.agent_at(memory.region->agents.front()->index());
  Found found;
  found.info.type = HSA_EXT_POINTER_TYPE_HSA;
  found.info.agentBaseAddress = found.info.hostBaseAddress = memory.base;
  if (!amd::is_host_memory(*memory.region)) found.info.hostBaseAddress = nullptr;
  found.info.sizeInBytes = notes.size != 0 ? notes.size : memory.size;
  found.info.userData = notes.user_data;
  found.info.agentOwner = owner.handle;
  found.info.global_flags = memory.region->description.global_flags;
  found.agents = agents_of(notes.allowed, owner, amd::agents_with_access(topology, memory.region));
  return found;
}

Found describe_locked(Runtime& runtime, const amd::LockedMemory::Range& range) {
  const Agent& host = *runtime.topology().host();
  Found found;
  found.info.type = HSA_EXT_POINTER_TYPE_LOCKED;
  found.info.agentBaseAddress = found.info.hostBaseAddress = range.base;
  found.info.sizeInBytes = range.size;
  found.info.userData = range.user_data;
  found.info.agentOwner = host.handle;
  found.info.global_flags = range.pool != nullptr ? range.pool->description().global_flags
                                                  : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  found.agents = agents_of(range.agents, host, amd::agents_with_access(runtime.topology(), nullptr));
  return found;
}

Found describe_imported(Runtime& runtime, const amd::ImportedMemory::Description& memory) {
  Found found =
      describe_locked(runtime, {memory.base, memory.size, nullptr, memory.agents, memory.user_data});
  found.info.type = memory.type;
  return found;
}

Found describe_virtual(const amd::VirtualMemory::Description& memory) {
  Found found;
  found.info.type = HSA_EXT_POINTER_TYPE_HSA;
  found.info.agentBaseAddress = found.info.hostBaseAddress = memory.base;
  found.info.sizeInBytes = memory.size;
  found.info.agentOwner = memory.pool->owner->handle;
  found.info.global_flags = memory.pool->description().global_flags;
  for (const auto& [agent, permission] : memory.access)
    if (permission != HSA_ACCESS_PERMISSION_NONE) found.agents.push_back(agent);
  return found;
}

Found describe(Runtime& runtime, const void* address) {
  const auto memory = runtime.client().find(address);
  if (memory && memory->region != nullptr) return describe_allocation(runtime, *memory);
  if (const auto mapped = runtime.amd().virtual_memory.find(address)) return describe_virtual(*mapped);
  if (const auto imported = runtime.amd().imported.find(address))
    return describe_imported(runtime, *imported);
  if (const auto locked = runtime.amd().locked.find(address)) return describe_locked(runtime, *locked);
  if (memory) return describe_locked(runtime, {memory->base, memory->size, nullptr, {}, nullptr});
  return {};
}

/// Stores the agents in an array from `alloc`, or a null pointer if there are no agents. Returns false if
/// there is no memory for the array.
bool put_agents(const std::vector<const Agent*>& agents, void* (*alloc)(size_t), uint32_t* count,
                hsa_agent_t** array) {
  auto* made =
      agents.empty() ? nullptr : static_cast<hsa_agent_t*>(alloc(agents.size() * sizeof(hsa_agent_t)));
  if (made == nullptr && !agents.empty()) return false;
  std::ranges::transform(agents, made, [](const Agent* agent) { return agent->handle; });
  *count = static_cast<uint32_t>(agents.size());
  *array = made;
  return true;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info, void* (*alloc)(size_t),
                                  uint32_t* num_agents_accessible, hsa_agent_t** accessible) {
  return api::guard([&](Runtime& runtime) {
    constexpr uint32_t smallest = offsetof(hsa_amd_pointer_info_t, type) + sizeof(hsa_amd_pointer_type_t);
    if (ptr == nullptr || info == nullptr || info->size < smallest) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Found found = describe(runtime, ptr);
    const bool wants_agents = alloc != nullptr && num_agents_accessible != nullptr && accessible != nullptr;
    if (wants_agents && found.info.type != HSA_EXT_POINTER_TYPE_UNKNOWN &&
        !put_agents(found.agents, alloc, num_agents_accessible, accessible))
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    found.info.size = std::min<uint32_t>(info->size, sizeof(hsa_amd_pointer_info_t));
    const uint32_t known = found.info.type == HSA_EXT_POINTER_TYPE_UNKNOWN ? smallest : found.info.size;
    std::memcpy(info, &found.info, known);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd::State& state = runtime.amd();
    const auto memory = runtime.client().find(ptr);
    const bool set =
        memory && memory->region != nullptr
            ? state.allocations.change(memory->base,
                                       [&](amd::AllocationNotes& notes) { notes.user_data = userdata; })
            : state.imported.set_user_data(ptr, userdata) || state.locked.set_user_data(ptr, userdata);
    return set ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
