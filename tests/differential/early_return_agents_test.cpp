// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items that end before barriers which the others of their work-group reach, on both agents. Only
// kernels with the pragma "heddle.early_return" may have some.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

/// Where the barriers are: in the kernel, in a function that it calls, or in a kernel whose waves are fibers,
/// because it has an fbarrier, which no work-item reaches.
enum class Where { kernel, function, fibers };

/// In each round, the work-items count in group memory how many of them there have been, with a barrier
/// before they look and one behind. A work-item stores the sum of what it has seen once it has executed as
/// many rounds as its input says, and ends; without any round, before the first barrier and without storing.
std::string text_of(Where where, const char* pragma) {
  const bool call = where == Where::function;
  return fmt::format(
      R"({}
function &meet()() {{ {} barrier; }};
prog kernel &k(kernarg_u64 %out, kernarg_u64 %rounds) {{
  {}
  group_u32 %count;
  {}
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out]; ld_kernarg_align(8)_width(all)_u64 $d1, [%rounds];
  workitemflatabsid_u32 $s0; shl_u32 $s0, $s0, 2; cvt_u64_u32 $d2, $s0;
  add_u64 $d0, $d0, $d2; add_u64 $d1, $d1, $d2; ld_global_u32 $s1, [$d1];
  {}
  mov_b32 $s3, 0; mov_b32 $s4, 0;
  cmp_eq_b1_u32 $c0, $s1, 0; cbr_b1 $c0, @end;
  atomicnoret_st_group_rlx_wg_b32 [%count], 0;
  {}
@round:
  atomicnoret_add_group_rlx_wg_u32 [%count], 1;
  {}
  atomic_ld_group_rlx_wg_b32 $s5, [%count]; add_u32 $s3, $s3, $s5;
  {}
  add_u32 $s4, $s4, 1; cmp_lt_b1_u32 $c0, $s4, $s1; cbr_b1 $c0, @round;
  st_global_u32 $s3, [$d0];
@end:
  ret;
}};
)",
      module_header, call ? pragma : "", call ? "" : pragma, where == Where::fibers ? "fbarrier %f;" : "",
      where == Where::fibers
          ? "cmp_le_b1_u32 $c1, $s1, 1000; cbr_b1 $c1, @usual; initfbar %f; waitfbar %f;\n@usual:"
          : "",
      call ? "{ call &meet()(); }" : "barrier;", call ? "{ call &meet()(); }" : "barrier;",
      call ? "{ call &meet()(); }" : "barrier;");
}

constexpr uint32_t untouched = 0xdead;

/// What the work-items of one group store.
std::vector<uint32_t> expected_of(const std::vector<uint32_t>& rounds) {
  std::vector<uint32_t> sums(rounds.size());
  uint32_t count = 0;
  for (uint32_t round = 0; round < *std::max_element(rounds.begin(), rounds.end()); ++round) {
    const auto goes_on = [&](uint32_t all) { return all > round; };
    count += static_cast<uint32_t>(std::count_if(rounds.begin(), rounds.end(), goes_on));
    for (size_t i = 0; i < rounds.size(); ++i)
      if (goes_on(rounds[i])) sums[i] += count;
  }
  for (size_t i = 0; i < rounds.size(); ++i)
    if (rounds[i] == 0) sums[i] = untouched;
  return sums;
}

struct Pattern {
  const char* name;
  std::function<uint32_t(uint32_t)> rounds;  ///< of a work-item of a group
};

const Pattern patterns[] = {{"every second one returns", [](uint32_t i) { return i % 2; }},
                            {"each has its own number of rounds", [](uint32_t i) { return i * 7 % 5; }},
                            {"whole waves return", [](uint32_t i) { return i / 64 % 2 == 0 ? 3 : 0; }},
                            {"whole waves return one after the other", [](uint32_t i) { return i / 32; }},
                            {"the first waves return last", [](uint32_t i) { return 9 - i / 32; }},
                            {"all but the first return", [](uint32_t i) { return i == 0 ? 3 : 0; }},
                            {"all but one return", [](uint32_t i) { return i % 128 == 77 ? 3 : 0; }},
                            {"all but one stay", [](uint32_t i) { return i == 17 ? 0 : 3; }},
                            {"all return", [](uint32_t) { return 0; }},
                            {"all stay", [](uint32_t) { return 2; }}};

constexpr uint16_t group_sizes[] = {1, 33, 256};

/// The ISAs that an agent runs here: that of the agent, and lengths of waves that only the interpreter has.
std::vector<std::string> isas_of(const Agent& agent) {
  if (&agent != &executing_agents().back()) return {agent.isa};
  return {"heddle:hsail:w1", "heddle:hsail:w8", "heddle:hsail:w32", "heddle:hsail:w64", "heddle:hsail:w256"};
}

hsa_status_t run(AgentCode& code, const Pattern& pattern, uint16_t group, SharedVector<uint32_t>& out) {
  constexpr uint32_t groups = 3;
  SharedVector<uint32_t> rounds(size_t{groups} * group);
  for (uint32_t i = 0; i < groups * group; ++i) rounds[i] = pattern.rounds(i % group);
  out.assign(rounds.size(), untouched);
  return code.run("&k", {address_of(out), address_of(rounds)}, line(groups * group, group));
}

void expect_to_go_on(AgentCode& code, const Pattern& pattern, uint16_t group) {
  std::vector<uint32_t> rounds(group);
  SharedVector<uint32_t> out;
  for (uint32_t i = 0; i < group; ++i) rounds[i] = pattern.rounds(i);
  EXPECT_EQ(run(code, pattern, group, out), HSA_STATUS_SUCCESS);
  const std::vector<uint32_t> expected = expected_of(rounds);
  for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], expected[i % group]) << "work-item " << i;
}

void expect_to_go_on(const Agent& agent, const std::string& isa, const std::string& text,
                     const char* options = nullptr) {
  CompileRequest request;
  request.modules = {text};
  request.isa = isa.c_str();
  request.options = options;
  const Compiled compiled = compile(request);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
  ASSERT_TRUE(code.good());
  for (const Pattern& pattern : patterns)
    for (const uint16_t group : group_sizes) {
      SCOPED_TRACE(fmt::format("{} of {}", pattern.name, group));
      ASSERT_NO_FATAL_FAILURE(expect_to_go_on(code, pattern, group));
    }
}

TEST(EarlyReturnOnAgents, OthersGoOn) {
  for (const Agent& agent : executing_agents())
    for (const std::string& isa : isas_of(agent))
      for (const Where where : {Where::kernel, Where::function, Where::fibers}) {
        SCOPED_TRACE(fmt::format("{}, kernel {}", isa, static_cast<int>(where)));
        expect_to_go_on(agent, isa, text_of(where, "pragma \"heddle.early_return\";"));
      }
}

TEST(EarlyReturnOnAgents, OthersGoOnWithoutOptimisation) {
  const Agent& agent = executing_agents().front();
  for (const Where where : {Where::kernel, Where::function})
    expect_to_go_on(agent, agent.isa, text_of(where, "pragma \"heddle.early_return\";"), "-O0");
}

/// Without the pragma, that is an error. No wave has more than 64 work-items here.
TEST(EarlyReturnOnAgents, OthersWaitWithoutThePragma) {
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(text_of(Where::kernel, ""), agent.isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    SharedVector<uint32_t> out;
    EXPECT_EQ(run(code, patterns[2], 256, out), HSA_STATUS_ERROR) << agent.isa;
  }
}

}  // namespace
}  // namespace heddle::testing
