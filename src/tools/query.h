// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of runtime objects as return values.
#pragma once

#include <hsa/hsa.h>

#include <vector>

namespace heddle::tools {

namespace detail {
template <typename T, typename Handle, typename Attribute>
T ask(hsa_status_t (*query)(Handle, Attribute, void*), Handle handle, Attribute attribute) {
  T value{};
  query(handle, attribute, &value);
  return value;
}
}  // namespace detail

/// Returns the value of an attribute; zeros if the runtime refuses. T must be the type that the specification
/// defines.
template <typename T>
T info(hsa_agent_t agent, hsa_agent_info_t attribute) {
  return detail::ask<T>(hsa_agent_get_info, agent, attribute);
}
template <typename T>
T info(hsa_isa_t isa, hsa_isa_info_t attribute) {
  return detail::ask<T>(hsa_isa_get_info_alt, isa, attribute);
}
template <typename T>
T info(hsa_region_t region, hsa_region_info_t attribute) {
  return detail::ask<T>(hsa_region_get_info, region, attribute);
}
template <typename T>
T info(hsa_cache_t cache, hsa_cache_info_t attribute) {
  return detail::ask<T>(hsa_cache_get_info, cache, attribute);
}
template <typename T>
T info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
  return detail::ask<T>(hsa_executable_symbol_get_info, symbol, attribute);
}
template <typename T>
T system_info(hsa_system_info_t attribute) {
  T value{};
  hsa_system_get_info(attribute, &value);
  return value;
}

/// A callback for the runtime's iterations that appends handles to a std::vector<Handle>.
template <typename Handle>
hsa_status_t collect(Handle handle, void* into) {
  static_cast<std::vector<Handle>*>(into)->push_back(handle);
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::tools
