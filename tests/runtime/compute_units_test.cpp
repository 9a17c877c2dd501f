// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of HSA_CU_MASK, which the process reads once: on queues of the CPU, and on those of an agent
// that answers as the test tells it. The program registers that agent before it starts the runtime.
#include <hsa/hsa_ext_amd.h>

#include <cstdlib>
#include <optional>

#include "counters.h"
#include "events.h"
#include "kernels.h"
#include "scripted_agent.h"

namespace heddle::runtime::test {
namespace {

constexpr uint32_t units = 4;  // of both agents
constexpr uint32_t usable_of_scripted = 0b0110, usable_of_cpu = 0b1010;

/// What the agent answers to queue_set_compute_units, and what it has heard.
struct Scripted {
  HSAM_Error answer = HSAM_Done;
  std::vector<uint32_t> masks;
  int queues = 0;
} scripted;

bool register_agent() {
  static ScriptedAgent agent("scripted");
  agent.config.queue_min_size = 8;
  agent.config.compute_unit_count = units;
  agent.interface.queue_new = [](auto...) {
    ++scripted.queues;
    return HSAM_Done;
  };
  agent.interface.queue_remove = [](auto...) {
    --scripted.queues;
    return HSAM_Done;
  };
  agent.interface.queue_set_compute_units = [](int64_t, int64_t, const uint32_t* mask, uint32_t words,
                                               void*) {
    scripted.masks.push_back(words == 1 ? *mask : 0);
    return scripted.answer;
  };
  return agent.enlist();
}

class ComputeUnits : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    // The host agent comes first. Kernel agent 0 is the one that this program registers, 1 the CPU.
    ASSERT_EQ(agents.size(), 3u);
    scripted_agent_ = agents[1];
    cpu_ = agents[2];
    for (const hsa_agent_t agent : {scripted_agent_, cpu_})
      ASSERT_EQ(agent_info<uint32_t>(agent, HSA_AGENT_INFO_COMPUTE_UNIT_COUNT), units);
    scripted = {};
  }
  void TearDown() override { EXPECT_SUCCESS(hsa_shut_down()); }

  static hsa_status_t create(hsa_agent_t agent, hsa_queue_t** queue) {
    return hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX, UINT32_MAX, queue);
  }
  static uint32_t mask_of(const hsa_queue_t* queue) {
    uint32_t mask = 0;
    EXPECT_SUCCESS(hsa_amd_queue_cu_get_mask(queue, 32, &mask));
    return mask;
  }
  hsa_agent_t scripted_agent_{}, cpu_{};
};

TEST_F(ComputeUnits, AgentsHearOfTheMaskWhenAQueueIsMade) {
  hsa_queue_t* queue = nullptr;
  ASSERT_SUCCESS(create(scripted_agent_, &queue));
  EXPECT_EQ(mask_of(queue), usable_of_scripted);
  EXPECT_EQ(scripted.masks, std::vector{usable_of_scripted});
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
  EXPECT_EQ(scripted.queues, 0);
}

TEST_F(ComputeUnits, AnAgentThatCannotRestrictQueuesUsesAllUnits) {
  scripted.answer = HSAM_Not_Supported;
  hsa_queue_t* queue = nullptr;
  testing::internal::CaptureStderr();
  const hsa_status_t status = create(scripted_agent_, &queue);
  const std::string log = testing::internal::GetCapturedStderr();
  ASSERT_SUCCESS(status);
  EXPECT_NE(log.find("agent 'scripted' cannot restrict queues"), log.npos) << log;
  EXPECT_EQ(mask_of(queue), 0b1111u);
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue, 0, nullptr), HSA_STATUS_ERROR);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
}

