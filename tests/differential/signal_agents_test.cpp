// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals and user mode queues in kernels (PRM 6.8, 11.3), on the interpreter and as compiled code. The
// values that work-items get, the final values of the signals and the indices of the queue have to be the
// same.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

constexpr uint32_t items = 24, group_size = 8;
constexpr uint32_t signal_count = items + 2;  ///< one for each work-item, and two that all share
constexpr uint32_t words = 16;                ///< words of results for each work-item

struct Row {
  const char* name;
  const char* body;  ///< $s0: absolute ID; $s1: work-items in a wave; $d0: results; $d1: own signal, $d2 the
                     ///< next work-item's (or one for all), $d3 and $d4 those for all; $d5: queue; $d6 own ID
                     ///< in 64 bits
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

const Row rows[] = {
    {"every_operation_on_a_signal_of_its_own", R"(
  signal_ld_rlx_b64_sig64 $d10, $d1;           st_global_u64 $d10, [$d0];
  signal_add_scar_s64_sig64 $d10, $d1, $d6;    st_global_u64 $d10, [$d0+8];
  signal_sub_screl_s64_sig64 $d10, $d1, 7;     st_global_u64 $d10, [$d0+16];
  signal_and_scacq_b64_sig64 $d10, $d1, 0x7b;  st_global_u64 $d10, [$d0+24];
  signal_or_rlx_b64_sig64 $d10, $d1, 0x1004;   st_global_u64 $d10, [$d0+32];
  signal_xor_scar_b64_sig64 $d10, $d1, -1;     st_global_u64 $d10, [$d0+40];
  signal_exch_scar_b64_sig64 $d10, $d1, 99;    st_global_u64 $d10, [$d0+48];
  signal_cas_scar_b64_sig64 $d10, $d1, 99, $d6; st_global_u64 $d10, [$d0+56];
  signal_cas_rlx_b64_sig64 $d10, $d1, 1000, 5; st_global_u64 $d10, [$d0+64];
  signalnoret_add_rlx_s64_sig64 $d1, -3;
  signal_ld_scacq_b64_sig64 $d10, $d1;         st_global_u64 $d10, [$d0+72];
  signalnoret_st_screl_b64_sig64 $d1, $d6;
  signalnoret_sub_rlx_s64_sig64 $d1, 11;
)"},
    {"counts_by_everybody", R"(
  signalnoret_add_rlx_s64_sig64 $d3, $d6;
  signalnoret_or_scar_b64_sig64 $d4, $d6;
  signal_sub_screl_s64_sig64 $d10, $d3, 1;
  mov_b64 $d11, 0;
@again:
  signal_ld_rlx_b64_sig64 $d10, $d3;
  add_u64 $d12, $d10, 1000;
  signal_cas_scar_b64_sig64 $d11, $d3, $d10, $d12;
  cmp_ne_b1_u64 $c0, $d11, $d10;
  cbr_b1 $c0, @again;
)"},
    // Each wave waits for the one before, because work-items of one wave cannot wait for each other.
    {"a_chain_of_waits", R"(
  workgroupsize_u32 $s2, 0; add_u32 $s2, $s2, $s1; sub_u32 $s2, $s2, 1; div_u32 $s2, $s2, $s1;
  workitemflatid_u32 $s3; div_u32 $s3, $s3, $s1;
  workgroupid_u32 $s4, 0; mad_u32 $s3, $s4, $s2, $s3;
  cvt_u64_u32 $d8, $s3; mad_u64 $d8, $d8, 8, $d9;
  ld_global_sig64 $d1, [$d8]; ld_global_sig64 $d2, [$d8+8];
  cmp_ne_b1_u32 $c0, $s3, 0; cbr_b1 $c0, @wait;
  signalnoret_st_screl_b64_sig64 $d1, 77;
@wait:
  signal_wait_gte_scacq_s64_sig64 $d10, $d1, 77;
  st_global_u64 $d10, [$d0];
  add_u64 $d10, $d10, 1;
  signalnoret_st_screl_b64_sig64 $d2, $d10;
)"},
    {"waits_of_every_condition", R"(
  signalnoret_st_rlx_b64_sig64 $d1, -5;
  signal_wait_eq_rlx_s64_sig64 $d10, $d1, -5;  st_global_u64 $d10, [$d0];
  signal_wait_ne_scacq_s64_sig64 $d10, $d1, 5; st_global_u64 $d10, [$d0+8];
  signal_wait_lt_rlx_s64_sig64 $d10, $d1, 0;   st_global_u64 $d10, [$d0+16];
  signal_wait_gte_scacq_s64_sig64 $d10, $d1, -5; st_global_u64 $d10, [$d0+24];
  signal_waittimeout_lt_rlx_s64_sig64 $d10, $d1, -4, 1000; st_global_u64 $d10, [$d0+32];
)"},
    {"timeouts_that_pass", R"(
  signalnoret_st_rlx_b64_sig64 $d1, $d6;
  signal_waittimeout_eq_rlx_s64_sig64 $d10, $d1, -1, 1000;   st_global_u64 $d10, [$d0];
  signal_waittimeout_ne_scacq_s64_sig64 $d10, $d1, $d6, 0;   st_global_u64 $d10, [$d0+8];
  signal_waittimeout_lt_rlx_s64_sig64 $d10, $d1, $d6, 100;   st_global_u64 $d10, [$d0+16];
  signal_waittimeout_gte_scacq_s64_sig64 $d10, $d1, 500, 10; st_global_u64 $d10, [$d0+24];
)"},
    {"a_signal_as_a_barrier_of_all_groups", R"(
  barrier;
  signalnoret_add_scar_s64_sig64 $d3, 1;
  signal_wait_gte_scacq_s64_sig64 $d10, $d3, 24;
  st_global_u64 $d10, [$d0];
  barrier;
)"},
    {"numbers_from_a_queue", R"(
  addqueuewriteindex_scar_u64 $d10, [$d5], 3;
  rem_u64 $d11, $d10, 3; st_global_u64 $d11, [$d0];
  add_u64 $d11, $d11, 1; signalnoret_add_rlx_s64_sig64 $d3, $d11;
@again:
  ldqueuewriteindex_scacq_u64 $d10, [$d5];
  add_u64 $d11, $d10, 99;
  casqueuewriteindex_scar_u64 $d12, [$d5], $d10, $d11;
  cmp_ne_b1_u64 $c0, $d12, $d10; cbr_b1 $c0, @again;
  ldqueuereadindex_rlx_u64 $d10, [$d5]; st_global_u64 $d10, [$d0+8];
)"},
    {"indices_set_by_one", R"(
  cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @end;
  stqueuewriteindex_screl_u64 [$d5], 12;
  ldqueuewriteindex_rlx_u64 $d10, [$d5]; st_global_u64 $d10, [$d0];
  casqueuewriteindex_rlx_u64 $d10, [$d5], 11, 50; st_global_u64 $d10, [$d0+8];
  casqueuewriteindex_scacq_u64 $d10, [$d5], 12, 51; st_global_u64 $d10, [$d0+16];
  addqueuewriteindex_screl_u64 $d10, [$d5], 4; st_global_u64 $d10, [$d0+24];
  stqueuereadindex_screl_u64 [$d5], 9;
  ldqueuereadindex_scacq_u64 $d10, [$d5]; st_global_u64 $d10, [$d0+32];
@end:
)"},
};

/// The size of waves is an argument rather than WAVESIZE, so that the finalizer may choose other waves, and
/// all agents form the same chains.
uint32_t greatest_wave_size() {
  uint32_t greatest = 1;
  for (const Agent& agent : executing_agents()) greatest = std::max(greatest, agent.wave_size);
  return greatest;
}

std::string kernel_of(const Row& row) {
  return fmt::format(R"({}prog kernel &k(kernarg_u64 %out, kernarg_u64 %signals, kernarg_u64 %queue,
                         kernarg_u32 %wave_size) {{
  ld_kernarg_align(8)_u64 $d0, [%out]; ld_kernarg_align(8)_u64 $d9, [%signals];
  ld_kernarg_align(4)_u32 $s1, [%wave_size];
  ld_kernarg_align(8)_u64 $d5, [%queue];
  workitemflatabsid_u32 $s0; cvt_u64_u32 $d6, $s0;
  mad_u64 $d0, $d6, {}, $d0; mad_u64 $d8, $d6, 8, $d9;
  ld_global_sig64 $d1, [$d8]; ld_global_sig64 $d2, [$d8+8];
  ld_global_sig64 $d3, [$d9+{}]; ld_global_sig64 $d4, [$d9+{}];
{}}};
)",
                     module_header, 8 * words, 8 * items, 8 * (items + 1), row.body);
}

