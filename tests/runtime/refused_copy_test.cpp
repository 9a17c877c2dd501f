// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that fail, as applications see it. The program registers an agent that refuses to copy, and that has
// neither priorities nor compute units, before it starts the runtime; so it cannot be part of another test.
#include <hsa/hsa_ext_amd.h>

#include <cstdlib>

#include "fixture.h"
#include "scripted_agent.h"

namespace heddle::runtime::test {
namespace {

bool register_agent() {
  static hsam_region_description region{};
  region.segment = HSAM_SEGMENT_GLOBAL;
  region.global_flags = HSAM_GLOBAL_FLAG_COARSE_GRAINED;
  region.size = region.alloc_max_size = uint64_t{1} << 30;
  region.runtime_alloc_allowed = 1;
  region.alloc_granule = region.alloc_alignment = 64;
  region.memory_id = HSAM_MEMORY_AGENT_FIRST;
  static ScriptedAgent agent("refuses copies");
  agent.config.regions = &region;
  agent.config.region_count = 1;
  agent.interface.memory_allocation = done;
  agent.interface.memory_free = done;
  agent.interface.memory_acquire = done;
  agent.interface.memory_release = done;
  agent.interface.memory_copy = refuse;
  return agent.enlist();
}

class RefusedCopies : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool registered = register_agent();
    ASSERT_TRUE(registered);
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    for (hsa_agent_t agent : agents)
      if (agent_info<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE) == HSA_DEVICE_TYPE_DSP) agent_ = agent;
    ASSERT_NE(agent_.handle, 0u);
    std::vector<hsa_region_t> regions;
    ASSERT_SUCCESS(hsa_agent_iterate_regions(agent_, collect<hsa_region_t>, &regions));
    ASSERT_EQ(regions.size(), 1u);
    ASSERT_SUCCESS(hsa_memory_allocate(regions[0], size, &memory_));
    ASSERT_SUCCESS(hsa_memory_assign_agent(memory_, agent_, HSA_ACCESS_PERMISSION_RW));
    ASSERT_SUCCESS(hsa_signal_create(5, 0, nullptr, &done_));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_signal_destroy(done_));
    EXPECT_SUCCESS(hsa_memory_free(memory_));
    EXPECT_SUCCESS(hsa_shut_down());
  }
  /// Expects that the completion signal becomes negative.
  void expect_failure() {
    EXPECT_LT(
        hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
    hsa_signal_store_screlease(done_, 5);
  }
  static constexpr size_t size = 4096;
  hsa_agent_t agent_{};
  void* memory_ = nullptr;
  hsa_signal_t done_{};
};

TEST_F(RefusedCopies, SetTheCompletionSignalToANegativeValue) {
  std::vector<char> host(size);
  ASSERT_SUCCESS(hsa_amd_memory_async_copy(memory_, agent_, host.data(), agent_, size, 0, nullptr, done_));
  expect_failure();
  const hsa_pitched_ptr_t to{memory_, 64, 0}, from{host.data(), 64, 0};
  const hsa_dim3_t zero{0, 0, 0}, range{10, 10, 1};
  ASSERT_SUCCESS(hsa_amd_memory_async_copy_rect(&to, &zero, &from, &zero, &range, agent_, hsaHostToDevice, 0,
                                                nullptr, done_));
  expect_failure();
  hsa_location_t destination{agent_, memory_};
  ASSERT_SUCCESS(hsa_memory_copy_multiple(1, size, &destination, {agent_, host.data()}, nullptr, {0}, done_));
  expect_failure();
}

TEST_F(RefusedCopies, AnAgentWithoutPrioritiesAndMasks) {
  hsa_queue_t* queue = nullptr;
  ASSERT_SUCCESS(
      hsa_queue_create(agent_, 4, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue));
  EXPECT_EQ(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH), HSA_STATUS_ERROR);
  const uint32_t mask = 0b0110;
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue, 32, &mask), HSA_STATUS_ERROR);
  uint32_t found = 0;
  EXPECT_SUCCESS(hsa_amd_queue_cu_get_mask(queue, 32, &found));
  EXPECT_EQ(found, 0b1111u);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
}

}  // namespace
}  // namespace heddle::runtime::test
