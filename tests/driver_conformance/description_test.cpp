// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description that an agent gives of itself: it must answer the runtime's queries and have the shape that
// existing programs rely on.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "host.h"

namespace heddle::conformance {
namespace {

const std::deque<RegisteredAgent>& agents() { return Host::get().agents(); }

bool is_global(const hsam_region_description& region, uint32_t flags) {
  return region.segment == HSAM_SEGMENT_GLOBAL && (region.global_flags & flags) == flags;
}

TEST(Description, agents_are_registered_once_each) {
  ASSERT_FALSE(agents().empty());
  std::set<uint32_t> ids;
  for (const RegisteredAgent& agent : agents()) {
    EXPECT_TRUE(ids.insert(agent.config.agent_id).second);
    ASSERT_NE(agent.config.name, nullptr);
    EXPECT_NE(*agent.config.name, '\0');
    ASSERT_NE(agent.config.vendor_name, nullptr);
    EXPECT_LE(agent.config.major, static_cast<uint32_t>(HSAM_VERSION_MAJOR));
    EXPECT_NE(agent.interface.client_new, nullptr);
    EXPECT_NE(agent.interface.client_remove, nullptr);
    EXPECT_LE(static_cast<uint32_t>(agent.config.device), static_cast<uint32_t>(HSA_DEVICE_TYPE_DSP));
    EXPECT_NE(agent.config.default_float_rounding_mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT);
  }
}

TEST(Description, global_regions_are_consistent) {
  for (const RegisteredAgent& agent : agents()) {
    SCOPED_TRACE(agent.config.name);
    bool fine = false;
    for (uint32_t i = 0; i < agent.config.region_count; ++i) {
      const hsam_region_description& region = agent.config.regions[i];
      if (region.segment != HSAM_SEGMENT_GLOBAL) continue;
      bool is_fine = is_global(region, HSAM_GLOBAL_FLAG_FINE_GRAINED);
      fine |= is_fine && region.runtime_alloc_allowed;
      EXPECT_NE(is_fine, is_global(region, HSAM_GLOBAL_FLAG_COARSE_GRAINED));
      if (is_global(region, HSAM_GLOBAL_FLAG_KERNARG)) {
        EXPECT_TRUE(is_fine);
      }
      if (!region.runtime_alloc_allowed) continue;
      EXPECT_TRUE(std::has_single_bit(region.alloc_alignment));
      EXPECT_NE(region.alloc_granule, 0u);
      EXPECT_GE(region.alloc_max_size, 256u);
      EXPECT_LE(region.alloc_max_size, region.size);
    }
    EXPECT_TRUE(fine) << "no fine-grained region";
  }
}

TEST(Description, regions_of_kernel_agents) {
  for (const RegisteredAgent& agent : agents()) {
    if (!agent.dispatches_kernels()) continue;
    SCOPED_TRACE(agent.config.name);
    int segments[6] = {};
    const hsam_region_description* first_global = nullptr;
    const hsam_region_description* last_global = nullptr;
    bool kernarg = false;
    for (uint32_t i = 0; i < agent.config.region_count; ++i) {
      const hsam_region_description& region = agent.config.regions[i];
      ASSERT_LT(static_cast<unsigned>(region.segment), 6u);
      ++segments[region.segment];
      if (region.segment == HSAM_SEGMENT_GLOBAL) {
        if (first_global == nullptr) first_global = &region;
        last_global = &region;
        kernarg |= is_global(region, HSAM_GLOBAL_FLAG_KERNARG) && region.runtime_alloc_allowed;
        continue;
      }
      EXPECT_FALSE(region.runtime_alloc_allowed);
      // A dispatch must be able to ask for this much.
      EXPECT_GE(region.alloc_max_size, 256u);
      EXPECT_LE(region.alloc_max_size, region.size);
      EXPECT_EQ(region.global_flags, 0u);
      if (region.segment == HSAM_SEGMENT_PRIVATE) {
        EXPECT_GE(region.alloc_max_private_workgroup_size, 65536u);
      }
    }
    EXPECT_TRUE(kernarg);
    EXPECT_EQ(segments[HSAM_SEGMENT_GROUP], 1);
    EXPECT_EQ(segments[HSAM_SEGMENT_PRIVATE], 1);
    EXPECT_GE(segments[HSAM_SEGMENT_READONLY], 1);
    // Some programs use the first global region for kernel arguments, and some use the last one for data that
    // they share with the host.
    ASSERT_NE(first_global, nullptr);
    EXPECT_TRUE(is_global(*first_global, HSAM_GLOBAL_FLAG_KERNARG));
    EXPECT_TRUE(is_global(*last_global, HSAM_GLOBAL_FLAG_FINE_GRAINED));
  }
}

TEST(Description, the_host_agent_lists_kernarg_fine_coarse) {
  for (const RegisteredAgent& agent : agents()) {
    if (agent.dispatches_kernels() || agent.config.device != HSA_DEVICE_TYPE_CPU) continue;
    ASSERT_GE(agent.config.region_count, 3u);
    EXPECT_TRUE(is_global(agent.config.regions[0], HSAM_GLOBAL_FLAG_FINE_GRAINED | HSAM_GLOBAL_FLAG_KERNARG));
    EXPECT_EQ(agent.config.regions[1].global_flags, static_cast<uint32_t>(HSAM_GLOBAL_FLAG_FINE_GRAINED));
    EXPECT_EQ(agent.config.regions[2].global_flags, static_cast<uint32_t>(HSAM_GLOBAL_FLAG_COARSE_GRAINED));
    EXPECT_EQ(agent.config.isa_count, 0u);
    EXPECT_EQ(agent.config.features, 0u);
  }
}

TEST(Description, queues_of_kernel_agents) {
  for (const RegisteredAgent& agent : agents()) {
    if (!agent.dispatches_kernels()) continue;
    SCOPED_TRACE(agent.config.name);
    // Existing programs compare these with == and accept no other value.
    EXPECT_EQ(agent.config.features, static_cast<uint32_t>(HSA_AGENT_FEATURE_KERNEL_DISPATCH));
    EXPECT_EQ(agent.config.queue_type, static_cast<uint32_t>(HSA_QUEUE_TYPE_MULTI));
    EXPECT_TRUE(std::has_single_bit(agent.config.queue_min_size));
    EXPECT_TRUE(std::has_single_bit(agent.config.queue_max_size));
    EXPECT_LE(agent.config.queue_min_size, agent.config.queue_max_size);
    // Some programs create arrays with queues_max elements on their stacks; others create queues of 16384
    // packets without asking for the limit.
    EXPECT_GE(agent.config.queues_max, 1u);
    EXPECT_LE(agent.config.queues_max, 128u);
    EXPECT_GE(agent.config.queue_max_size, 16384u);
    EXPECT_NE(agent.interface.queue_new, nullptr);
    EXPECT_NE(agent.interface.queue_remove, nullptr);
    EXPECT_NE(agent.interface.queue_inactivate, nullptr);
    EXPECT_NE(agent.interface.code_load, nullptr);
    EXPECT_NE(agent.interface.code_unload, nullptr);
    EXPECT_NE(agent.interface.code_kernel, nullptr);
    EXPECT_NE(agent.interface.code_function, nullptr);
  }
}

TEST(Description, isas_of_kernel_agents) {
  for (const RegisteredAgent& agent : agents()) {
    if (!agent.dispatches_kernels()) continue;
    ASSERT_GE(agent.config.isa_count, 1u);
    std::set<std::string> names;
    for (uint32_t i = 0; i < agent.config.isa_count; ++i) {
      const hsam_isa_description& isa = agent.config.isas[i];
      ASSERT_NE(isa.name, nullptr);
      SCOPED_TRACE(isa.name);
      EXPECT_TRUE(names.insert(isa.name).second);
      EXPECT_TRUE(std::has_single_bit(isa.wavefront_size));
      EXPECT_LE(isa.wavefront_size, 256u);
      EXPECT_TRUE(isa.machine_models[0] || isa.machine_models[1]);
      EXPECT_TRUE(isa.profiles[0] || isa.profiles[1]);
      EXPECT_NE(isa.default_float_rounding_modes, 0);
      EXPECT_GE(isa.workgroup_max_size, 256u);
      EXPECT_GE(isa.grid_max_size, isa.workgroup_max_size);
      EXPECT_GE(isa.fbarrier_max_size, 32u);
      const uint32_t grid[] = {isa.grid_max_dim.x, isa.grid_max_dim.y, isa.grid_max_dim.z};
      for (int d = 0; d < 3; ++d) {
        EXPECT_GE(isa.workgroup_max_dim[d], 1);
        EXPECT_LE(isa.workgroup_max_dim[d], isa.workgroup_max_size);
        EXPECT_GE(grid[d], isa.workgroup_max_dim[d]);
      }
    }
  }
}

TEST(Description, caches_come_in_ascending_level) {
  for (const RegisteredAgent& agent : agents())
    for (uint32_t i = 0; i < agent.config.cache_count; ++i) {
      EXPECT_NE(agent.config.caches[i].name, nullptr);
      EXPECT_GE(agent.config.caches[i].level, 1);
      if (i != 0) {
        EXPECT_GE(agent.config.caches[i].level, agent.config.caches[i - 1].level);
      }
    }
}

}  // namespace
}  // namespace heddle::conformance
