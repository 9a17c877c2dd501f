// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system and its extensions (Runtime 2.3.1.1 to 2.3.1.11).
#include <algorithm>
#include <bit>

#include "runtime/amd/attributes.h"
#include "runtime/api/api.h"
#include "runtime/api/extension.h"

using namespace heddle::runtime;

namespace {

using SystemAttribute = api::Attribute<Runtime*>;

constexpr SystemAttribute system_attributes[] = {
    {HSA_SYSTEM_INFO_VERSION_MAJOR, [](Runtime* const&, api::Value value) { value.put<uint16_t>(1); }},
    {HSA_SYSTEM_INFO_VERSION_MINOR, [](Runtime* const&, api::Value value) { value.put<uint16_t>(2); }},
    {HSA_SYSTEM_INFO_TIMESTAMP,
     [](Runtime* const&, api::Value value) { value.put<uint64_t>(heddle::driver::timestamp()); }},
    {HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
     [](Runtime* const&, api::Value value) { value.put<uint64_t>(heddle::driver::timestamp_frequency()); }},
    {HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT,
     [](Runtime* const&, api::Value value) { value.put<uint64_t>(UINT64_MAX); }},
    {HSA_SYSTEM_INFO_ENDIANNESS,
     [](Runtime* const&, api::Value value) {
       value.put<hsa_endianness_t>(std::endian::native == std::endian::little ? HSA_ENDIANNESS_LITTLE
                                                                              : HSA_ENDIANNESS_BIG);
     }},
    {HSA_SYSTEM_INFO_MACHINE_MODEL,
     [](Runtime* const&, api::Value value) {
       value.put<hsa_machine_model_t>(sizeof(void*) == 8 ? HSA_MACHINE_MODEL_LARGE : HSA_MACHINE_MODEL_SMALL);
     }},
    {HSA_SYSTEM_INFO_EXTENSIONS,
     [](Runtime* const& runtime, api::Value value) { value.put_extensions(extension_mask(*runtime)); }},
};

/// Returns the extension with this number if the system supports the major version, otherwise null.
const Extension* table_source(Runtime& runtime, uint16_t number, uint16_t major) {
  const Extension* extension = find_extension(number);
  return extension != nullptr && extension->supports(runtime, major) ? extension : nullptr;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto number = static_cast<uint32_t>(attribute);
    const hsa_status_t status = api::get_attribute(system_attributes, number, value, &runtime);
    return status == HSA_STATUS_SUCCESS ? status : amd::get_system_info(runtime, number, value);
  });
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name) {
  return api::guard_in_configuration([&](Runtime&) {
    const Extension* found = find_extension(extension);
    if (found == nullptr || name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *name = found->name;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, bool* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Extension* found = find_extension(extension);
    if (found == nullptr || result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = found->supports(runtime, version_major) && version_minor <= found->minor;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major,
                                                  uint16_t* version_minor, bool* result) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Extension* found = find_extension(extension);
    if (found == nullptr || version_minor == nullptr || result == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = found->supports(runtime, version_major);
    if (*result) *version_minor = found->minor;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                            uint16_t version_minor, void* table) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Extension* found = table_source(runtime, extension, version_major);
    if (found == nullptr || version_minor > found->minor || table == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::memcpy(table, found->table(runtime), found->size_of_version(version_minor));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                  size_t table_length, void* table) {
  return api::guard_in_configuration([&](Runtime& runtime) {
    const Extension* found = table_source(runtime, extension, version_major);
    if (found == nullptr || table == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::memcpy(table, found->table(runtime), std::min(table_length, found->table_size));
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
