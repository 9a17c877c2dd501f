// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/description.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agents/common/host_agent.h"

namespace heddle::cuda::test {
namespace {

GpuProperties gpu_of(uint32_t capability) {
  GpuProperties gpu;
  gpu.name = std::string(80, 'x');
  gpu.capability = capability;
  gpu.memory = uint64_t{80} << 30;
  gpu.clock_frequency = 1'980'000'000;
  gpu.multiprocessors = 132;
  gpu.warp_size = 32;
  gpu.l1_size = 233472;
  gpu.l2_size = 50u << 20;
  gpu.group_memory = 232448;
  gpu.group_max_size = 1024;
  return gpu;
}

std::vector<std::string> isas_of(const hsa_agent_driver_config& config) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < config.isa_count; ++i) names.emplace_back(config.isas[i].name);
  return names;
}

std::vector<std::string> also_executed_by(const hsam_isa_description& isa) {
  std::vector<std::string> names;
  for (const char* const* name = isa.also_executes; *name; ++name) names.emplace_back(*name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Description, has_the_isas_up_to_the_compute_capability_best_first) {
  EXPECT_EQ(isas_of(Description(gpu_of(70), 0).config()), Names({"heddle:nvptx-sm_70"}));
  EXPECT_EQ(isas_of(Description(gpu_of(89), 0).config()),
            Names({"heddle:nvptx-sm_80", "heddle:nvptx-sm_70"}));
  const Description newest(gpu_of(121), 0);
  EXPECT_EQ(isas_of(newest.config()),
            Names({"heddle:nvptx-sm_120", "heddle:nvptx-sm_100", "heddle:nvptx-sm_90", "heddle:nvptx-sm_80",
                   "heddle:nvptx-sm_70"}));
  EXPECT_EQ(also_executed_by(newest.config().isas[2]), Names({"heddle:nvptx-sm_80", "heddle:nvptx-sm_70"}));
  EXPECT_TRUE(also_executed_by(newest.config().isas[4]).empty());
  EXPECT_TRUE(newest.executes("heddle:nvptx-sm_90"));
  EXPECT_FALSE(Description(gpu_of(80), 0).executes("heddle:nvptx-sm_90"));
}

TEST(Description, is_that_of_a_gpu_of_the_base_profile) {
  const Description description(gpu_of(90), 3);
  const hsa_agent_driver_config& config = description.config();
  EXPECT_EQ(config.device, HSA_DEVICE_TYPE_GPU);
  EXPECT_EQ(config.profile, HSA_PROFILE_BASE);
  EXPECT_EQ(config.agent_id, 3u);
  EXPECT_EQ(std::string(config.name), std::string(63, 'x'));
  EXPECT_EQ(config.compute_unit_count, 132u);
  EXPECT_EQ(config.max_clock_frequency, 1'980'000'000u);
  EXPECT_EQ(config.isas[0].wavefront_size, 32u);
  EXPECT_EQ(config.isas[0].workgroup_max_size, 1024u);
  ASSERT_EQ(config.cache_count, 2u);
  EXPECT_EQ(config.caches[1].size, 50u << 20);
  EXPECT_EQ(config.host_images, 1u);
}

/// The region with these flags and memory.
const hsam_region_description* find(const hsa_agent_driver_config& config, hsam_segment segment,
                                    uint32_t flags) {
  for (uint32_t i = 0; i < config.region_count; ++i)
    if (config.regions[i].segment == segment && config.regions[i].global_flags == flags)
      return &config.regions[i];
  return nullptr;
}

TEST(Description, has_host_memory_for_arguments_and_memory_of_its_own) {
  const Description first(gpu_of(90), 0), second(gpu_of(90), 1);
  const auto* kernarg =
      find(first.config(), HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_FINE_GRAINED | HSAM_GLOBAL_FLAG_KERNARG);
  ASSERT_NE(kernarg, nullptr);
  EXPECT_EQ(kernarg->memory_id, static_cast<uint64_t>(HSAM_MEMORY_HOST_KERNARG));
  ASSERT_NE(find(first.config(), HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_FINE_GRAINED), nullptr);
  const auto* device = find(first.config(), HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_COARSE_GRAINED);
  const auto* other = find(second.config(), HSAM_SEGMENT_GLOBAL, HSAM_GLOBAL_FLAG_COARSE_GRAINED);
  ASSERT_TRUE(device && other);
  EXPECT_EQ(device->size, uint64_t{80} << 30);
  EXPECT_GE(device->memory_id, static_cast<uint64_t>(HSAM_MEMORY_AGENT_FIRST));
  EXPECT_NE(device->memory_id, other->memory_id) << "GPUs share no device memory";
  const auto* group = find(first.config(), HSAM_SEGMENT_GROUP, 0);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->alloc_max_size, 232448u);
}

}  // namespace
}  // namespace heddle::cuda::test
