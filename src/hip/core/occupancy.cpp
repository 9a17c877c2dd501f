// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/occupancy.h"

#include <algorithm>

#include "hip/core/launch.h"

namespace heddle::hip {
namespace {

uint32_t largest_group(const Function& function) {
  const uint32_t own = function.kernel.largest_group;
  return own != 0 ? own : function.device.properties().largest_group;
}

struct AttributeRow {
  hipFunction_attribute attribute;
  int (*value)(const hipFuncAttributes&);
};

#define ATTRIBUTE(name, member) \
  {HIP_FUNC_ATTRIBUTE_##name, [](const hipFuncAttributes& all) { return static_cast<int>(all.member); }}

constexpr AttributeRow attribute_rows[] = {
    ATTRIBUTE(MAX_THREADS_PER_BLOCK, maxThreadsPerBlock),
    ATTRIBUTE(SHARED_SIZE_BYTES, sharedSizeBytes),
    ATTRIBUTE(CONST_SIZE_BYTES, constSizeBytes),
    ATTRIBUTE(LOCAL_SIZE_BYTES, localSizeBytes),
    ATTRIBUTE(NUM_REGS, numRegs),
    ATTRIBUTE(PTX_VERSION, ptxVersion),
    ATTRIBUTE(BINARY_VERSION, binaryVersion),
    ATTRIBUTE(CACHE_MODE_CA, cacheModeCA),
    ATTRIBUTE(MAX_DYNAMIC_SHARED_SIZE_BYTES, maxDynamicSharedSizeBytes),
    ATTRIBUTE(PREFERRED_SHARED_MEMORY_CARVEOUT, preferredShmemCarveout)};

#undef ATTRIBUTE

}  // namespace

std::optional<int> attribute_of(const Function& function, hipFunction_attribute attribute) {
  const auto* const row = std::ranges::find(attribute_rows, attribute, &AttributeRow::attribute);
  if (row == std::end(attribute_rows)) return std::nullopt;
  return row->value(attributes_of(function));
}

hipFuncAttributes attributes_of(const Function& function) {
  const Kernel& kernel = function.kernel;
  hipFuncAttributes attributes{};
  attributes.localSizeBytes = function.program.code_of(kernel).private_size;
  attributes.sharedSizeBytes = kernel.group_size;
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_group_limit(function));
  attributes.maxThreadsPerBlock = static_cast<int>(largest_group(function));
  return attributes;
}

int groups_of_unit(const Function& function, uint32_t group, size_t dynamic_group_size) {
  const AgentProperties& agent = function.device.properties();
  if (group > largest_group(function) || dynamic_group_size > dynamic_group_limit(function)) return 0;
  const uint32_t waves = std::max(agent.waves_of_unit, agent.largest_group / wave_size);
  const uint32_t by_waves = std::max<uint32_t>(waves / ((group + wave_size - 1) / wave_size), 1);
  const size_t memory = function.kernel.group_size + dynamic_group_size;
  const size_t by_memory = memory == 0 ? by_waves : agent.group_memory_size / memory;
  return static_cast<int>(std::min<size_t>(by_waves, by_memory));
}

PreferredShape preferred_shape(const Function& function, size_t dynamic_group_size, uint32_t limit) {
  const uint32_t most = limit == 0 ? largest_group(function) : std::min(limit, largest_group(function));
  PreferredShape best{0, std::min(most, wave_size)};
  uint64_t best_items = 0;
  for (uint32_t group = most; group >= wave_size; group = (group - 1) / wave_size * wave_size) {
    const auto groups = static_cast<uint32_t>(groups_of_unit(function, group, dynamic_group_size));
    if (uint64_t{groups} * group <= best_items) continue;
    best_items = uint64_t{groups} * group;
    best = {groups * function.device.properties().compute_units, group};
  }
  return best;
}

}  // namespace heddle::hip
