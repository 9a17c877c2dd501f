// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control directives at dispatch (PRM 13.5): each agent refuses a dispatch that contradicts them with
// INCOMPATIBLE_ARGUMENTS and runs all others.
#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

struct Row {
  const char* directives;
  Extent keeps;
  Extent breaks;
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.directives; }

class DirectivesAtDispatch : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(
    All, DirectivesAtDispatch,
    ::testing::Values(
        Row{"maxdynamicgroupsize 64;", {{8, 1, 1}, {8, 1, 1}, 1, 64}, {{8, 1, 1}, {8, 1, 1}, 1, 65}},
        Row{"maxdynamicgroupsize 0;", {{8, 1, 1}, {8, 1, 1}, 1, 0}, {{8, 1, 1}, {8, 1, 1}, 1, 1}},
        Row{"maxflatgridsize 60;", {{10, 6, 1}, {5, 2, 1}, 2}, {{10, 7, 1}, {5, 2, 1}, 2}},
        Row{"maxflatworkgroupsize 10;", {{10, 6, 1}, {5, 2, 1}, 2}, {{10, 6, 1}, {5, 3, 1}, 2}},
        Row{"requireddim 2;", {{10, 1, 1}, {5, 1, 1}, 2}, {{10, 1, 1}, {5, 1, 1}, 1}},
        Row{"requireddim 3;", {{10, 1, 1}, {5, 1, 1}, 3}, {{10, 1, 1}, {5, 1, 1}, 2}},
        Row{"requiredgridsize 10, 6, 1;", {{10, 6, 1}, {5, 2, 1}, 2}, {{10, 5, 1}, {5, 2, 1}, 2}},
        Row{"requiredworkgroupsize 5, 2, 1;", {{10, 6, 1}, {5, 2, 1}, 2}, {{10, 6, 1}, {5, 1, 1}, 2}},
        Row{"requirenopartialworkgroups;", {{10, 6, 1}, {5, 2, 1}, 2}, {{10, 7, 1}, {5, 2, 1}, 2}},
        Row{"requirenopartialworkgroups;", {{4, 2, 9}, {2, 1, 3}, 3}, {{4, 2, 8}, {2, 1, 3}, 3}},
        // A grid smaller than its work-group is one partial work-group.
        Row{"requirenopartialworkgroups;", {{8, 1, 1}, {8, 1, 1}, 1}, {{7, 1, 1}, {8, 1, 1}, 1}}));

std::string kernel_with(const std::string& directives) {
  return module_header + "prog kernel &k(kernarg_u64 %count)\n{\n  " + directives +
         "\n  ld_kernarg_align(8)_u64 $d0, [%count];\n"
         "  atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n};\n";
}

uint32_t work_items(const Extent& extent) { return extent.grid[0] * extent.grid[1] * extent.grid[2]; }

void expect_to_hold(const Agent& agent, const Row& row) {
  const Compiled compiled = compile(kernel_with(row.directives), agent.isa.c_str());
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
  ASSERT_TRUE(code.good());
  SharedVector<uint32_t> count(1);
  const std::vector<uint64_t> kernarg = {address_of(count)};
  EXPECT_EQ(code.run("&k", kernarg, row.keeps), HSA_STATUS_SUCCESS) << agent.isa;
  EXPECT_EQ(count[0], work_items(row.keeps)) << agent.isa;
  EXPECT_EQ(code.run("&k", kernarg, row.breaks), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS) << agent.isa;
  EXPECT_EQ(count[0], work_items(row.keeps)) << agent.isa << ": nothing of it runs";
}

TEST_P(DirectivesAtDispatch, Hold) {
  for (const Agent& agent : executing_agents()) expect_to_hold(agent, GetParam());
}

