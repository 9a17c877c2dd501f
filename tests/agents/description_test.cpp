// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/description.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::agents {
namespace {

TEST(Description, TheHostIsDescribed) {
  const HostDescription& host = host_description();
  EXPECT_FALSE(host.name.empty());
  EXPECT_LE(host.name.size(), 63u);
  EXPECT_EQ(host.name.find('\0'), std::string::npos);
  EXPECT_FALSE(host.vendor.empty());
  EXPECT_GE(host.processors, 1u);
  EXPECT_GT(host.memory, uint64_t{64} << 20);
  for (size_t i = 1; i < host.caches.size(); ++i) EXPECT_GE(host.caches[i].level, host.caches[i - 1].level);
  for (const auto& cache : host.caches) {
    EXPECT_GT(cache.size, 0u);
    EXPECT_EQ(cache.name[0], 'L');
  }
}

TEST(Description, TheHostAgentHasItsRegionsInTheOrderThatClientsRelyOn) {
  const auto regions = host_regions();
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].global_flags, HSAM_GLOBAL_FLAG_KERNARG | HSAM_GLOBAL_FLAG_FINE_GRAINED);
  EXPECT_EQ(regions[1].global_flags, +HSAM_GLOBAL_FLAG_FINE_GRAINED);
  EXPECT_EQ(regions[2].global_flags, +HSAM_GLOBAL_FLAG_COARSE_GRAINED);
}

TEST(Description, AKernelAgentHasEverySegment) {
  const auto regions =
      kernel_agent_regions({.group = 65536, .private_work_item = 4096, .private_group = 1 << 20});
  std::vector<const hsam_region_description*> global;
  for (const auto& region : regions) {
    if (region.segment == HSAM_SEGMENT_GLOBAL) {
      global.push_back(&region);
      EXPECT_TRUE(region.runtime_alloc_allowed);
      EXPECT_GE(region.alloc_max_size, 256u);
      continue;
    }
    EXPECT_FALSE(region.runtime_alloc_allowed);
    EXPECT_GE(region.alloc_max_size, 256u);
    EXPECT_LE(region.alloc_max_size, region.size);
    EXPECT_EQ(region.global_flags, 0u);
    if (region.segment == HSAM_SEGMENT_GROUP) {
      EXPECT_EQ(region.size, 65536u);
    }
    if (region.segment == HSAM_SEGMENT_PRIVATE) {
      EXPECT_GE(region.alloc_max_private_workgroup_size, 65536u);
    }
  }
  ASSERT_EQ(global.size(), 3u);
  EXPECT_TRUE(global.front()->global_flags & HSAM_GLOBAL_FLAG_KERNARG);
  EXPECT_TRUE(global.back()->global_flags & HSAM_GLOBAL_FLAG_FINE_GRAINED);
  // The region is the same memory as the host agent's region, so that clients see one region.
  EXPECT_EQ(global.front()->memory_id, host_regions()[0].memory_id);
}

/// Programs that do not choose an ISA get the first.
TEST(Description, WavesOfOneVectorAreListedFirst) {
  EXPECT_STREQ(x86_isas(4).front().name, "heddle:x86-64-v4:w16");
  EXPECT_STREQ(x86_isas(3).front().name, "heddle:x86-64-v3:w8");
  EXPECT_STREQ(x86_isas(2).front().name, "heddle:x86-64-v2:w1");
  EXPECT_EQ(x86_isas(4).size(), 9u);
}

TEST(Description, AgentsOnTheHostNeedNoLockedMemory) {
  const auto regions = host_regions();
  const std::vector<hsam_isa_description> isas = {host_isa("an ISA", 4)};
  const auto kernel_agent = kernel_agent_config("name", "vendor", regions, isas);
  for (const hsa_agent_driver_config& config : {host_config(regions), kernel_agent}) {
    EXPECT_EQ(config.safe_own_payload + config.safe_all_payload + config.safe_all_headers, 0);
    EXPECT_EQ(config.safe_all_memory, 0);
    EXPECT_EQ(config.page_faults, 1);
    EXPECT_EQ(config.region_count, 3u);
    EXPECT_EQ(config.tail_size, sizeof(hsa_agent_driver_config));
  }
  EXPECT_STREQ(kernel_agent.name, "name");
  EXPECT_EQ(kernel_agent.isas[0].wavefront_size, 4u);
  EXPECT_EQ(host_config(regions).features, 0u);
  EXPECT_EQ(kernel_agent.features, +HSA_AGENT_FEATURE_KERNEL_DISPATCH);
}

}  // namespace
}  // namespace heddle::agents
