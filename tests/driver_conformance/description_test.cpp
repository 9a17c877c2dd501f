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
    bool kernarg = false;
    for (uint32_t i = 0; i < agent.config.region_count; ++i) {
      const hsam_region_description& region = agent.config.regions[i];
      if (region.segment != HSAM_SEGMENT_GLOBAL) continue;
      bool is_fine = is_global(region, HSAM_GLOBAL_FLAG_FINE_GRAINED);
      fine |= is_fine && region.runtime_alloc_allowed;
      kernarg |= is_global(region, HSAM_GLOBAL_FLAG_KERNARG) && region.runtime_alloc_allowed;
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
    EXPECT_TRUE(kernarg || !agent.dispatches_kernels()) << "no region for kernel arguments";
  }
}

TEST(Description, other_regions_are_consistent) {
  for (const RegisteredAgent& agent : agents()) {
    SCOPED_TRACE(agent.config.name);
    int segments[6] = {};
    for (uint32_t i = 0; i < agent.config.region_count; ++i) {
      const hsam_region_description& region = agent.config.regions[i];
      ASSERT_LT(static_cast<unsigned>(region.segment), 6u);
      ++segments[region.segment];
      if (region.segment == HSAM_SEGMENT_GLOBAL || region.segment == HSAM_SEGMENT_SYSTEM) continue;
      EXPECT_FALSE(region.runtime_alloc_allowed);
      EXPECT_LE(region.alloc_max_size, region.size);
      EXPECT_EQ(region.global_flags, 0u);
    }
    EXPECT_LE(segments[HSAM_SEGMENT_GROUP], 1);
    EXPECT_LE(segments[HSAM_SEGMENT_PRIVATE], 1);
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

TEST(Description, queues_have_sizes_and_functions) {
  for (const RegisteredAgent& agent : agents()) {
    if (agent.config.features == 0) continue;
    SCOPED_TRACE(agent.config.name);
    EXPECT_EQ(agent.config.features & ~static_cast<uint32_t>(HSA_AGENT_FEATURE_KERNEL_DISPATCH |
                                                             HSA_AGENT_FEATURE_AGENT_DISPATCH),
              0u);
    EXPECT_LE(agent.config.queue_type, static_cast<uint32_t>(HSA_QUEUE_TYPE_SINGLE));
    EXPECT_TRUE(agent.config.queue_min_size == 0 || std::has_single_bit(agent.config.queue_min_size));
    EXPECT_TRUE(std::has_single_bit(agent.config.queue_max_size));
    EXPECT_LE(agent.config.queue_min_size, agent.config.queue_max_size);
    EXPECT_GE(agent.config.queue_max_size, 8u);
    EXPECT_GE(agent.config.queues_max, 1u);
    EXPECT_NE(agent.interface.queue_new, nullptr);
    EXPECT_NE(agent.interface.queue_remove, nullptr);
    EXPECT_NE(agent.interface.queue_inactivate, nullptr);
  }
}

TEST(Description, kernel_agents_have_all_functions) {
  for (const RegisteredAgent& agent : agents()) {
    if (!agent.dispatches_kernels()) continue;
    SCOPED_TRACE(agent.config.name);
    EXPECT_NE(agent.interface.code_load, nullptr);
    EXPECT_NE(agent.interface.code_unload, nullptr);
    EXPECT_NE(agent.interface.code_kernel, nullptr);
  }
}

TEST(Description, wanted_messages_have_functions) {
  for (const RegisteredAgent& agent : agents()) {
    SCOPED_TRACE(agent.config.name);
    const hsa_agent_driver_interface& interface = agent.interface;
    if (agent.config.wants_signal_messages) {
      EXPECT_TRUE(interface.signal_new != nullptr && interface.signal_remove != nullptr);
    }
    if (agent.config.wants_memory_messages) {
      EXPECT_TRUE(interface.memory_allocation != nullptr && interface.memory_free != nullptr);
    }
    EXPECT_EQ(interface.region_allocate == nullptr, interface.region_free == nullptr);
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

/// No specification asks for what follows, but programs exist that rely on it. main() leaves these cases out
/// unless they are asked for.
struct ExistingPrograms : testing::Test {
  void SetUp() override {
    if (Host::get().kernel_agent() == nullptr) GTEST_SKIP() << "the plugin has no kernel agent";
  }
  const hsa_agent_driver_config& config() const { return Host::get().kernel_agent()->config; }
};

TEST_F(ExistingPrograms, compare_the_features_and_the_type_of_queues) {
  EXPECT_EQ(config().features, static_cast<uint32_t>(HSA_AGENT_FEATURE_KERNEL_DISPATCH));
  EXPECT_EQ(config().queue_type, static_cast<uint32_t>(HSA_QUEUE_TYPE_MULTI));
}

TEST_F(ExistingPrograms, do_not_ask_for_the_limits_of_queues) {
  EXPECT_LE(config().queues_max, 128u) << "some have arrays of as many on their stacks";
  EXPECT_GE(config().queue_max_size, 16384u);
}

TEST_F(ExistingPrograms, take_the_first_region_for_arguments_and_the_last_for_data) {
  const hsam_region_description* first_global = nullptr;
  const hsam_region_description* last_global = nullptr;
  for (uint32_t i = 0; i < config().region_count; ++i) {
    if (config().regions[i].segment != HSAM_SEGMENT_GLOBAL) continue;
    if (first_global == nullptr) first_global = &config().regions[i];
    last_global = &config().regions[i];
  }
  ASSERT_NE(first_global, nullptr);
  EXPECT_TRUE(is_global(*first_global, HSAM_GLOBAL_FLAG_KERNARG));
  EXPECT_TRUE(is_global(*last_global, HSAM_GLOBAL_FLAG_FINE_GRAINED));
}

TEST_F(ExistingPrograms, find_one_region_of_each_other_segment) {
  int segments[6] = {};
  for (uint32_t i = 0; i < config().region_count; ++i) {
    const hsam_region_description& region = config().regions[i];
    ++segments[region.segment];
    if (region.segment == HSAM_SEGMENT_GLOBAL) continue;
    EXPECT_GE(region.alloc_max_size, 256u);
    if (region.segment == HSAM_SEGMENT_PRIVATE) {
      EXPECT_GE(region.alloc_max_private_workgroup_size, 65536u);
    }
  }
  EXPECT_EQ(segments[HSAM_SEGMENT_GROUP], 1);
  EXPECT_EQ(segments[HSAM_SEGMENT_PRIVATE], 1);
  EXPECT_GE(segments[HSAM_SEGMENT_READONLY], 1);
}

}  // namespace
}  // namespace heddle::conformance
