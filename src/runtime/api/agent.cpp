// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agents and caches (Runtime 2.3.1.12 to 2.3.1.27).
#include <algorithm>

#include "image/image.h"
#include "runtime/amd/attributes.h"
#include "runtime/api/api.h"
#include "runtime/api/extension.h"

using namespace heddle::runtime;

namespace {

/// Returns the ISA description from which the deprecated agent attributes are reported. For agents that run
/// no kernels, where these attributes have no meaning, all its members are 0.
const hsam_isa_description& isa_of(const Agent& agent) {
  static const hsam_isa_description none{};
  const Isa* isa = agent.first_isa();
  return isa == nullptr ? none : isa->description;
}

std::string_view text(const char* name) { return name == nullptr ? std::string_view{} : name; }

void put_cache_sizes(const Agent& agent, api::Value value) {
  uint32_t sizes[4] = {};
  // A level may have several caches. The data cache comes first.
  for (const Cache* cache : agent.caches)
    if (cache->level >= 1 && cache->level <= 4 && sizes[cache->level - 1] == 0)
      sizes[cache->level - 1] = cache->size;
  value.put_array<uint32_t>(sizes);
}

/// Writes limits of images (Runtime 3.3.1.2) as uint32_t, for the reason given in hsa_ext_image.h; 0 for
/// agents without images.
template <typename... Limit>
void put_limits(const Agent& agent, api::Value value, Limit... limit) {
  const uint32_t limits[sizeof...(limit)] = {(agent.has_images() ? limit : 0)...};
  value.put_array<uint32_t>(limits);
}
const heddle::image::Limits& image_limits() { return heddle::image::limits(); }

using AgentAttribute = api::Attribute<Runtime*, Agent>;
using A = const Agent&;
using R = Runtime* const&;
using V = api::Value;

constexpr AgentAttribute agent_attributes[] = {
    {HSA_AGENT_INFO_NAME, [](R, A agent, V value) { value.put_name(text(agent.config().name)); }},
    {HSA_AGENT_INFO_VENDOR_NAME,
     [](R, A agent, V value) { value.put_name(text(agent.config().vendor_name)); }},
    {HSA_AGENT_INFO_FEATURE,
     [](R, A agent, V value) {
       value.put<hsa_agent_feature_t>(static_cast<hsa_agent_feature_t>(agent.config().features));
     }},
    {HSA_AGENT_INFO_MACHINE_MODEL,
     [](R, A, V value) {
       value.put<hsa_machine_model_t>(sizeof(void*) == 8 ? HSA_MACHINE_MODEL_LARGE : HSA_MACHINE_MODEL_SMALL);
     }},
    {HSA_AGENT_INFO_PROFILE, [](R, A agent, V value) { value.put<hsa_profile_t>(agent.config().profile); }},
    {HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
     [](R, A agent, V value) {
       const auto mode = agent.config().default_float_rounding_mode;
       value.put<hsa_default_float_rounding_mode_t>(
           mode == HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT ? HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR : mode);
     }},
    {HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES,
     [](R, A agent, V value) {
       value.put<uint32_t>(isa_of(agent).base_profile_default_float_rounding_modes);
     }},
    {HSA_AGENT_INFO_FAST_F16_OPERATION,
     [](R, A agent, V value) { value.put<bool>(isa_of(agent).fast_f16 != 0); }},
    {HSA_AGENT_INFO_WAVEFRONT_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(isa_of(agent).wavefront_size); }},
    {HSA_AGENT_INFO_WORKGROUP_MAX_DIM,
     [](R, A agent, V value) { value.put_array<uint16_t>(isa_of(agent).workgroup_max_dim); }},
    {HSA_AGENT_INFO_WORKGROUP_MAX_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(isa_of(agent).workgroup_max_size); }},
    {HSA_AGENT_INFO_GRID_MAX_DIM,
     [](R, A agent, V value) { value.put<hsa_dim3_t>(isa_of(agent).grid_max_dim); }},
    {HSA_AGENT_INFO_GRID_MAX_SIZE,
     [](R, A agent, V value) {
       value.put<uint32_t>(
           static_cast<uint32_t>(std::min<uint64_t>(isa_of(agent).grid_max_size, UINT32_MAX)));
     }},
    {HSA_AGENT_INFO_FBARRIER_MAX_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(isa_of(agent).fbarrier_max_size); }},
    {HSA_AGENT_INFO_QUEUES_MAX, [](R, A agent, V value) { value.put<uint32_t>(agent.config().queues_max); }},
    {HSA_AGENT_INFO_QUEUE_MIN_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(agent.config().queue_min_size); }},
    {HSA_AGENT_INFO_QUEUE_MAX_SIZE,
     [](R, A agent, V value) { value.put<uint32_t>(agent.config().queue_max_size); }},
    {HSA_AGENT_INFO_QUEUE_TYPE,
     [](R, A agent, V value) { value.put<hsa_queue_type32_t>(agent.config().queue_type); }},
    {HSA_AGENT_INFO_NODE, [](R, A agent, V value) { value.put<uint32_t>(agent.config().node); }},
    {HSA_AGENT_INFO_DEVICE, [](R, A agent, V value) { value.put<hsa_device_type_t>(agent.config().device); }},
    {HSA_AGENT_INFO_CACHE_SIZE, [](R, A agent, V value) { put_cache_sizes(agent, value); }},
    {HSA_AGENT_INFO_ISA,
     [](R, A agent, V value) {
       value.put<hsa_isa_t>(agent.shown_isas.empty() ? hsa_isa_t{0} : agent.shown_isas.front()->handle);
     }},
    {HSA_AGENT_INFO_EXTENSIONS,
     [](R runtime, A agent, V value) { value.put_extensions(extension_mask(*runtime, agent)); }},
    {HSA_AGENT_INFO_VERSION_MAJOR, [](R, A, V value) { value.put<uint16_t>(1); }},
    {HSA_AGENT_INFO_VERSION_MINOR, [](R, A, V value) { value.put<uint16_t>(2); }},
    {HSA_AGENT_INFO_GROUP_SEGMENT_TYPE,
     [](R, A agent, V value) {
       value.put<hsa_agent_group_segment_type_t>(agent.config().group_segment_type);
     }},
    {HSA_AGENT_INFO_COMPUTE_UNIT_COUNT,
     [](R, A agent, V value) { value.put<uint32_t>(agent.config().compute_unit_count); }},
    {HSA_AGENT_INFO_MAX_CLOCK_FREQUENCY,
     [](R, A agent, V value) { value.put<uint64_t>(agent.config().max_clock_frequency); }},
    {HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().width_1d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().width_1d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().width_1db); }},
    {HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().size_2d, image_limits().size_2d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().size_2d, image_limits().size_2d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().size_2d, image_limits().size_2d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().size_2d, image_limits().size_2d); }},
    {HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS,
     [](R, A agent, V value) {
       put_limits(agent, value, image_limits().size_3d, image_limits().size_3d, image_limits().size_3d);
     }},
    {HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().layers); }},
    {HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().read_handles); }},
    {HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().write_handles); }},
    {HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().samplers); }},
    {HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT,
     [](R, A agent, V value) { put_limits(agent, value, image_limits().row_pitch_alignment); }},
};

