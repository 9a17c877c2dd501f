// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device is, from the attributes of its agent, ISAs, caches and pools.
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

#include <algorithm>
#include <cstring>

#include "hip/core/device.h"
#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

/// Reads an attribute, which keeps its value if the agent does not have it.
template <typename T, typename Attribute>
void read(hsa_agent_t agent, Attribute attribute, T& value) {
  hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &value);
}

template <size_t size, typename Attribute>
std::string read_text(hsa_agent_t agent, Attribute attribute) {
  char text[size] = {};
  hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), text);
  return {text, strnlen(text, size)};
}

std::string name_of(hsa_isa_t isa) {
  uint32_t length = 0;
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
  std::string name(length, '\0');
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data());
  name.resize(strnlen(name.c_str(), length));
  return name;
}

hsa_status_t note_wave(hsa_wavefront_t wave, void* found) {
  uint32_t size = 0;
  hsa_wavefront_get_info(wave, HSA_WAVEFRONT_INFO_SIZE, &size);
  *static_cast<bool*>(found) |= size == wave_size;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t list_isa(hsa_isa_t isa, void* list) {
  static_cast<std::vector<hsa_isa_t>*>(list)->push_back(isa);
  return HSA_STATUS_SUCCESS;
}

size_t common_length(const std::string& a, const std::string& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Chooses, of the ISAs with waves of 32, the one that is most like the first, which is the agent's best:
/// names begin with the family.
void choose_isa(hsa_agent_t agent, AgentProperties& properties) {
  std::vector<hsa_isa_t> isas;
  check(hsa_agent_iterate_isas(agent, list_isa, &isas), "hsa_agent_iterate_isas");
  size_t best = 0;
  const std::string first = isas.empty() ? std::string() : name_of(isas.front());
  for (const hsa_isa_t isa : isas) {
    bool fits = false;
    hsa_isa_iterate_wavefronts(isa, note_wave, &fits);
    const std::string name = name_of(isa);
    const size_t length = common_length(first, name);
    if (!fits || (properties.isa.handle != 0 && length <= best)) continue;
    properties.isa = isa;
    properties.isa_name = name;
    best = length;
  }
  if (properties.isa.handle == 0)
    throw Failure(hipErrorNoDevice, properties.name + " has no ISA with waves of 32 work-items");
  bool profiles[2] = {};
  check(hsa_isa_get_info_alt(properties.isa, HSA_ISA_INFO_PROFILES, profiles), "hsa_isa_get_info_alt");
  properties.code_profile = profiles[HSA_PROFILE_FULL] ? HSA_PROFILE_FULL : HSA_PROFILE_BASE;
}

hsa_status_t note_cache(hsa_cache_t cache, void* size_of_l2) {
  uint8_t level = 0;
  hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level);
  if (level == 2) hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, size_of_l2);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t note_group_memory(hsa_amd_memory_pool_t pool, void* size) {
  hsa_amd_segment_t segment{};
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment == HSA_AMD_SEGMENT_GROUP)
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, size);
  return HSA_STATUS_SUCCESS;
}

ImageLimits image_limits_of(hsa_agent_t agent) {
  ImageLimits limits;
  read(agent, HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS, limits.width_1d);
  read(agent, HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS, limits.width_linear);
  read(agent, HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS, limits.size_2d);
  read(agent, HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, limits.size_3d);
  read(agent, HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, limits.layers);
  return limits;
}

void read_limits(AgentProperties& properties) {
  hsa_isa_get_info_alt(properties.isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, &properties.largest_group);
  hsa_isa_get_info_alt(properties.isa, HSA_ISA_INFO_WORKGROUP_MAX_DIM, properties.group_limits.data());
  hsa_dim3_t grid{};
  hsa_isa_get_info_alt(properties.isa, HSA_ISA_INFO_GRID_MAX_DIM, &grid);
  properties.grid_limits = {grid.x, grid.y, grid.z};
}

/// The attribute counts waves of the agent's first ISA.
void read_waves(hsa_agent_t agent, AgentProperties& properties) {
  uint32_t waves = 0, length = wave_size;
  read(agent, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, waves);
  read(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, length);
  properties.waves_of_unit = static_cast<uint32_t>(uint64_t{waves} * length / wave_size);
  read(agent, HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, properties.cooperative);
  read(agent, HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT, properties.cooperative_units);
}

}  // namespace

AgentProperties properties_of(hsa_agent_t agent) {
  AgentProperties p;
  p.name = read_text<64>(agent, HSA_AMD_AGENT_INFO_PRODUCT_NAME);
  if (p.name.empty()) p.name = read_text<64>(agent, HSA_AGENT_INFO_NAME);
  p.uuid = read_text<21>(agent, HSA_AMD_AGENT_INFO_UUID);
  read(agent, HSA_AGENT_INFO_DEVICE, p.type);
  read(agent, HSA_AGENT_INFO_PROFILE, p.profile);
  read(agent, HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, p.rounding);
  read(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, p.largest_queue);
  read(agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, p.compute_units);
  read(agent, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, p.clock_mhz);
  read(agent, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, p.memory_clock_mhz);
  read(agent, HSA_AMD_AGENT_INFO_MEMORY_WIDTH, p.memory_width);
  read(agent, HSA_AMD_AGENT_INFO_BDFID, p.bdf);
  read(agent, HSA_AMD_AGENT_INFO_DOMAIN, p.domain);
  read(agent, HSA_AMD_AGENT_INFO_ASIC_REVISION, p.revision);
  read_waves(agent, p);
  p.images = image_limits_of(agent);
  choose_isa(agent, p);
  read_limits(p);
  hsa_agent_iterate_caches(agent, note_cache, &p.l2_cache_size);
  hsa_amd_agent_iterate_memory_pools(agent, note_group_memory, &p.group_memory_size);
  return p;
}

}  // namespace heddle::hip