/// The agent takes one queue at a time, so that the second creation shows that the first has left nothing.
TEST_F(ComputeUnits, AQueueIsRemovedIfItsAgentFailsToRestrictIt) {
  scripted.answer = HSAM_OutOfResources;
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(create(scripted_agent_, &queue), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(scripted.queues, 0);
  scripted.answer = HSAM_Done;
  ASSERT_SUCCESS(create(scripted_agent_, &queue));
  EXPECT_EQ(scripted.queues, 1);
  EXPECT_EQ(mask_of(queue), usable_of_scripted);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
}

TEST_F(ComputeUnits, MasksOfQueuesAddNoOtherUnits) {
  struct Case {
    uint32_t mask;
    hsa_status_t status;
    uint32_t effective;
  };
  constexpr auto reduced = HSA_STATUS_CU_MASK_REDUCED, success = HSA_STATUS_SUCCESS;
  const Case cases[] = {
      {0b1000, success, 0b1000},
      {0b1010, success, 0b1010},
      {0b0011, reduced, 0b0010},
      {0b0101, HSA_STATUS_ERROR_INVALID_ARGUMENT, 0b0010},  // no unit is left: the mask stays as it was
      {0b1111, reduced, 0b1010},
      {0xfffffff0 | 0b1000, success, 0b1000},  // units that the agent does not have
  };
  TestQueue queue(cpu_);
  EXPECT_EQ(mask_of(queue.get()), usable_of_cpu);
  for (const Case& c : cases) {
    EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue.get(), 32, &c.mask), c.status) << c.mask;
    EXPECT_EQ(mask_of(queue.get()), c.effective) << c.mask;
  }
  EXPECT_EQ(hsa_amd_queue_cu_set_mask(queue.get(), 0, nullptr), reduced) << "this asks for all units";
  EXPECT_EQ(mask_of(queue.get()), usable_of_cpu);
}

// Counts the work-groups that are executed at the same time, in state[0], the most so far in state[1], and
// those that are complete in state[2]. The loop makes them last long enough to meet. One work-item of each
// work-group counts; work-groups of many do not share waves, which would execute several at once on a unit.
constexpr const char* text = R"(module &m:1:0:$full:$large:$default;
prog kernel &meet(kernarg_u64 %state) {
  workitemid_u32 $s0, 0;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%state];
  atomic_add_global_rlx_system_u64 $d1, [$d0], 1;
  add_u64 $d1, $d1, 1;
  atomicnoret_max_global_rlx_system_u64 [$d0+8], $d1;
  mov_b64 $d2, 0;
@again:
  add_u64 $d2, $d2, 1;
  atomic_ld_global_rlx_system_b64 $d3, [$d0];
  cmp_lt_b1_u64 $c0, $d2, 500000;
  cbr_b1 $c0, @again;
  atomicnoret_add_global_rlx_system_u64 [$d0+16], 1;
  atomicnoret_sub_global_rlx_system_u64 [$d0], 1;
@end:
  ret;
};
)";

/// Two units execute at most two work-groups at the same time. With all four of them there would be more.
TEST_F(ComputeUnits, KernelsOfTheCpuUseNoMoreUnitsThanTheMaskHas) {
  constexpr uint32_t groups = 500;
  const Kernels kernels(cpu_, text);
  TestQueue queue(cpu_);
  uint64_t state[3] = {};
  uint64_t argument = reinterpret_cast<uint64_t>(state);
  hsa_signal_t completed{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &completed));
  auto packet = kernels.packet("&meet", groups * 256, 256);
  packet.kernarg_address = &argument;
  packet.completion_signal = completed;
  queue.submit(packet);
  EXPECT_TRUE(eventually([&] { return hsa_signal_load_scacquire(completed) == 0; }));
  EXPECT_EQ(state[0], 0u);
  EXPECT_GE(state[1], 1u);
  EXPECT_LE(state[1], 2u);
  EXPECT_EQ(state[2], groups);
  EXPECT_SUCCESS(hsa_signal_destroy(completed));
}

