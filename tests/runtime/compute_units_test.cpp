// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The effects of HSA_CU_MASK, which the process reads once: on queues of the CPU, and on those of an agent
// that answers as the test tells it. The program registers that agent before it starts the runtime.
#include <hsa/hsa_ext_amd.h>
#include <hsam/hsam.h>

#include <cstdlib>

#include "kernels.h"

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

template <typename... Arguments>
HSAM_Error done(Arguments...) {
  return HSAM_Done;
}

bool register_agent() {
  static hsam_isa_description isa{};
  isa.name = "test:isa";
  isa.wavefront_size = 1;
  hsa_agent_driver_config config{};
  config.major = HSAM_VERSION_MAJOR;
  config.minor = HSAM_VERSION_MINOR;
  config.name = "scripted";
  config.vendor_name = "test";
  config.tail_size = sizeof config;
  config.device = HSA_DEVICE_TYPE_DSP;
  config.features = HSA_AGENT_FEATURE_KERNEL_DISPATCH;
  config.queues_max = 1;
  config.queue_min_size = 8;
  config.queue_max_size = 64;
  config.queue_type = HSA_QUEUE_TYPE_MULTI;
  config.compute_unit_count = units;
  config.isas = &isa;
  config.isa_count = 1;
  hsa_agent_driver_interface interface{};
  interface.tail_size = sizeof interface;
  interface.client_new = done;
  interface.client_remove = done;
  interface.queue_new = [](auto...) {
    ++scripted.queues;
    return HSAM_Done;
  };
  interface.queue_inactivate = done;
  interface.queue_remove = [](auto...) {
    --scripted.queues;
    return HSAM_Done;
  };
  interface.queue_set_compute_units = [](int64_t, int64_t, const uint32_t* mask, uint32_t words, void*) {
    scripted.masks.push_back(words == 1 ? *mask : 0);
    return scripted.answer;
  };
  interface.code_load = done;
  interface.code_unload = done;
  interface.code_kernel = done;
  hsa_generic_driver_config driver{};
  return hsa_register_agent(&interface, &config, &driver) != nullptr;
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
