// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction set architectures and wavefronts (Runtime 2.8.1.1 to 2.8.1.16).
#include "runtime/api/isa_attributes.h"

using namespace heddle::runtime;

namespace {

constexpr uint32_t call_convention_count = 1;

using I = const Isa&;
using V = api::Value;

/// Writes a bool[N] from a bit mask.
template <size_t N>
void put_mask(uint32_t mask, V value) {
  bool bits[N];
  for (size_t i = 0; i < N; ++i) bits[i] = (mask >> i & 1) != 0;
  value.put_array<bool>(bits);
}

void put_flags(const uint8_t (&flags)[2], V value) {
  const bool bits[2] = {flags[0] != 0, flags[1] != 0};
  value.put_array<bool>(bits);
}

constexpr api::Attribute<Isa> isa_attributes[] = {
    {HSA_ISA_INFO_NAME_LENGTH,
     [](I isa, V value) { value.put<uint32_t>(static_cast<uint32_t>(isa.name.size() + 1)); }},
    {HSA_ISA_INFO_NAME, [](I isa, V value) { value.put_c_string(isa.name); }},
    {HSA_ISA_INFO_CALL_CONVENTION_COUNT, [](I, V value) { value.put<uint32_t>(call_convention_count); }},
    {HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE,
     [](I isa, V value) { value.put<uint32_t>(isa.description.wavefront_size); }},
    {HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT,
     // A compute unit holds the waves of at least one work-group of the largest size.
     [](I isa, V value) {
       const uint32_t wave = isa.description.wavefront_size;
       value.put<uint32_t>(wave == 0 ? 0 : (isa.description.workgroup_max_size + wave - 1) / wave);
     }},
    {HSA_ISA_INFO_MACHINE_MODELS, [](I isa, V value) { put_flags(isa.description.machine_models, value); }},
    {HSA_ISA_INFO_PROFILES, [](I isa, V value) { put_flags(isa.description.profiles, value); }},
    {HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES,
     [](I isa, V value) { put_mask<3>(isa.description.default_float_rounding_modes, value); }},
    {HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES,
     [](I isa, V value) { put_mask<3>(isa.description.base_profile_default_float_rounding_modes, value); }},
    {HSA_ISA_INFO_FAST_F16_OPERATION, [](I isa, V value) { value.put<bool>(isa.description.fast_f16 != 0); }},
    {HSA_ISA_INFO_WORKGROUP_MAX_DIM,
     [](I isa, V value) { value.put_array<uint16_t>(isa.description.workgroup_max_dim); }},
    {HSA_ISA_INFO_WORKGROUP_MAX_SIZE,
     [](I isa, V value) { value.put<uint32_t>(isa.description.workgroup_max_size); }},
    {HSA_ISA_INFO_GRID_MAX_DIM, [](I isa, V value) { value.put<hsa_dim3_t>(isa.description.grid_max_dim); }},
    {HSA_ISA_INFO_GRID_MAX_SIZE, [](I isa, V value) { value.put<uint64_t>(isa.description.grid_max_size); }},
    {HSA_ISA_INFO_FBARRIER_MAX_SIZE,
     [](I isa, V value) { value.put<uint32_t>(isa.description.fbarrier_max_size); }},
};

constexpr api::Attribute<Wavefront> wavefront_attributes[] = {
    {HSA_WAVEFRONT_INFO_SIZE,
     [](const Wavefront& wavefront, V value) { value.put<uint32_t>(wavefront.size); }},
};

/// Reports whether every agent with the ISA `agent` executes code for the ISA `code`. The relation is not
/// symmetric: the newest level of a processor family executes code for the older levels, but not the reverse.
bool executes(const Isa& agent, const Isa& code) {
  if (&agent == &code) return true;
  const char* const* name = agent.description.also_executes;
  if (name == nullptr) return false;
  while (*name != nullptr && code.name != *name) ++name;
  return *name != nullptr;
}

bool is_fp_type(hsa_fp_type_t type) {
  return type == HSA_FP_TYPE_16 || type == HSA_FP_TYPE_32 || type == HSA_FP_TYPE_64;
}

}  // namespace

hsa_status_t api::get_isa_info(const Isa& isa, uint32_t attribute, uint32_t index, void* value) {
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // Only the attributes of call conventions use the index, but it must be in range for all (2.8.1.5).
  if (index >= call_convention_count) return HSA_STATUS_ERROR_INVALID_INDEX;
  return get_attribute(isa_attributes, attribute, value, isa);
}

namespace heddle::runtime::functions {

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Isa* found = runtime.topology().find_agent_isa(name);
    // Any ISA will do (2.8.1.2), whether or not an agent of this machine executes it. Every ISA name has a
    // vendor prefix; for a name without one there is no need to open the finalizer.
    if (found == nullptr && std::strchr(name, ':') != nullptr) found = api::find_finalizer_isa(runtime, name);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA_NAME;
    *isa = found->handle;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                    void* data) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->shown_isas, [&](const Isa* isa) { return callback(isa->handle, data); });
  });
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Isa* found = runtime.topology().isa(isa);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    return api::get_isa_info(*found, static_cast<uint32_t>(attribute), index, value);
  });
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  return functions::hsa_isa_get_info(isa, attribute, 0, value);
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t profile, uint16_t* mask) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Isa* found = runtime.topology().isa(isa);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!api::is_profile(profile) || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = found->description.exception_policies[profile];
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t fp_type, hsa_flush_mode_t flush_mode,
                                      hsa_round_method_t* round_method) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Isa* found = runtime.topology().isa(isa);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    const bool is_flush_mode = flush_mode == HSA_FLUSH_MODE_FTZ || flush_mode == HSA_FLUSH_MODE_NON_FTZ;
    if (!is_fp_type(fp_type) || !is_flush_mode || round_method == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *round_method = found->description.mad_is_fused != 0 ? HSA_ROUND_METHOD_SINGLE : HSA_ROUND_METHOD_DOUBLE;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Wavefront* found = runtime.topology().wavefront(wavefront);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::get_attribute(wavefront_attributes, static_cast<uint32_t>(attribute), value, *found);
  });
}

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa,
                                        hsa_status_t (*callback)(hsa_wavefront_t wavefront, void* data),
                                        void* data) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Isa* found = runtime.topology().isa(isa);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->wavefronts,
                        [&](const Wavefront* wave) { return callback(wave->handle, data); });
  });
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Isa* code = runtime.topology().isa(code_object_isa);
    const Isa* agent = runtime.topology().isa(agent_isa);
    if (code == nullptr || agent == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = executes(*agent, *code);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