// Notes the compute unit of each work-group: bit cuid of the word at %units. Groups last long enough for
// several units to take part.
constexpr const char* unit_text = R"(module &m:1:0:$full:$large:$default;
prog kernel &unit(kernarg_u64 %units) {
  ld_kernarg_align(8)_width(all)_u64 $d0, [%units];
  cuid_u32 $s0;
  mov_b32 $s1, 1;
  shl_u32 $s1, $s1, $s0;
  atomicnoret_or_global_rlx_system_b32 [$d0], $s1;
  mov_b64 $d2, 0;
@again:
  add_u64 $d2, $d2, 1;
  atomic_ld_global_rlx_system_b32 $s3, [$d0];
  cmp_lt_b1_u64 $c0, $d2, 20000;
  cbr_b1 $c0, @again;
};
)";

/// What numbers of compute units have been told of a dispatch, as masks.
struct Told {
  uint32_t kernel = 0, events = 0, counters = 0;
};

class NumbersOfUnits : public ComputeUnits {
 protected:
  void SetUp() override {
    ComputeUnits::SetUp();
    ASSERT_SUCCESS(hsa_ext_profile_event_init_producer(HSA_EXT_PROFILE_EVENT_PRODUCER_AGENT, cpu_.handle));
    ASSERT_SUCCESS(hsa_ext_profile_event_init());
    ASSERT_SUCCESS(hsa_ext_perf_counter_init());
    for (uint32_t unit = 0; unit < units; ++unit) {
      counters_.push_back(find_counter("compute_unit." + std::to_string(unit) + ".work_groups",
                                       {HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE, cpu_.handle}));
      ASSERT_NE(counters_.back(), no_counter);
    }
    kernels_.emplace(cpu_, unit_text);
  }
  void TearDown() override {
    kernels_.reset();
    EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
    EXPECT_SUCCESS(hsa_ext_profile_event_shut_down());
    ComputeUnits::TearDown();
  }
  /// Runs the kernel in many work-groups on a queue with this mask.
  Told run(TestQueue& queue, uint32_t mask) {
    Told told;
    EXPECT_SUCCESS(hsa_amd_queue_cu_set_mask(queue.get(), 32, &mask));
    void* argument = &told.kernel;
    hsa_signal_t completed{};
    EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &completed));
    auto packet = kernels_->packet("&unit", 200 * 64, 64);
    packet.kernarg_address = &argument;
    packet.completion_signal = completed;
    CountedSession session(counters_);
    session.enable_and_start();
    queue.submit(packet);
    EXPECT_TRUE(eventually([&] { return hsa_signal_load_scacquire(completed) == 0; }));
    session.stop();
    EXPECT_SUCCESS(hsa_signal_destroy(completed));
    for (const ProfileEvent& event : named(take_events(), "compute_unit.end"))
      told.events |= 1u << event.numbers.at("compute_unit");
    for (uint32_t unit = 0; unit < units; ++unit)
      if (session.number(counters_[unit]) != 0) told.counters |= 1u << unit;
    session.disable();
    return told;
  }

  std::vector<uint32_t> counters_;
  std::optional<Kernels> kernels_;
};

/// Kernels, profile events and counters number the units as the bits of the mask do.
TEST_F(NumbersOfUnits, AreBitsOfTheMask) {
  TestQueue queue(cpu_), other(cpu_);
  for (const uint32_t mask : {0b1010u, 0b1000u, 0b0010u, 0b1010u})
    for (TestQueue* each : {&queue, &other}) {
      const Told told = run(*each, mask);
      EXPECT_NE(told.kernel, 0u);
      EXPECT_EQ(told.kernel & ~mask, 0u) << "a unit that is not in the mask " << mask;
      EXPECT_EQ(told.events, told.kernel);
      EXPECT_EQ(told.counters, told.kernel);
    }
}

}  // namespace
}  // namespace heddle::runtime::test

int main(int argc, char** argv) {
  setenv("HEDDLE_AGENTS", "cpu", 1);
  setenv("HEDDLE_CPU_THREADS", "4", 1);
  setenv("HEDDLE_LOG", "warning", 1);
  // Agents and units that there are not have no effect.
  setenv("HSA_CU_MASK", "0:0x6; 1,7:1,3,60000", 1);
  testing::InitGoogleTest(&argc, argv);
  if (!heddle::runtime::test::register_agent()) return 1;
  return RUN_ALL_TESTS();
}
