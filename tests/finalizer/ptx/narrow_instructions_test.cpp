// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on 16 bits, which are done with 32.
#include "finalizer/ptx/narrow_instructions.h"

#include <gmock/gmock.h>

#include "ptxas.h"

namespace heddle::finalizer::ptx {
namespace {

struct Instruction {
  const char* name;
  const char* before;
  const char* after;
};
constexpr Instruction instructions[] = {
    {"sum", "\tadd.s16 \t%rs1, %rs2, -5;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.s32.s16 %hsail_left, %rs2; mov.b32 %hsail_right, -5; "
     "add.s32 "
     "%hsail_left, %hsail_left, %hsail_right; cvt.u16.u32 %rs1, %hsail_left; }"},
    {"product", "\tmul.lo.s16 \t%rs1, %rs2, %rs3;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.s32.s16 %hsail_left, %rs2; cvt.s32.s16 %hsail_right, "
     "%rs3; mul.lo.s32 "
     "%hsail_left, %hsail_left, %hsail_right; cvt.u16.u32 %rs1, %hsail_left; }"},
    {"negation", "\tneg.s16 \t%rs1, %rs2;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.s32.s16 %hsail_left, %rs2; neg.s32 %hsail_left, "
     "%hsail_left; "
     "cvt.u16.u32 %rs1, %hsail_left; }"},
    {"signed_comparison", "\tsetp.gt.s16 \t%p1, %rs2, -1;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.s32.s16 %hsail_left, %rs2; mov.b32 %hsail_right, -1; "
     "setp.gt.s32 "
     "%p1, %hsail_left, %hsail_right; }"},
    {"unsigned_comparison", "\tsetp.lt.u16 \t%p1, %rs2, %rs3;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.u32.u16 %hsail_left, %rs2; cvt.u32.u16 %hsail_right, "
     "%rs3; setp.lt.u32 "
     "%p1, %hsail_left, %hsail_right; }"},
    {"comparison_of_bits", "\tsetp.ne.b16 \t%p1, %rs2, -1;",
     "\t{ .reg .b32 %hsail_left, %hsail_right; cvt.u32.u16 %hsail_left, %rs2; and.b32 %hsail_right, -1, "
     "65535; setp.ne.b32 "
     "%p1, %hsail_left, %hsail_right; }"},
};

class NarrowInstructions : public ::testing::TestWithParam<Instruction> {};
INSTANTIATE_TEST_SUITE_P(All, NarrowInstructions, ::testing::ValuesIn(instructions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(NarrowInstructions, AreDoneWith32Bits) {
  EXPECT_EQ(with_wide_instructions(GetParam().before), GetParam().after);
}

TEST(OtherInstructions, StayAsTheyAre) {
  for (const char* line :
       {"\tadd.s32 \t%r1, %r2, %r3;", "\tsetp.lt.f32 \t%p1, %r1, %r2;", "\tand.b16 \t%rs1, %rs2, 255;",
        "\tadd.rn.f16 \t%rs1, %rs2, %rs3;", "\t@%p1 bra \t$L1;", "", "\tret;", "\tneg.s16"})
    EXPECT_EQ(with_wide_instructions(line), line);
}

/// LLVM's code generator narrows a sum with a constant of which only the low bits are stored.
TEST(NarrowInstructionsOfKernels, AreNotMadeByTheCodeGenerator) {
  const auto program = heddle::testing::finalize_ptx(R"(module &m:1:2:$full:$large:$near;
prog kernel &k(kernarg_u64 %from, kernarg_u64 %to) {
  ld_kernarg_align(8)_u64 $d0, [%from];
  ld_kernarg_align(8)_u64 $d1, [%to];
  ld_global_align(4)_u32 $s3, [$d1];
  cmp_eq_b1_u32 $c0, $s3, 0;
  ld_global_align(2)_s16 $s0, [$d0];
  neg_s32 $s1, $s0;
  cvt_s16_s32 $s2, $s1;
  cbr_b1 $c0, @behind;
  st_global_align(2)_u16 $s2, [$d1];
  memfence_screl_agent;
@behind:
  cmp_gt_b1_s32 $c1, $s2, 0;
  cmov_b32 $s3, $c1, 3, 9;
  st_global_align(4)_u32 $s3, [$d1+4];
  ret;
};
)",
                                                     "narrow.hsail", "heddle:nvptx-sm_90");
  ASSERT_TRUE(program.object) << program.diagnostics;
  EXPECT_THAT(program.ptx, ::testing::Not(::testing::HasSubstr("\tneg.s16")));
  EXPECT_THAT(program.ptx, ::testing::HasSubstr("neg.s32"));
  if (heddle::testing::has_ptxas())
    EXPECT_EQ(heddle::testing::run_ptxas(program.ptx, "sm_90"), "") << program.ptx;
}

}  // namespace
}  // namespace heddle::finalizer::ptx
