// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counter_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace heddle::tools {
namespace {

template <typename T>
T info(uint32_t counter, hsa_ext_perf_counter_info_t attribute) {
  T value{};
  hsa_ext_perf_counter_get_info(counter, attribute, &value);
  return value;
}

std::string text(uint32_t counter, hsa_ext_perf_counter_info_t length,
                 hsa_ext_perf_counter_info_t attribute) {
  std::string characters(info<uint32_t>(counter, length) + 1, '\0');
  hsa_ext_perf_counter_get_info(counter, attribute, characters.data());
  return characters.c_str();
}

/// Puts N in the place of a number between two dots.
std::string without_number(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  const size_t end = name.find_first_not_of("0123456789", dot + 1);
  if (end == std::string::npos || end == dot + 1 || name[end] != '.') return name;
  return name.substr(0, dot + 1) + "N" + name.substr(end);
}

std::string_view unit_of(hsa_ext_perf_counter_value_type_t type) {
  switch (type) {
    case HSA_EXT_PERF_COUNTER_VALUE_TYPE_PERCENTAGE:
      return " (%)";
    case HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS:
      return " (ms)";
    default:
      return "";
  }
}

/// The first association: for a counter of an agent's queues, the agent.
std::pair<hsa_ext_perf_counter_assoc_t, uint64_t> owner_of(uint32_t counter) {
  std::pair<hsa_ext_perf_counter_assoc_t, uint64_t> owner{HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM, 0};
  hsa_ext_perf_counter_iterate_associations(
      counter,
      [](hsa_ext_perf_counter_assoc_t type, uint64_t id, void* data) {
        *static_cast<decltype(owner)*>(data) = {type, id};
        return HSA_STATUS_INFO_BREAK;
      },
      &owner);
  return owner;
}

}  // namespace

CounterLines list_counters() {
  CounterLines lines;
  uint32_t count = 0;
  hsa_ext_perf_counter_get_num(&count);
  for (uint32_t i = 0; i < count; ++i) {
    std::vector<std::string>& of_owner = lines[owner_of(i)];
    const std::string name = text(i, HSA_EXT_PERF_COUNTER_INFO_NAME_LENGTH, HSA_EXT_PERF_COUNTER_INFO_NAME);
    std::string line = fmt::format(
        "{}: {}{}", without_number(name),
        text(i, HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION_LENGTH, HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION),
        unit_of(info<hsa_ext_perf_counter_value_type_t>(i, HSA_EXT_PERF_COUNTER_INFO_VALUE_TYPE)));
    if (std::ranges::find(of_owner, line) == of_owner.end()) of_owner.push_back(std::move(line));
  }
  return lines;
}

}  // namespace heddle::tools
