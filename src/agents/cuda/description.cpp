// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/description.h"

#include <hsam/activity.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "agents/common/description.h"

namespace heddle::cuda {
namespace {

struct Isa {
  uint32_t capability;
  const char* name;
};

/// Newest first. The driver compiles the PTX of a target for every GPU of that compute capability and of
/// newer ones.
constexpr std::array<Isa, 5> isa_rows = {{{120, "heddle:nvptx-sm_120"},
                                          {100, "heddle:nvptx-sm_100"},
                                          {90, "heddle:nvptx-sm_90"},
                                          {80, "heddle:nvptx-sm_80"},
                                          {70, "heddle:nvptx-sm_70"}}};

/// Work-groups wait for each other with fbarriers in group memory, so there is no limit but that of the 32
/// that programs may count on (PRM appendix A).
constexpr uint32_t fbarriers = 32;
constexpr size_t longest_name = 63;  // of HSA_AGENT_INFO_NAME, without the zero at its end

hsam_region_description segment_region(hsam_segment segment, uint64_t size, uint64_t memory_id) {
  hsam_region_description region = {};
  region.segment = segment;
  region.size = region.alloc_max_size = size;
  region.alloc_granule = region.alloc_alignment = 64;
  region.memory_id = memory_id;
  return region;
}

/// Whether the environment says that kernels check addresses (docs/environment.md).
bool checks_addresses_by_default() {
  const char* value = secure_getenv("HEDDLE_CHECK_ADDRESSES");
  return value && *value && std::string_view(value) != "0";
}

hsam_region_description device_region(const GpuProperties& gpu, uint32_t agent) {
  hsam_region_description region = {};
  region.segment = HSAM_SEGMENT_GLOBAL;
  region.global_flags = HSAM_GLOBAL_FLAG_COARSE_GRAINED;
  region.size = region.alloc_max_size = gpu.memory;
  region.runtime_alloc_allowed = 1;
  region.alloc_alignment = 4096;
  // Kernels that check addresses then also notice those right behind an allocation.
  region.alloc_granule = checks_addresses_by_default() ? 1 : 4096;
  region.memory_id = device_memory_id(agent);
  return region;
}

hsam_isa_description isa_of(const Isa& row, const GpuProperties& gpu) {
  constexpr uint8_t zero_and_near =
      1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO | 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  hsam_isa_description isa = {};
  isa.name = row.name;
  isa.wavefront_size = gpu.warp_size;
  isa.machine_models[HSA_MACHINE_MODEL_LARGE] = 1;
  // Modules of the full profile run, too; the profile of the agent says that its memory is that of the base
  // profile.
  isa.profiles[HSA_PROFILE_BASE] = isa.profiles[HSA_PROFILE_FULL] = 1;
  isa.default_float_rounding_modes = 1u << HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT | zero_and_near;
  isa.base_profile_default_float_rounding_modes = zero_and_near;
  isa.mad_is_fused = 1;
  for (int i = 0; i < 3; ++i)
    isa.workgroup_max_dim[i] = static_cast<uint16_t>(std::min(gpu.group_max_size, 1024u));
  isa.workgroup_max_size = std::min(gpu.group_max_size, 1024u);
  isa.grid_max_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  isa.grid_max_size = UINT64_MAX;
  isa.fbarrier_max_size = fbarriers;
  return isa;
}

}  // namespace

Description::Description(const GpuProperties& gpu, uint32_t agent, bool needs_files)
    : name_(gpu.name.substr(0, longest_name)) {
  add_regions(gpu, agent);
  add_isas(gpu);
  add_caches(gpu);
  fill_config(gpu, agent);
  config_.wants_memory_files = needs_files;
}

bool Description::executes(const std::string& isa) const {
  return std::ranges::any_of(isas_, [&](const hsam_isa_description& own) { return isa == own.name; });
}

/// Adds the region of kernel arguments first and the fine-grained one as the last global one, as agents on
/// the host have them.
void Description::add_regions(const GpuProperties& gpu, uint32_t agent) {
  const std::vector<hsam_region_description> host = agents::host_regions();
  const auto with = [&](uint64_t id) {
    return *std::ranges::find(host, id, &hsam_region_description::memory_id);
  };
  hsam_region_description private_region =
      segment_region(HSAM_SEGMENT_PRIVATE, private_memory_max, private_memory_id);
  private_region.alloc_max_private_workgroup_size = static_cast<uint32_t>(
      std::min<uint64_t>(uint64_t{private_memory_max} * gpu.group_max_size, UINT32_MAX));
  regions_ = {with(HSAM_MEMORY_HOST_KERNARG),
              device_region(gpu, agent),
              with(HSAM_MEMORY_HOST_FINE),
              segment_region(HSAM_SEGMENT_GROUP, gpu.group_memory, group_memory_id),
              private_region,
              segment_region(HSAM_SEGMENT_READONLY, gpu.memory, readonly_memory_id)};
}

void Description::add_isas(const GpuProperties& gpu) {
  std::vector<const char*> names;
  for (const Isa& row : isa_rows)
    if (row.capability <= gpu.capability) names.push_back(row.name);
  names.push_back(nullptr);
  // A GPU that executes the code of a row executes that of all rows behind it.
  for (size_t i = 0; i + 1 < names.size(); ++i)
    also_executes_.emplace_back(names.begin() + static_cast<ptrdiff_t>(i) + 1, names.end());
  for (const Isa& row : isa_rows) {
    if (row.capability > gpu.capability) continue;
    hsam_isa_description isa = isa_of(row, gpu);
    isa.also_executes = also_executes_[isas_.size()].data();
    isas_.push_back(isa);
  }
}

void Description::add_caches(const GpuProperties& gpu) {
  constexpr uint32_t line = 128;  // of every GPU since compute capability 2.0
  if (gpu.l1_size != 0) caches_.push_back({"L1 and shared memory", 1, gpu.l1_size, line});
  if (gpu.l2_size != 0) caches_.push_back({"L2", 2, gpu.l2_size, line});
}

void Description::fill_config(const GpuProperties& gpu, uint32_t agent) {
  config_ = agents::kernel_agent_config(name_.c_str(), "NVIDIA", regions_, isas_);
  config_.agent_id = agent;
  config_.device = HSA_DEVICE_TYPE_GPU;
  config_.profile = HSA_PROFILE_BASE;
  config_.page_faults = 0;
  config_.compute_unit_count = gpu.multiprocessors;
  config_.max_clock_frequency = gpu.clock_frequency;
  config_.caches = caches_.data();
  config_.cache_count = static_cast<uint32_t>(caches_.size());
  config_.group_segment_type = HSA_AGENT_GROUP_SEGMENT_INFO_LOCAL;
  config_.host_images = 1;
  config_.wants_memory_messages = 1;
  config_.activities = HSAM_ACTIVITY_PACKET | HSAM_ACTIVITY_DISPATCH | HSAM_ACTIVITY_BARRIER;
}

}  // namespace heddle::cuda
