// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory (Runtime 2.7).
#include "driver/copies.h"
#include "runtime/amd/attributes.h"
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

using D = const Region&;
using V = api::Value;

constexpr api::Attribute<Region> region_attributes[] = {
    {HSA_REGION_INFO_SEGMENT,
     [](D region, V value) {
       // The driver boundary numbers segments as the runtime does (MVA 2.9.1).
       value.put<hsa_region_segment_t>(static_cast<hsa_region_segment_t>(region.description().segment));
     }},
    {HSA_REGION_INFO_GLOBAL_FLAGS,
     [](D region, V value) { value.put<uint32_t>(region.description().global_flags); }},
    {HSA_REGION_INFO_SIZE, [](D region, V value) { value.put<size_t>(region.description().size); }},
    {HSA_REGION_INFO_ALLOC_MAX_SIZE,
     [](D region, V value) { value.put<size_t>(region.description().alloc_max_size); }},
    {HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE,
     [](D region, V value) { value.put<uint32_t>(region.description().alloc_max_private_workgroup_size); }},
    {HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED,
     [](D region, V value) { value.put<bool>(region.description().runtime_alloc_allowed != 0); }},
    {HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE,
     [](D region, V value) { value.put<size_t>(region.description().alloc_granule); }},
    {HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT,
     [](D region, V value) { value.put<size_t>(region.description().alloc_alignment); }},
};
static_assert(static_cast<int>(HSAM_SEGMENT_GLOBAL) == HSA_REGION_SEGMENT_GLOBAL &&
              static_cast<int>(HSAM_SEGMENT_READONLY) == HSA_REGION_SEGMENT_READONLY &&
              static_cast<int>(HSAM_SEGMENT_PRIVATE) == HSA_REGION_SEGMENT_PRIVATE &&
              static_cast<int>(HSAM_SEGMENT_GROUP) == HSA_REGION_SEGMENT_GROUP &&
              static_cast<int>(HSAM_SEGMENT_KERNARG) == HSA_REGION_SEGMENT_KERNARG);

bool is_permission(hsa_access_permission_t access) {
  return access == HSA_ACCESS_PERMISSION_RO || access == HSA_ACCESS_PERMISSION_WO ||
         access == HSA_ACCESS_PERMISSION_RW;
}

/// Stores the signal's block, or null for handle 0. Returns false if the handle is neither 0 nor a live
/// signal.
bool resolve_signal(hsa_signal_t signal, hsam_signal*& block) {
  block = reinterpret_cast<hsam_signal*>(signal.handle);
  return signal.handle == 0 || heddle::driver::Client::is_signal(signal.handle);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Region* found = runtime.topology().region(region);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto number = static_cast<uint32_t>(attribute);
    const hsa_status_t status = api::get_attribute(region_attributes, number, value, *found);
    return status == HSA_STATUS_SUCCESS ? status : amd::get_region_info(*found, number, value);
  });
}

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
                                       hsa_status_t (*callback)(hsa_region_t region, void* data),
                                       void* data) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->regions, [&](const Region* region) { return callback(region->handle, data); });
  });
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  return api::guard([&](Runtime& runtime) {
    if (size == 0 || ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Region* found = runtime.topology().region(region);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (found->description().runtime_alloc_allowed == 0) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    auto allocated = runtime.client().allocate(*found->driver, size);
    if (!allocated) return allocated.error();
    *ptr = *allocated;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_memory_free(void* ptr) {
  return api::guard([&](Runtime& runtime) { return runtime.amd().allocations.free(ptr); });
}

/// The copies that hsa_memory_copy cannot make itself. Apart from it, so that the common case keeps its
/// arguments in registers.
[[gnu::noinline]] static hsa_status_t copy_by_client(void* dst, const void* src, size_t size) {
  return api::guard(
      [=](Runtime& runtime) {
        if (dst == nullptr || src == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        return size == 0 ? HSA_STATUS_SUCCESS : runtime.client().copy(dst, src, size);
      },
      "hsa_memory_copy");
}

hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  // Most copies use nothing that hsa_shut_down destroys. They need not be counted, which would take as long
  // as copying 4 KiB.
  if (!api::is_in_use() || !driver::copies_are_plain_and_unobserved()) [[unlikely]]
    return copy_by_client(dst, src, size);
  if (dst == nullptr || src == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::memcpy(dst, src, size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_copy_multiple(uint64_t n_dsts, size_t size, hsa_location_t* dsts, hsa_location_t src,
                                      hsa_agent_t* copy_agent_hint, hsa_signal_t start_copy,
                                      hsa_signal_t completion) {
  return api::guard([&](Runtime& runtime) {
    (void)copy_agent_hint;  // the host makes the copies
    if (src.address == nullptr || (n_dsts > 0 && dsts == nullptr)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    CopyService::Copy copy;
    copy.source = src.address;
    copy.shape.row = size;
    std::vector<void*> destinations;
    for (uint64_t i = 0; i < n_dsts; ++i) {
      if (dsts[i].address == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      destinations.push_back(dsts[i].address);
    }
    hsam_signal* start = nullptr;
    if (!resolve_signal(start_copy, start) || !resolve_signal(completion, copy.completion))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.copies().submit(copy, destinations, {&start_copy, start != nullptr ? 1u : 0u});
  });
}

hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t access) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr || !is_permission(access)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return runtime.client().assign_agent(ptr, *found->driver, access);
  });
}

hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr) return HSA_STATUS_SUCCESS;
    if (size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.client().register_memory(ptr, size);
  });
}

hsa_status_t hsa_memory_deregister(void* ptr, size_t size) {
  return api::guard([&](Runtime& runtime) {
    return ptr == nullptr ? HSA_STATUS_SUCCESS : runtime.client().deregister_memory(ptr, size);
  });
}

}  // namespace heddle::runtime::functions
