// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools and allocations from them.
#include <algorithm>
#include <iterator>

#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

using P = const Pool&;
using T = const Topology&;
using V = api::Value;

constexpr uint32_t known_flags =
    HSA_AMD_MEMORY_POOL_PCIE_FLAG | HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG | HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG;

bool is_accessible_by_all(T topology, P pool) {
  return amd::agents_with_access(topology, pool.region->driver).size() == topology.agent_count();
}

constexpr api::Attribute<Topology, Pool> pool_attributes[] = {
    {HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
     [](T, P pool, V value) {
       // The driver boundary numbers segments as the extension does.
       value.put<hsa_amd_segment_t>(static_cast<hsa_amd_segment_t>(pool.description().segment));
     }},
    {HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS,
     [](T, P pool, V value) { value.put<uint32_t>(pool.description().global_flags); }},
    {HSA_AMD_MEMORY_POOL_INFO_SIZE, [](T, P pool, V value) { value.put<size_t>(pool.description().size); }},
    {HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
     [](T, P pool, V value) { value.put<bool>(pool.description().runtime_alloc_allowed != 0); }},
    {HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE,
     [](T, P pool, V value) { value.put<size_t>(pool.description().alloc_granule); }},
    {HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT,
     [](T, P pool, V value) { value.put<size_t>(pool.description().alloc_alignment); }},
    {HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL,
     [](T topology, P pool, V value) { value.put<bool>(is_accessible_by_all(topology, pool)); }},
    {HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE,
     [](T, P pool, V value) {
       const hsam_region_description& region = pool.description();
       value.put<size_t>(region.runtime_alloc_allowed != 0 ? region.alloc_max_size : 0);
     }},
    {HSA_AMD_MEMORY_POOL_INFO_LOCATION,
     [](T, P pool, V value) {
       value.put<hsa_amd_memory_pool_location_t>(pool.owner->config().device == HSA_DEVICE_TYPE_GPU
                                                     ? HSA_AMD_MEMORY_POOL_LOCATION_GPU
                                                     : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
     }},
    {HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE,
     [](T, P pool, V value) {
       value.put<size_t>(amd::is_host_memory(*pool.region->driver) ? heddle::driver::shareable_block_size
                                                                   : pool.description().alloc_granule);
     }},
};
static_assert(static_cast<int>(HSAM_SEGMENT_GLOBAL) == HSA_AMD_SEGMENT_GLOBAL &&
              static_cast<int>(HSAM_SEGMENT_READONLY) == HSA_AMD_SEGMENT_READONLY &&
              static_cast<int>(HSAM_SEGMENT_PRIVATE) == HSA_AMD_SEGMENT_PRIVATE &&
              static_cast<int>(HSAM_SEGMENT_GROUP) == HSA_AMD_SEGMENT_GROUP);

using A = const Agent&;

using R = Runtime&;

hsa_amd_memory_pool_access_t access_of(R runtime, A agent, P pool) {
  const heddle::driver::Region& region = *pool.region->driver;
  if (pool.owner == &agent || amd::can_access(agent, region))
    return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  return amd::can_be_allowed(runtime.client(), agent, region)
             ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
             : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
}

/// A query of an agent's way to a pool.
struct Link {
  hsa_amd_agent_memory_pool_info_t attribute;
  void (*get)(R runtime, A agent, P pool, V value);
};
constexpr Link links[] = {
    {HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
     [](R runtime, A agent, P pool, V value) {
       value.put<hsa_amd_memory_pool_access_t>(access_of(runtime, agent, pool));
     }},
    // Drivers do not say what lies between an agent and memory.
    {HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, [](R, A, P, V value) { value.put<uint32_t>(0); }},
    {HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, [](R, A, P, V) {}},  // an array without elements
};

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                          hsa_amd_memory_pool_info_t attribute, void* value) {
  return api::guard([&](Runtime& runtime) {
    const Pool* pool = runtime.topology().pool(memory_pool);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(pool_attributes, static_cast<uint32_t>(attribute), value, runtime.topology(),
                              *pool);
  });
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void* data), void* data) {
  return api::guard([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->pools, [&](const Pool* pool) { return callback(pool->handle, data); });
  });
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t flags,
                                          void** ptr) {
  return api::guard([&](Runtime& runtime) {
    if (size == 0 || ptr == nullptr || (flags & ~known_flags) != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* pool = runtime.topology().pool(memory_pool);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (pool->description().runtime_alloc_allowed == 0) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    return runtime.amd().allocations.allocate(*pool, size, flags, ptr);
  });
}

hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  return api::guard([&](Runtime& runtime) {
    const hsa_status_t status = runtime.amd().allocations.free(ptr);
    return status == HSA_STATUS_ERROR_INVALID_ARGUMENT ? HSA_STATUS_ERROR_INVALID_ALLOCATION : status;
  });
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  return api::guard([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const Pool* pool = runtime.topology().pool(memory_pool);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto* const link = std::ranges::find(links, attribute, &Link::attribute);
    if (link == std::end(links)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    link->get(runtime, *found, *pool, api::Value(value));
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
