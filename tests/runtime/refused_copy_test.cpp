// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that fail, as applications see it. The program registers an agent that refuses to copy, and that has
// neither priorities nor compute units, before it starts the runtime; so it cannot be part of another test.
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "fixture.h"
#include "scripted_agent.h"

namespace heddle::runtime::test {
namespace {

/// What the agent does with copies that nobody waits for: the answer, and what follows if it is HSAM_Async.
HSAM_Error answer_to_start = HSAM_Not_Supported;
HSAM_Error reply = HSAM_Done;
std::atomic<bool> replies{false};
std::vector<std::thread> repliers;
const hsa_generic_driver_interface* driver = nullptr;

HSAM_Error start_copy(int64_t, const hsam_copy*, void* cookie) {
  if (answer_to_start == HSAM_Async)
    repliers.emplace_back([cookie] {
      while (!replies) std::this_thread::yield();
      driver->agent_reply(reply, cookie);
    });
  return answer_to_start;
}

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
  agent.interface.memory_copy_start = start_copy;
  const bool enlisted = agent.enlist();
  driver = agent.driver;
  return enlisted;
}

class RefusedCopies : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    static const bool registered = register_agent();
    ASSERT_TRUE(registered);
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    for (hsa_agent_t agent : agents)
      if (agent_info<hsa_device_type_t>(agent, HSA_AGENT_INFO_DEVICE) == HSA_DEVICE_TYPE_DSP) agent_ = agent;
    ASSERT_NE(agent_.handle, 0u);
    host_ = agents[0];
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
    for (std::thread& replier : repliers) replier.join();
    repliers.clear();
    answer_to_start = HSAM_Not_Supported;
  }
  /// Expects that the completion signal becomes negative.
  void expect_failure() {
    EXPECT_LT(
        hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
    hsa_signal_store_screlease(done_, 5);
  }
  static constexpr size_t size = 4096;
  hsa_agent_t agent_{};
  hsa_agent_t host_{};
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

/// The agent makes the copy by itself, and fails at once or later.
TEST_F(RefusedCopies, OfAnAgentThatDoesNotLetAnybodyWaitFailTheSameWay) {
  std::vector<char> host(size);
  const auto copy = [&] {
    return hsa_amd_memory_async_copy(memory_, agent_, host.data(), agent_, size, 0, nullptr, done_);
  };
  answer_to_start = HSAM_OutOfResources;
  ASSERT_SUCCESS(copy());
  expect_failure();
  answer_to_start = HSAM_Async;
  reply = HSAM_OutOfResources;
  replies = false;
  ASSERT_SUCCESS(copy());
  uint32_t engines = 0;
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(agent_, host_, &engines), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_signal_load_scacquire(done_), 5);
  replies = true;
  expect_failure();
  reply = HSAM_Done;
  ASSERT_SUCCESS(copy());
  EXPECT_EQ(hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 5, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
            4);
  EXPECT_SUCCESS(hsa_amd_memory_copy_engine_status(agent_, host_, &engines));
}

TEST_F(RefusedCopies, ToSeveralPlacesFailIfOneDoes) {
  std::vector<char> host(size), other(size);
  answer_to_start = HSAM_Async;
  reply = HSAM_Done;
  replies = true;
  // The second destination is memory of nobody, which the host copies to.
  hsa_location_t places[] = {{agent_, memory_}, {agent_, other.data()}};
  host[5] = 'x';
  ASSERT_SUCCESS(hsa_memory_copy_multiple(2, size, places, {agent_, host.data()}, nullptr, {0}, done_));
  EXPECT_EQ(hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 5, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
            4);
  EXPECT_EQ(other[5], 'x');
  reply = HSAM_OutOfResources;
  ASSERT_SUCCESS(hsa_memory_copy_multiple(2, size, places, {agent_, host.data()}, nullptr, {0}, done_));
  expect_failure();
}

/// Copies end on threads of the agent while others begin, and some of them fail.
TEST_F(RefusedCopies, LeaveNothingBehindForLaterCopies) {
  std::vector<char> host(size);
  const auto copy = [&] {
    return hsa_amd_memory_async_copy(memory_, agent_, host.data(), agent_, size, 0, nullptr, done_);
  };
  answer_to_start = HSAM_Async;
  for (int round = 0; round < 20; ++round) {
    const hsa_signal_value_t count = round % 4 + 1;
    reply = round % 3 == 0 ? HSAM_OutOfResources : HSAM_Done;
    replies = round % 2 == 0;
    hsa_signal_store_screlease(done_, count);
    for (hsa_signal_value_t i = 0; i < count; ++i) EXPECT_SUCCESS(copy());
    replies = true;
    for (std::thread& replier : repliers) replier.join();
    repliers.clear();
    if (reply == HSAM_Done)
      EXPECT_EQ(hsa_signal_load_scacquire(done_), 0) << round;
    else
      EXPECT_EQ(hsa_signal_load_scacquire(done_), -1) << round;
    uint32_t engines = 0;
    EXPECT_SUCCESS(hsa_amd_memory_copy_engine_status(agent_, host_, &engines));
  }
}

TEST_F(RefusedCopies, ThatAreInProgressAreWaitedForAtTheEnd) {
  std::vector<char> host(size);
  answer_to_start = HSAM_Async;
  reply = HSAM_Done;
  replies = false;
  ASSERT_SUCCESS(hsa_amd_memory_async_copy(memory_, agent_, host.data(), agent_, size, 0, nullptr, done_));
  std::atomic<bool> is_late{false};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_late = true;
    replies = true;
  });
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_TRUE(is_late);
  later.join();
  start();
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
