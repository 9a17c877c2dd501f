// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative queues (HSA_QUEUE_TYPE_COOPERATIVE): all work-groups of a dispatch wait for each other, on
// every kernel agent that executes.
#include <hsa/hsa_ext_amd.h>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

constexpr uint32_t group_size = 16;
constexpr uint32_t group_memory = 64 * 1024;  // of which a compute unit has room for four

// &meet lets each group count itself, and end when all have. The waves of a group meet at barriers while they
// wait, so that they never stand still, whatever the other groups do. &count only counts.
const std::string kernels_text = R"(module &m:1:2:$full:$large:$near;
prog kernel &meet(kernarg_u64 %counter) {
  group_u32 %seen;
  ld_kernarg_align(8)_u64 $d0, [%counter];
  gridgroups_u32 $s0, 0;
  workitemid_u32 $s1, 0;
  cmp_ne_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @wait;
  atomicnoret_add_global_scar_agent_u32 [$d0], 1;
@wait:
  cbr_b1 $c0, @look;
  atomic_ld_global_scacq_agent_b32 $s2, [$d0];
  st_group_u32 $s2, [%seen];
@look:
  memfence_screl_wg;
  barrier;
  memfence_scacq_wg;
  ld_group_u32 $s3, [%seen];
  barrier;
  cmp_lt_b1_u32 $c1, $s3, $s0;
  cbr_b1 $c1, @wait;
};
// In each round, each work-item makes a new value of that of another group. The counter never goes back, so
// that it is one barrier for all rounds.
prog kernel &mix(kernarg_u64 %counter, kernarg_u64 %a, kernarg_u64 %b) {
  group_u32 %seen;
  ld_kernarg_align(8)_u64 $d0, [%counter];
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  gridgroups_u32 $s0, 0;
  gridsize_u32 $s4, 0;
  workitemid_u32 $s1, 0;
  workitemabsid_u32 $s5, 0;
  cmp_ne_b1_u32 $c0, $s1, 0;
  cvt_u64_u32 $d3, $s5;
  shl_u64 $d3, $d3, 2;
  add_u32 $s6, $s5, 17;
  rem_u32 $s6, $s6, $s4;
  cvt_u64_u32 $d4, $s6;
  shl_u64 $d4, $d4, 2;
  mov_b32 $s7, 0;                       // round
  mov_b32 $s8, $s0;                     // what the counter has to reach
@round:
  add_u64 $d5, $d1, $d4;
  ld_global_u32 $s9, [$d5];
  mad_u32 $s9, $s9, 3, $s5;
  add_u32 $s9, $s9, $s7;
  add_u64 $d5, $d2, $d3;
  st_global_u32 $s9, [$d5];
  memfence_screl_agent;
  barrier;
  cbr_b1 $c0, @look;
  atomicnoret_add_global_scar_agent_u32 [$d0], 1;
@again:
  atomic_ld_global_scacq_agent_b32 $s2, [$d0];
  cmp_lt_b1_u32 $c1, $s2, $s8;
  cbr_b1 $c1, @again;
@look:
  barrier;
  memfence_scacq_agent;
  mov_b64 $d5, $d1;
  mov_b64 $d1, $d2;
  mov_b64 $d2, $d5;
  add_u32 $s8, $s8, $s0;
  add_u32 $s7, $s7, 1;
  cmp_lt_b1_u32 $c1, $s7, 5;
  cbr_b1 $c1, @round;
};
prog kernel &count(kernarg_u64 %counter) {
  ld_kernarg_align(8)_u64 $d0, [%counter];
  workitemid_u32 $s1, 0;
  cmp_ne_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @end;
  atomicnoret_add_global_scar_agent_u32 [$d0], 1;
@end:
  ret;
};
)";

class Cooperative : public OnAgent {
 protected:
  void SetUp() override {
    OnAgent::SetUp();
    if (HasFatalFailure()) return;
    units_ = attribute<uint32_t>(HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT);
  }
  template <typename T>
  T attribute(hsa_amd_agent_info_t which) const {
    return agent_info<T>(agent_, static_cast<hsa_agent_info_t>(which));
  }

  /// Runs a kernel in a queue of this type. Returns how many groups have counted themselves.
  uint32_t count(const char* kernel, uint32_t groups, uint32_t dynamic_memory, hsa_queue_type_t type,
                 hsa_status_t* error) {
    const Kernels kernels(agent_, kernels_text);
    uint32_t counter = 0;
    const uint64_t argument = address_of(&counter);
    const hsa_signal_t done = signal(1);
    TestQueue queue(agent_, type);
    auto packet = kernels.packet(kernel, groups * group_size, group_size);
    packet.group_segment_size = std::max(packet.group_segment_size, dynamic_memory);
    packet.kernarg_address = const_cast<uint64_t*>(&argument);
    packet.completion_signal = done;
    queue.submit(packet);
    EXPECT_TRUE(eventually(
        [&] { return hsa_signal_load_scacquire(done) == 0 || queue.error() != HSA_STATUS_SUCCESS; }));
    *error = queue.error();
    queue.destroy();
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    return counter;
  }

