// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/attributes.h"

#include <hsa/hsa_ext_amd.h>

#include "runtime/amd/access.h"
#include "runtime/amd/dmabuf.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"

namespace heddle::runtime::amd {

bool is_svm_supported(Runtime& runtime) {
  const Topology& topology = runtime.topology();
  for (size_t i = 0; i < topology.agent_count(); ++i) {
    const hsa_agent_driver_config& config = topology.agent_at(i).config();
    if (config.features != 0 && (config.profile != HSA_PROFILE_FULL || config.page_faults == 0)) return false;
  }
  return true;
}

namespace {

using V = api::Value;

using S = Runtime* const&;

constexpr api::Attribute<Runtime*> system_attributes[] = {
    {HSA_AMD_SYSTEM_INFO_BUILD_VERSION, [](S, V value) { value.put<const char*>("heddle " HEDDLE_VERSION); }},
    {HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED,
     [](S runtime, V value) { value.put<bool>(is_svm_supported(*runtime)); }},
    {HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT,
     [](S runtime, V value) { value.put<bool>(is_svm_supported(*runtime)); }},
    {HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED, [](S, V value) { value.put<bool>(false); }},
    {HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED, [](S, V value) { value.put<bool>(has_dmabuf()); }},
    {HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED, [](S, V value) { value.put<bool>(true); }},
    {HSA_AMD_SYSTEM_INFO_XNACK_ENABLED,
     [](S runtime, V value) { value.put<bool>(is_svm_supported(*runtime)); }},
    {HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR,
     [](S, V value) { value.put<uint16_t>(HSA_AMD_INTERFACE_VERSION_MAJOR); }},
    {HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR,
     [](S, V value) { value.put<uint16_t>(HSA_AMD_INTERFACE_VERSION_MINOR); }},
};

uint32_t megahertz(uint64_t hertz) { return static_cast<uint32_t>(hertz / 1000000); }

bool executes_kernels(const Agent& agent) { return agent.first_isa() != nullptr; }

/// The length of a line in the first cache that tells it; 0 if none does.
uint32_t cache_line_size(const Agent& agent) {
  for (const Cache* cache : agent.caches)
    if (cache->line_size != 0) return cache->line_size;
  return 0;
}

/// A compute unit executes one work-group at a time.
uint32_t waves_per_compute_unit(const Agent& agent) {
  const Isa* isa = agent.first_isa();
  if (isa == nullptr || isa->description.wavefront_size == 0) return 0;
  const uint32_t wave = isa->description.wavefront_size;
  return (isa->description.workgroup_max_size + wave - 1) / wave;
}

void put_uuid(const Agent& agent, V value) {
  constexpr size_t size = 21;
  char text[size] = {};
  const char* const kinds[] = {"CPU-XX", "GPU-XX", "DSP-XX"};
  const auto device = static_cast<size_t>(agent.config().device);
  std::strcpy(text, device < std::size(kinds) ? kinds[device] : "XX");
  value.put_array<char>(text);
}

/// Whether an agent that executes kernels has no memory but the host's.
bool shares_host_memory(const Agent& agent) {
  return executes_kernels(agent) && agent.find_region([](const Region& region) {
    return region.description().segment == HSAM_SEGMENT_GLOBAL && !is_host_memory(*region.driver);
  }) == nullptr;
}

void put_memory_properties(const Agent& agent, V value) {
  uint8_t bits[8] = {};
  if (shares_host_memory(agent)) bits[0] |= HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU;
  value.put_array<uint8_t>(bits);
}

using R = Runtime* const&;
using A = const Agent&;

void put_zero(R, A, V value) { value.put<uint32_t>(0); }
/// The value of attributes that count parts of which an agent that executes kernels is one whole.
void put_one_whole(R, A agent, V value) { value.put<uint32_t>(executes_kernels(agent) ? 1 : 0); }

constexpr api::Attribute<Runtime*, Agent> agent_attributes[] = {
    {HSA_AMD_AGENT_INFO_CHIP_ID, put_zero},
    {HSA_AMD_AGENT_INFO_CACHELINE_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(cache_line_size(agent)); }},
    {HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT,
     [](R, A agent, V value) { value.put<uint32_t>(agent.config().compute_unit_count); }},
    {HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY,
     [](R, A agent, V value) { value.put<uint32_t>(megahertz(agent.config().max_clock_frequency)); }},
    {HSA_AMD_AGENT_INFO_DRIVER_NODE_ID,
     [](R, A agent, V value) { value.put<uint32_t>(agent.driver->index()); }},
    {HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS, put_zero},
    {HSA_AMD_AGENT_INFO_BDFID, put_zero},
    {HSA_AMD_AGENT_INFO_MEMORY_WIDTH, put_zero},
    {HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, put_zero},
    {HSA_AMD_AGENT_INFO_PRODUCT_NAME,
     [](R, A agent, V value) {
       const char* name = agent.config().name;
       value.put_name(name == nullptr ? "" : name);
     }},
    {HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU,
     [](R, A agent, V value) { value.put<uint32_t>(waves_per_compute_unit(agent)); }},
    {HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, put_one_whole},
    {HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, put_one_whole},
    {HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE, put_one_whole},
    {HSA_AMD_AGENT_INFO_HDP_FLUSH, [](R, A, V value) { value.put<hsa_amd_hdp_flush_t>({nullptr, nullptr}); }},
    {HSA_AMD_AGENT_INFO_DOMAIN, put_zero},
    {HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES,
     [](R, A agent, V value) { value.put<bool>(agent.config().cooperative_queues != 0); }},
    {HSA_AMD_AGENT_INFO_UUID, [](R, A agent, V value) { put_uuid(agent, value); }},
    {HSA_AMD_AGENT_INFO_ASIC_REVISION, put_zero},
    {HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS,
     [](R, A agent, V value) { value.put<bool>(agent.config().profile == HSA_PROFILE_FULL); }},
    {HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT,
     [](R, A agent, V value) {
       const auto& config = agent.config();
       value.put<uint32_t>(config.cooperative_queues != 0 ? config.compute_unit_count : 0);
     }},
    {HSA_AMD_AGENT_INFO_MEMORY_AVAIL, [](R, A, V value) { value.put<uint64_t>(available_system_memory()); }},
    {HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY,
     [](R, A, V value) { value.put<uint64_t>(driver::timestamp_frequency()); }},
    {HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID, put_zero},
    {HSA_AMD_AGENT_INFO_UCODE_VERSION, put_zero},
    {HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION, put_zero},
    {HSA_AMD_AGENT_INFO_NUM_SDMA_ENG, put_zero},
    {HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG, put_zero},
    {HSA_AMD_AGENT_INFO_IOMMU_SUPPORT,
     [](R, A agent, V value) {
       value.put<hsa_amd_iommu_version_t>(
           agent.config().profile == HSA_PROFILE_FULL ? HSA_IOMMU_SUPPORT_V2 : HSA_IOMMU_SUPPORT_NONE);
     }},
    {HSA_AMD_AGENT_INFO_NUM_XCC, put_one_whole},
    {HSA_AMD_AGENT_INFO_DRIVER_UID, put_zero},
    {HSA_AMD_AGENT_INFO_NEAREST_CPU,
     [](R runtime, A, V value) { value.put<hsa_agent_t>(runtime->topology().host()->handle); }},
    {HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES, [](R, A agent, V value) { put_memory_properties(agent, value); }},
    {HSA_AMD_AGENT_INFO_AQL_EXTENSIONS, [](R, A, V value) { value.put<uint64_t>(0); }},
};

constexpr api::Attribute<Region> region_attributes[] = {
    {HSA_AMD_REGION_INFO_HOST_ACCESSIBLE,
     [](const Region& region, V value) { value.put<bool>(is_host_memory(*region.driver)); }},
    {HSA_AMD_REGION_INFO_BASE, [](const Region&, V value) { value.put<void*>(nullptr); }},
    {HSA_AMD_REGION_INFO_BUS_WIDTH, [](const Region&, V value) { value.put<uint32_t>(0); }},
    {HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY, [](const Region&, V value) { value.put<uint32_t>(0); }},
};

}  // namespace

hsa_status_t get_system_info(Runtime& runtime, uint32_t attribute, void* value) {
  return api::get_attribute(system_attributes, attribute, value, &runtime);
}

hsa_status_t get_agent_info(Runtime& runtime, const Agent& agent, uint32_t attribute, void* value) {
  return api::get_attribute(agent_attributes, attribute, value, &runtime, agent);
}

hsa_status_t get_region_info(const Region& region, uint32_t attribute, void* value) {
  return api::get_attribute(region_attributes, attribute, value, region);
}

}  // namespace heddle::runtime::amd