TEST(DirectivesAtDispatch, HoldForSizesInWaves) {
  for (const Agent& agent : executing_agents()) {
    const auto size = static_cast<uint16_t>(agent.wave_size);
    const auto too_large = static_cast<uint16_t>(size + 1);
    expect_to_hold(agent,
                   {"maxflatworkgroupsize WAVESIZE;", line(10 * size, size), line(10 * size, too_large)});
  }
}

/// No wave is partial in a dispatch whose groups, the partial ones too, have whole waves of work-items.
/// Directives that do not concern the sizes of a dispatch must not stop it either.
TEST(DirectivesAtDispatch, ThatNoSizesBreak) {
  for (const Agent& agent : executing_agents()) {
    const uint32_t size = agent.wave_size;
    const Extent whole_waves = {{7 * size, 3, 1}, {static_cast<uint16_t>(4 * size), 2, 1}, 2};
    for (const char* directives : {"requirenopartialwavefronts;", "requiredgroupbaseptralign 256;"}) {
      const Compiled compiled = compile(kernel_with(directives), agent.isa.c_str());
      ASSERT_TRUE(compiled) << compiled.diagnostics;
      AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
      ASSERT_TRUE(code.good());
      SharedVector<uint32_t> count(1);
      EXPECT_EQ(code.run("&k", {address_of(count)}, whole_waves), HSA_STATUS_SUCCESS) << agent.isa;
      EXPECT_EQ(count[0], work_items(whole_waves)) << agent.isa;
    }
  }
}

/// The interpreter also has larger waves, with which a work-group may be partial, but a wave may not.
TEST(DirectivesAtDispatch, NoPartialWaves) {
  const Compiled compiled = compile(kernel_with("requirenopartialwavefronts;"), "heddle:hsail:w8");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  AgentCode code(executing_agents().back(), compiled.object, compiled.modules, compiled.lowered);
  ASSERT_TRUE(code.good());
  SharedVector<uint32_t> count(1);
  const std::vector<uint64_t> kernarg = {address_of(count)};
  EXPECT_EQ(code.run("&k", kernarg, line(40, 16)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(code.run("&k", kernarg, line(36, 16)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(count[0], 40u);
}

/// The base of dynamic group memory is where requiredgroupbaseptralign wants it.
TEST(DirectivesAtDispatch, GroupBaseIsAligned) {
  const std::string text = module_header + R"(
prog kernel &k(kernarg_u64 %out)
{
  requiredgroupbaseptralign 256;
  align(4) group_u8 %some[3];
  st_group_u8 1, [%some];
  groupbaseptr_u32 $s0;
  ld_kernarg_align(8)_u64 $d0, [%out];
  st_global_u32 $s0, [$d0];
};
)";
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(text, agent.isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_EQ(compiled.object.kernels[0].group_align, 256u);
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    SharedVector<uint32_t> base(1, 1);
    EXPECT_EQ(code.run("&k", {address_of(base)}, line(1, 1)), HSA_STATUS_SUCCESS);
    EXPECT_EQ(base[0] % 256, 0u) << agent.isa;
  }
}

/// The same limits, given as arguments of the finalization.
TEST(DirectivesAtDispatch, OfTheFinalization) {
  hsail_control_directives directives = {};
  directives.mask = 1u << HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS |
                    1u << HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE;
  directives.max_flat_grid_size = 24;
  for (const Agent& agent : executing_agents()) {
    CompileRequest request;
    request.modules = {kernel_with("")};
    request.isa = agent.isa.c_str();
    request.directives = &directives;
    const Compiled compiled = compile(request);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    SharedVector<uint32_t> count(1);
    const std::vector<uint64_t> kernarg = {address_of(count)};
    EXPECT_EQ(code.run("&k", kernarg, line(24, 8)), HSA_STATUS_SUCCESS);
    EXPECT_EQ(code.run("&k", kernarg, line(23, 8)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_EQ(code.run("&k", kernarg, line(32, 8)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    EXPECT_EQ(count[0], 24u);
  }
}

}  // namespace
}  // namespace heddle::testing
