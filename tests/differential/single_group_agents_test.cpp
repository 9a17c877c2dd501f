// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches of one work-group, which end on a way of their own on some agents: when the completion signal
// says so, the host sees everything that the work-items have stored.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

/// Each work-item stores `stamp` + its number into words of its own, more often the higher its number is, and
/// leaves the kernel there where its number says. Between the waves there is a barrier.
constexpr char text[] = R"(
prog kernel &k(kernarg_u64 %out, kernarg_u32 %stamp, kernarg_u32 %unused) {
  group_u32 %sum;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  ld_kernarg_align(4)_width(all)_u32 $s1, [%stamp];
  workitemflatid_u32 $s0; shl_u32 $s2, $s0, 6; cvt_u64_u32 $d1, $s2; add_u64 $d0, $d0, $d1;
  cmp_ne_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @ready;
  atomicnoret_st_group_rlx_wg_b32 [%sum], 0;
@ready:
  barrier;
  atomicnoret_add_group_rlx_wg_u32 [%sum], 1;
  barrier;
  atomic_ld_group_rlx_wg_b32 $s4, [%sum];
  add_u32 $s1, $s1, $s0;
  and_b32 $s3, $s0, 15; mov_b32 $s5, 0;
@store:
  st_global_u32 $s1, [$d0]; add_u64 $d0, $d0, 4;
  cmp_eq_b1_u32 $c0, $s5, $s3; cbr_b1 $c0, @last;
  add_u32 $s5, $s5, 1; br @store;
@last:
  cmp_eq_b1_u32 $c0, $s3, 15; cbr_b1 $c0, @end;
  st_global_u32 $s4, [$d0];
@end:
  ret;
};
)";

constexpr size_t words_of_item = 16;

uint32_t expected(uint32_t item, size_t word, uint32_t stamp, uint32_t group, uint32_t before) {
  const uint32_t last = item & 15;
  return word <= last ? stamp + item : word == last + 1 ? group : before;
}

struct Shape {
  const char* name;
  Extent extent;
};
const Shape shapes[] = {{"one work-item", line(1, 1)},     {"less than a wave", line(31, 31)},
                        {"a partial group", line(31, 64)}, {"two waves", line(64, 64)},
                        {"a large group", line(256, 256)}, {"three dimensions", {{8, 4, 2}, {8, 4, 2}, 3}}};

void expect_stores(AgentCode& code, const Agent& agent, const Shape& shape) {
  const uint32_t (&grid)[3] = shape.extent.grid;
  const uint32_t group = grid[0] * grid[1] * grid[2];
  constexpr uint32_t untouched = 0xdead;
  SharedVector<uint32_t> out(size_t{group} * words_of_item, untouched);
  const AgentQueue queue(agent);
  const hsa_queue_t header = *queue.get();
  for (uint32_t round = 1; round <= 20; ++round) {
    const uint32_t stamp = round << 16;
    ASSERT_EQ(code.run("&k", {address_of(out), stamp}, shape.extent, queue, header), HSA_STATUS_SUCCESS);
    for (uint32_t item = 0; item < group; ++item)
      for (size_t word = 0; word < words_of_item; ++word)
        ASSERT_EQ(out[item * words_of_item + word], expected(item, word, stamp, group, untouched))
            << "word " << word << " of work-item " << item << " in round " << round;
  }
}

TEST(SingleGroupsOnAgents, EndWhenEverythingIsStored) {
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(module_header + std::string(text), agent.isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    for (const Shape& shape : shapes) {
      SCOPED_TRACE(fmt::format("{}, {}", agent.isa, shape.name));
      ASSERT_NO_FATAL_FAILURE(expect_stores(code, agent, shape));
    }
  }
}

/// The dispatch fails whether or not the work-item that traps is the one that would tell of the end.
TEST(SingleGroupsOnAgents, FailIfWorkItemsTrap) {
  constexpr const char* trap = R"(
prog kernel &k(kernarg_u32 %first, kernarg_u32 %last) {
  workitemflatid_u32 $s0;
  ld_kernarg_align(4)_width(all)_u32 $s1, [%first]; ld_kernarg_align(4)_width(all)_u32 $s2, [%last];
  cmp_lt_b1_u32 $c0, $s0, $s1; cbr_b1 $c0, @end;
  cmp_gt_b1_u32 $c0, $s0, $s2; cbr_b1 $c0, @end;
  debugtrap_u32 1;
@end:
  ret;
};
)";
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(module_header + std::string(trap), agent.isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    for (const uint16_t group : {1, 64, 256})
      for (const auto& [first, last] :
           {std::pair(0, 0), std::pair(group - 1, group - 1), std::pair(0, 255)}) {
        const uint64_t range = static_cast<uint64_t>(first) | static_cast<uint64_t>(last) << 32;
        EXPECT_EQ(code.run("&k", {range}, line(group, group)), HSA_STATUS_ERROR_EXCEPTION)
            << agent.isa << ", work-items " << first << " to " << last << " of " << group;
        const uint64_t nobody = uint64_t{1000} | uint64_t{1000} << 32;
        EXPECT_EQ(code.run("&k", {nobody}, line(group, group)), HSA_STATUS_SUCCESS) << agent.isa;
      }
  }
}

}  // namespace
}  // namespace heddle::testing
