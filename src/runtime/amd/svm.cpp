// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions for attributes of ranges of memory.
#include <algorithm>

#include <hsam/signal.h>

#include "runtime/amd/attributes.h"
#include "runtime/amd/state.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"
#include "support/align.h"

using namespace heddle::runtime;

namespace {

using Pair = hsa_amd_svm_attribute_pair_t;

/// A range of whole pages.
struct Pages {
  uintptr_t begin, end;
};

/// Stores the pages of a range. Returns false if it is empty or not a range of addresses.
bool pages_of(const void* base, size_t size, Pages& pages) {
  const auto begin = reinterpret_cast<uintptr_t>(base);
  const uintptr_t page = amd::page_size();
  if (base == nullptr || size == 0 || size > UINTPTR_MAX - page - begin) return false;
  pages = {begin / page * page, heddle::align_up(begin + size, page)};
  return true;
}

bool is_access(uint64_t attribute) {
  return attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE ||
         attribute == HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
}

bool is_agent(const Topology& topology, uint64_t handle) { return topology.agent({handle}) != nullptr; }

hsa_status_t check_settable(const Topology& topology, const Pair& pair) {
  if (is_access(pair.attribute))
    return is_agent(topology, pair.value) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
  if (pair.attribute >= amd::SvmAttributes::count || pair.attribute == HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION)
    return pair.value == 0 || is_agent(topology, pair.value) ? HSA_STATUS_SUCCESS
                                                             : HSA_STATUS_ERROR_INVALID_AGENT;
  // The rest are truth values, a model with two values, and the logarithm of a number of pages.
  const uint64_t largest = pair.attribute == HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY ? 63 : 1;
  return pair.value <= largest ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/// Returns the value of a range whose pages have these attributes.
uint64_t common_value(const std::vector<amd::SvmAttributes>& found, uint64_t attribute) {
  const auto value = [&](const amd::SvmAttributes& one) { return one.values[attribute]; };
  const uint64_t first = value(found.front());
  if (std::ranges::all_of(found, [&](const auto& one) { return value(one) == first; })) return first;
  switch (attribute) {
    case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
      return HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE;
    case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
      return std::ranges::min(found, {}, value).values[attribute];
    default:
      return 0;
  }
}

/// Returns the access of an agent to a range whose pages have these attributes: the least of all pages.
uint64_t common_access(const std::vector<amd::SvmAttributes>& found, uint64_t agent) {
  const auto has = [&](uint64_t access) {
    return std::ranges::any_of(found, [&](const auto& one) { return one.access_of(agent) == access; });
  };
  if (has(HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS)) return HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
  return has(HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE) ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE
                                                  : HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
}

hsa_status_t check_gettable(const Topology& topology, const Pair& pair) {
  if (pair.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY)
    return is_agent(topology, pair.value) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
  return pair.attribute < amd::SvmAttributes::count ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/// Checks what all functions have in common, and stores the pages.
hsa_status_t check_range(Runtime& runtime, const void* base, size_t size, Pages& pages) {
  if (!amd::is_svm_supported(runtime)) return HSA_STATUS_ERROR;
  return pages_of(base, size, pages) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/// The same for a list of attributes, each of which must pass `check`.
template <typename Check>
hsa_status_t check_list(Runtime& runtime, const Pair* list, size_t count, Check check) {
  if (list == nullptr && count != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const Pair& pair : std::span(list, count)) {
    const hsa_status_t status = check(runtime.topology(), pair);
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

/// Subtracts 1 from a signal once each of the others has had the value 0, as a copy of nothing does.
hsa_status_t complete_after(Runtime& runtime, std::span<const hsa_signal_t> signals,
                            hsa_signal_t completion) {
  CopyService::Copy nothing;
  nothing.completion = reinterpret_cast<hsam_signal*>(completion.handle);
  return runtime.copies().submit(nothing, {}, signals);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_svm_attributes_set(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return api::guard([&](Runtime& runtime) {
    Pages pages{};
    hsa_status_t status = check_range(runtime, ptr, size, pages);
    if (status == HSA_STATUS_SUCCESS)
      status = check_list(runtime, attribute_list, attribute_count, check_settable);
    if (status == HSA_STATUS_SUCCESS)
      runtime.amd().svm.set(pages.begin, pages.end, std::span(attribute_list, attribute_count));
    return status;
  });
}

hsa_status_t hsa_amd_svm_attributes_get(void* ptr, size_t size, hsa_amd_svm_attribute_pair_t* attribute_list,
                                        size_t attribute_count) {
  return api::guard([&](Runtime& runtime) {
    Pages pages{};
    hsa_status_t status = check_range(runtime, ptr, size, pages);
    if (status == HSA_STATUS_SUCCESS)
      status = check_list(runtime, attribute_list, attribute_count, check_gettable);
    if (status != HSA_STATUS_SUCCESS) return status;
    const auto found = runtime.amd().svm.get(pages.begin, pages.end);
    for (Pair& pair : std::span(attribute_list, attribute_count)) {
      if (pair.attribute == HSA_AMD_SVM_ATTRIB_ACCESS_QUERY)
        pair.attribute = common_access(found, pair.value);
      else
        pair.value = common_value(found, pair.attribute);
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent, uint32_t num_dep_signals,
                                        const hsa_signal_t* dep_signals, hsa_signal_t completion_signal) {
  return api::guard([&](Runtime& runtime) {
    Pages pages{};
    const hsa_status_t status = check_range(runtime, ptr, size, pages);
    if (status != HSA_STATUS_SUCCESS) return status;
    if (!is_agent(runtime.topology(), agent.handle)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (dep_signals == nullptr && num_dep_signals != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::span signals(dep_signals, num_dep_signals);
    const auto is_signal = [](hsa_signal_t signal) {
      return heddle::driver::Client::is_signal(signal.handle);
    };
    if (!std::ranges::all_of(signals, is_signal) ||
        (completion_signal.handle != 0 && !is_signal(completion_signal)))
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const Pair location{HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, agent.handle};
    runtime.amd().svm.set(pages.begin, pages.end, std::span(&location, 1));
    return completion_signal.handle == 0 ? HSA_STATUS_SUCCESS
                                         : complete_after(runtime, signals, completion_signal);
  });
}

}  // namespace heddle::runtime::functions