/// The final state of an execution.
struct Outcome {
  SharedVector<uint64_t> out;
  std::vector<int64_t> signals;
  uint64_t write_index = 0, read_index = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

class SignalKernels : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    const auto host = [](hsa_agent_t agent, void* found) {
      hsa_device_type_t type{};
      hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
      if (type == HSA_DEVICE_TYPE_CPU) *static_cast<hsa_agent_t*>(found) = agent;
      return type == HSA_DEVICE_TYPE_CPU ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
    };
    ASSERT_FALSE(executing_agents().empty());
    hsa_agent_t first{};
    ASSERT_EQ(hsa_iterate_agents(host, &first), HSA_STATUS_INFO_BREAK);
    const auto take = [](hsa_region_t region, void* found) {
      *static_cast<hsa_region_t*>(found) = region;
      return HSA_STATUS_INFO_BREAK;
    };
    ASSERT_EQ(hsa_agent_iterate_regions(first, take, &region_), HSA_STATUS_INFO_BREAK);
  }

  void run(const Agent& agent, Outcome& outcome) {
    const Compiled compiled = compile(kernel_of(GetParam()), agent.isa.c_str());
    ASSERT_TRUE(compiled) << agent.isa << "\n" << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    SharedVector<hsa_signal_t> signals(signal_count);
    for (hsa_signal_t& signal : signals)
      ASSERT_EQ(hsa_signal_create(0, 0, nullptr, &signal), HSA_STATUS_SUCCESS);
    // No agent processes a soft queue, so only the kernel changes its indices.
    hsa_signal_t doorbell{};
    hsa_queue_t* queue = nullptr;
    ASSERT_EQ(hsa_signal_create(0, 0, nullptr, &doorbell), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_soft_queue_create(region_, 16, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH,
                                    doorbell, &queue),
              HSA_STATUS_SUCCESS);
    outcome.out.assign(size_t{items} * words, 0xabababab);
    EXPECT_EQ(code.run("&k",
                       {address_of(outcome.out), address_of(signals), reinterpret_cast<uint64_t>(queue),
                        greatest_wave_size()},
                       line(items, group_size)),
              HSA_STATUS_SUCCESS)
        << agent.isa;
    outcome.write_index = hsa_queue_load_write_index_relaxed(queue);
    outcome.read_index = hsa_queue_load_read_index_relaxed(queue);
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_SUCCESS);
    signals.push_back(doorbell);
    for (hsa_signal_t signal : signals) {
      outcome.signals.push_back(hsa_signal_load_scacquire(signal));
      EXPECT_EQ(hsa_signal_destroy(signal), HSA_STATUS_SUCCESS);
    }
  }

  hsa_region_t region_{};
};
INSTANTIATE_TEST_SUITE_P(All, SignalKernels, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(SignalKernels, LeaveTheSameMemorySignalsAndIndices) {
  std::vector<Outcome> outcomes;
  for (const Agent& agent : executing_agents()) {
    ASSERT_NO_FATAL_FAILURE(run(agent, outcomes.emplace_back()));
  }
  ASSERT_GE(outcomes.size(), 2u);
  const Outcome untouched{SharedVector<uint64_t>(size_t{items} * words, 0xabababab),
                          std::vector<int64_t>(signal_count + 1), 0, 0};
  EXPECT_FALSE(outcomes[0] == untouched) << "nothing was written";
  for (size_t i = 1; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].out, outcomes[0].out);
    EXPECT_EQ(outcomes[i].signals, outcomes[0].signals);
    EXPECT_EQ(outcomes[i].write_index, outcomes[0].write_index);
    EXPECT_EQ(outcomes[i].read_index, outcomes[0].read_index);
  }
}

}  // namespace
}  // namespace heddle::testing