using C = const Cache&;

constexpr api::Attribute<Cache> cache_attributes[] = {
    {HSA_CACHE_INFO_NAME_LENGTH,
     [](C cache, V value) { value.put<uint32_t>(static_cast<uint32_t>(cache.name.size() + 1)); }},
    {HSA_CACHE_INFO_NAME, [](C cache, V value) { value.put_c_string(cache.name); }},
    {HSA_CACHE_INFO_LEVEL, [](C cache, V value) { value.put<uint8_t>(cache.level); }},
    {HSA_CACHE_INFO_SIZE, [](C cache, V value) { value.put<uint32_t>(cache.size); }},
    {HSA_CACHE_INFO_CACHE_LINE_SIZE, [](C cache, V value) { value.put<uint32_t>(cache.line_size); }},
};

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto number = static_cast<uint32_t>(attribute);
    const hsa_status_t status = api::get_attribute(agent_attributes, number, value, &runtime, *found);
    return status == HSA_STATUS_SUCCESS ? status : amd::get_agent_info(runtime, *found, number, value);
  });
}

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data), void* data) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Topology& topology = runtime.topology();
    for (size_t i = 0; i < topology.agent_count(); ++i) {
      const hsa_status_t status = callback(topology.agent_at(i).handle, data);
      if (status != HSA_STATUS_SUCCESS) return status;
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile, uint16_t* mask) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!api::is_profile(profile) || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = isa_of(*found).exception_policies[profile];
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Cache* found = runtime.topology().cache(cache);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_CACHE;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(cache_attributes, static_cast<uint32_t>(attribute), value, *found);
  });
}

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent,
                                      hsa_status_t (*callback)(hsa_cache_t cache, void* data), void* data) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->caches, [&](const Cache* cache) { return callback(cache->handle, data); });
  });
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major,
                                           uint16_t version_minor, bool* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const Extension* wanted = find_extension(extension);
    if (wanted == nullptr || result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = wanted->supports(runtime, *found, version_major) && version_minor <= wanted->minor;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                 uint16_t version_major, uint16_t* version_minor,
                                                 bool* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const Extension* wanted = find_extension(extension);
    if (wanted == nullptr || version_minor == nullptr || result == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = wanted->supports(runtime, *found, version_major);
    if (*result) *version_minor = wanted->minor;
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