  /// The number of groups that a compute unit holds: as many as the largest work-group has work-items.
  uint32_t groups_of_unit() const {
    const auto isa = agent_info<hsa_isa_t>(agent_, HSA_AGENT_INFO_ISA);
    uint32_t largest = 0;
    EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, &largest));
    const uint32_t wave = agent_info<uint32_t>(agent_, HSA_AGENT_INFO_WAVEFRONT_SIZE);
    return largest / wave / ((group_size + wave - 1) / wave);
  }

  uint32_t units_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Agents, Cooperative, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Cooperative, IsAPropertyOfAgents) {
  EXPECT_TRUE(attribute<bool>(HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES));
  EXPECT_EQ(units_, attribute<uint32_t>(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT));
  TestQueue queue(agent_, HSA_QUEUE_TYPE_COOPERATIVE);
  EXPECT_EQ(queue.get()->type, static_cast<uint32_t>(HSA_QUEUE_TYPE_COOPERATIVE));
}

TEST_P(Cooperative, AllGroupsOfTheLargestGridMeet) {
  hsa_status_t error{};
  const uint32_t groups = units_ * groups_of_unit();
  EXPECT_EQ(count("&meet", groups, 0, HSA_QUEUE_TYPE_COOPERATIVE, &error), groups);
  EXPECT_EQ(error, HSA_STATUS_SUCCESS);
}

TEST_P(Cooperative, GroupMemoryLimitsTheGrid) {
  hsa_status_t error{};
  const uint32_t groups = 4 * units_;
  EXPECT_EQ(count("&meet", groups, group_memory, HSA_QUEUE_TYPE_COOPERATIVE, &error), groups);
  EXPECT_EQ(error, HSA_STATUS_SUCCESS);
  EXPECT_EQ(count("&meet", groups + 1, group_memory, HSA_QUEUE_TYPE_COOPERATIVE, &error), 0u);
  EXPECT_EQ(error, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

TEST_P(Cooperative, ALargerGridIsRefusedByTheseQueuesOnly) {
  hsa_status_t error{};
  const uint32_t groups = units_ * groups_of_unit() + 1;
  EXPECT_EQ(count("&count", groups, 0, HSA_QUEUE_TYPE_COOPERATIVE, &error), 0u);
  EXPECT_EQ(error, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(count("&count", groups, 0, HSA_QUEUE_TYPE_MULTI, &error), groups);
  EXPECT_EQ(error, HSA_STATUS_SUCCESS);
}

/// The results are those of the host, for each length of waves that the tests are run with.
TEST_P(Cooperative, RoundsAreSeparated) {
  const Kernels kernels(agent_, kernels_text);
  const uint32_t groups = std::min(units_ * groups_of_unit(), 64U), items = groups * group_size;
  constexpr uint32_t rounds = 5;
  std::vector<uint32_t> a(items), b(items), expected(items), next(items);
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t i = 0; i < items; ++i) next[i] = 3 * expected[(i + 17) % items] + i + round;
    expected.swap(next);
  }
  uint32_t counter = 0;
  const uint64_t arguments[] = {address_of(&counter), address_of(a.data()), address_of(b.data())};
  const hsa_signal_t done = signal(1);
  TestQueue queue(agent_, HSA_QUEUE_TYPE_COOPERATIVE);
  auto packet = kernels.packet("&mix", items, group_size);
  packet.kernarg_address = const_cast<uint64_t*>(arguments);
  packet.completion_signal = done;
  queue.submit(packet);
  EXPECT_TRUE(becomes(done, 0));
  EXPECT_EQ(counter, groups * rounds);
  EXPECT_EQ(rounds % 2 == 0 ? a : b, expected);
  queue.destroy();
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

/// Several dispatches whose groups wait cannot starve each other.
TEST_P(Cooperative, QueuesMakeProgressBesideEachOther) {
  const Kernels kernels(agent_, kernels_text);
  constexpr int number = 4;
  const uint32_t groups = units_ * groups_of_unit();
  uint32_t counters[number] = {};
  uint64_t arguments[number];
  std::vector<std::unique_ptr<TestQueue>> queues;
  const hsa_signal_t done = signal(number);
  for (int i = 0; i < number; ++i) {
    queues.push_back(std::make_unique<TestQueue>(agent_, HSA_QUEUE_TYPE_COOPERATIVE));
    arguments[i] = address_of(&counters[i]);
    auto packet = kernels.packet("&meet", groups * group_size, group_size);
    packet.kernarg_address = &arguments[i];
    packet.completion_signal = done;
    queues.back()->submit(packet);
  }
  EXPECT_TRUE(becomes(done, 0));
  for (const uint32_t counter : counters) EXPECT_EQ(counter, groups);
  queues.clear();
  EXPECT_SUCCESS(hsa_signal_destroy(done));
}

}  // namespace
}  // namespace heddle::runtime::test
