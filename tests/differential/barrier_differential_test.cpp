// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose waves are coroutines, which keep what they need behind a barrier in their frames: interpreter
// against compiled code, for waves of every length.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "both.h"
#include "instruction_kernel.h"

namespace heddle::testing {
namespace {

constexpr uint32_t words = 16;  ///< of 64 bits, for each work-item

/// The first word of each work-item is the same in all of its group, but only the test knows this: for the
/// compiler, branches and loops that depend on it diverge. The other words are random.
std::vector<uint64_t> data_for(uint32_t grid, uint32_t group) {
  std::mt19937_64 random(grid * 1000 + group);
  std::vector<uint64_t> data(size_t{grid} * words);
  for (uint64_t& word : data) word = random();
  for (uint32_t item = 0; item < grid; ++item) data[item * words] = 1 + item / group % 5;
  return data;
}

/// Loads the work-item's words: $s0 the count of the group, $s1-3, $d1-2, $q0 and $c0 random. $d0 is their
/// address, $s10 the work-item in its group, $s11 the size of the group.
const char* const prologue = R"(
  ld_kernarg_align(8)_u64 $d0, [%data];
  workitemabsid_u32 $s0, 0; mul_u32 $s0, $s0, 128; cvt_u64_u32 $d1, $s0; add_u64 $d0, $d0, $d1;
  currentworkitemflatid_u32 $s10; currentworkgroupsize_u32 $s11, 0;
  ld_global_u32 $s0, [$d0]; ld_v3_global_u32 ($s1, $s2, $s3), [$d0+8];
  ld_v2_global_u64 ($d1, $d2), [$d0+24]; ld_global_b128 $q0, [$d0+40];
  cmp_lt_b1_s32 $c0, $s3, 0;
)";

/// Stores what prologue loads, unless it is the address or the same for the group.
const char* const epilogue = R"(
  cvt_u32_b1 $s0, $c0;
  st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0+8];
  st_v2_global_u64 ($d1, $d2), [$d0+24]; st_global_b128 $q0, [$d0+40];
)";

/// A loop around barriers, in which each round also has a loop of a different length in each work-item.
const char* const rounds = R"(
  group_u32 %tile[64];
  private_u32 %kept[8];
  PROLOGUE
  mov_b32 $s4, 0;
@round:
  and_b32 $s5, $s1, 7;
@count:
  mul_u64 $d1, $d1, 6364136223846793005; add_u64 $d1, $d1, 1442695040888963407;
  sub_u32 $s5, $s5, 1; cmp_ge_b1_s32 $c1, $s5, 0; cbr_b1 $c1, @count;
  cvt_u32_u64 $s6, $d1; shl_u32 $s7, $s10, 2; st_group_u32 $s6, [%tile][$s7];
  and_b32 $s8, $s4, 7; shl_u32 $s8, $s8, 2; st_private_u32 $s6, [%kept][$s8];
  cmp_gt_b1_s32 $c2, $s6, 0; xor_b1 $c0, $c0, $c2;
  barrier;
  add_u32 $s7, $s10, 1; rem_u32 $s7, $s7, $s11; shl_u32 $s7, $s7, 2; ld_group_u32 $s9, [%tile][$s7];
  ld_private_u32 $s6, [%kept][$s8]; xor_b32 $s1, $s1, $s9; add_u32 $s2, $s2, $s6;
  expand_v4_b32_b128 ($s12, $s13, $s14, $s15), $q0;
  combine_v4_b128_b32 $q0, ($s13, $s14, $s15, $s9);
  cbr_b1 $c0, @skip;
  add_u64 $d2, $d2, $d1; add_u32 $s3, $s3, $s12;
@skip:
  barrier;
  add_u32 $s4, $s4, 1; cmp_lt_b1_u32 $c1, $s4, $s0; cbr_b1 $c1, @round;
  EPILOGUE
)";

/// A loop within a loop, with a barrier in the inner one and one in a branch that some groups take. The
/// number of iterations comes through group memory.
const char* const nested = R"(
  group_u32 %turns[2];
  group_f64 %sum;
  PROLOGUE
  cvt_f64_u32 $d3, $s2;
  mov_b32 $s4, $s0;
@outer:
  cmp_ne_b1_u32 $c1, $s10, 0; cbr_b1 $c1, @told;
  st_group_u32 $s4, [%turns]; cvt_f64_u32 $d4, $s4; st_group_f64 $d4, [%sum];
@told:
  barrier;
  ld_group_u32 $s5, [%turns];
@inner:
  mad_u32 $s1, $s1, $s5, $s10; shr_u32 $s6, $s1, 28;
  cvt_u64_u32 $d5, $s6; xor_b64 $d1, $d1, $d5;
  barrier;
  sub_u32 $s5, $s5, 1; cmp_ne_b1_u32 $c1, $s5, 0; cbr_b1 $c1, @inner;
  ld_group_f64 $d4, [%sum]; mul_f64 $d3, $d3, 0D3fe8000000000000; add_f64 $d3, $d3, $d4;
  and_b32 $s6, $s0, 1; cmp_eq_b1_u32 $c2, $s6, 0; cbr_b1 $c2, @even;
  mov_b64 $d2, $d3;
  barrier;
  add_u32 $s3, $s3, $s4;
@even:
  barrier;
  sub_u32 $s4, $s4, 1; cmp_ne_b1_u32 $c1, $s4, 0; cbr_b1 $c1, @outer;
  cmov_b64 $d2, $c0, $d3, $d2;
  EPILOGUE
)";

std::string kernel_of(std::string body) {
  for (const auto& [word, text] : {std::pair{"PROLOGUE", prologue}, {"EPILOGUE", epilogue}})
    body.replace(body.find(word), std::string_view(word).size(), text);
  return std::string(instruction_module) + "prog kernel &k(kernarg_u64 %data) {" + body + "};\n";
}

/// Expects that waves take turns as coroutines, which alone have frames, and not as fibers.
void expect_coroutine(const std::string& text, const WaveTarget& target) {
  std::string why;
  const auto object = compile(text, why, target.isa, target.options);
  ASSERT_TRUE(object) << why;
  EXPECT_EQ(object->kernels[0].lanes, target.lanes);
  EXPECT_GT(object->kernels[0].frame_size, 0u);
  EXPECT_EQ(object->kernels[0].flags & codeobject::kernel_needs_fibers, 0u);
}

TEST(BarrierDifferential, ValuesLiveAcrossBarriersInLoops) {
  for (const char* body : {rounds, nested}) {
    const std::string text = kernel_of(body);
    for (const WaveTarget& target : wave_targets()) {
      SCOPED_TRACE(fmt::format("{} {}", target.isa, target.options));
      ASSERT_NO_FATAL_FAILURE(expect_coroutine(text, target));
      // Groups of whole waves, of waves of which the last one is partial, and of less than one wave. The last
      // group is smaller than the others.
      for (const uint32_t group : {64u, 33u, 3u}) {
        const uint32_t grid = 6 * group + group / 2 + 1;
        expect_same(text, {"&k"}, data_for(grid, group), grid, group, target);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::testing
