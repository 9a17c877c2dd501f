// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on packed values become vector operations in the IR that every target gets, and vector
// instructions of the target (PRM 4.14).
#include <gmock/gmock.h>

#include "compile.h"
#include "machine_code.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAreArray;

/// Returns a kernel with one instruction on operands from memory. Because of the barrier, its code handles
/// one work-item, without loops around it.
std::string kernel_of(const std::string& instruction) {
  return module_header + R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %a, kernarg_u64 %b)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  ld_global_align(16)_b128 $q0, [$d0];
  ld_global_align(16)_b128 $q1, [$d1];
  ld_global_align(16)_b128 $q2, [$d2];
  ld_global_align(8)_u64 $d3, [$d0+16];
  ld_global_align(8)_u64 $d4, [$d1+16];
  ld_global_align(8)_u64 $d5, [$d2+16];
  ld_global_align(4)_u32 $s0, [$d0+24];
  ld_global_align(4)_u32 $s1, [$d1+24];
  ld_global_align(4)_u32 $s2, [$d2+24];
  )" + instruction +
         R"(
  st_global_align(16)_b128 $q0, [$d0];
  st_global_align(8)_u64 $d3, [$d0+16];
  st_global_align(4)_u32 $s0, [$d0+24];
  barrier;
};
)";
}

struct Case {
  const char* instruction;
  const char* isa;
  std::vector<std::string> code;  ///< mnemonics of the instructions that compute
};

const Case cases[] = {
    {"add_pp_u8x16 $q0, $q1, $q2;", "v2", {"paddb"}},
    {"add_pp_u8x16 $q0, $q1, $q2;", "v3", {"paddb"}},
    {"add_pp_u8x16 $q0, $q1, $q2;", "v4", {"paddb"}},
    {"add_pp_s8x8 $d3, $d4, $d5;", "v3", {"paddb"}},
    {"add_ps_s32x4 $q0, $q1, $q2;", "v3", {"pbroadcastd", "paddd"}},
    {"add_ss_u32x4 $q0, $q1, $q2;", "v3", {"paddd", "pblendd"}},
    {"add_pp_sat_u8x16 $q0, $q1, $q2;", "v3", {"paddusb"}},
    {"add_pp_sat_s16x8 $q0, $q1, $q2;", "v3", {"paddsw"}},
    {"sub_pp_u16x8 $q0, $q1, $q2;", "v3", {"psubw"}},
    {"sub_pp_sat_s8x16 $q0, $q1, $q2;", "v3", {"psubsb"}},
    {"sub_pp_u64x2 $q0, $q1, $q2;", "v3", {"psubq"}},
    {"mul_pp_u16x8 $q0, $q1, $q2;", "v3", {"pmullw"}},
    {"mul_pp_s32x4 $q0, $q1, $q2;", "v3", {"pmulld"}},
    {"mulhi_pp_u16x8 $q0, $q1, $q2;", "v3", {"pmulhuw"}},
    {"mulhi_pp_s16x8 $q0, $q1, $q2;", "v3", {"pmulhw"}},
    {"min_pp_u8x16 $q0, $q1, $q2;", "v3", {"pminub"}},
    {"min_pp_s32x4 $q0, $q1, $q2;", "v3", {"pminsd"}},
    {"max_pp_s16x8 $q0, $q1, $q2;", "v3", {"pmaxsw"}},
    {"max_pp_u16x4 $d3, $d4, $d5;", "v3", {"pmaxuw"}},
    {"abs_p_s8x16 $q0, $q1;", "v3", {"pabsb"}},
    {"neg_p_s32x4 $q0, $q1;", "v3", {"pxor", "psubd"}},
    {"shl_u16x8 $q0, $q1, 3;", "v3", {"psllw"}},
    {"shr_s32x4 $q0, $q1, 5;", "v3", {"psrad"}},
    {"shr_u64x2 $q0, $q1, 5;", "v3", {"psrlq"}},
    {"add_pp_f32x4 $q0, $q1, $q2;", "v2", {"addps"}},
    {"add_pp_f32x4 $q0, $q1, $q2;", "v3", {"addps"}},
    {"add_pp_f32x2 $d3, $d4, $d5;", "v3", {"addps"}},
    {"add_ps_f32x4 $q0, $q1, $q2;", "v3", {"broadcastss", "addps"}},
    {"add_ss_f32x4 $q0, $q1, $q2;", "v3", {"addss"}},
    {"sub_pp_f64x2 $q0, $q1, $q2;", "v3", {"subpd"}},
    {"mul_pp_f32x4 $q0, $q1, $q2;", "v3", {"mulps"}},
    {"div_pp_f64x2 $q0, $q1, $q2;", "v3", {"divpd"}},
    {"sqrt_p_f32x4 $q0, $q1;", "v3", {"sqrtps"}},
    {"floor_p_f32x4 $q0, $q1;", "v3", {"roundps"}},
    {"rint_p_f64x2 $q0, $q1;", "v3", {"roundpd"}},
    {"cmp_lt_pp_u32x4_f32x4 $q0, $q1, $q2;", "v3", {"cmpltps"}},
    {"cmp_equ_pp_u64x2_f64x2 $q0, $q1, $q2;", "v3", {"cmpeq_uqpd"}},
    {"cvt_near_pp_f32x4_s32x4 $q0, $q1;", "v3", {"cvtdq2ps"}},
    {"cvt_pp_f64x2_f32x2 $q0, $d4;", "v3", {"cvtps2pd"}},
    {"cmp_eq_pp_u8x16_u8x16 $q0, $q1, $q2;", "v3", {"pcmpeqb"}},
    {"cmp_gt_pp_u16x8_s16x8 $q0, $q1, $q2;", "v3", {"pcmpgtw"}},
    {"cvt_pp_s32x2_s16x2 $d3, $s0;", "v3", {"pmovsxwd"}},
    {"cvt_pp_sat_u8x8_s16x8 $d3, $q1;", "v3", {"packuswb"}},
    {"unpacklo_u8x8 $d3, $d4, $d5;", "v3", {"punpcklbw"}},
    {"shuffle_u16x4 $d3, $d4, $d4, 0x1b;", "v3", {"pshuflw"}},
    {"pack_u8x16_u32 $q0, $q1, $s0, 5;", "v3", {"pinsrb"}},
    {"unpack_u32_u8x16 $s0, $q1, 5;", "v3", {"pextrb"}},
    {"cmov_u8x16 $q0, $q0, $q1, $q2;", "v3", {"pxor", "pcmpeqb", "pblendvb"}},
    {"sad_u32_u8x4 $s0, $s1, $s2, 0;", "v3", {"psadbw"}},
    {"lerp_u8x4 $s0, $s1, $s2, u8x4(1,1,1,1);", "v3", {"pavgb"}},
};

TEST(PackedCode, OneInstructionForOne) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.isa + std::string(": ") + c.instruction);
    const std::string isa = std::string("heddle:x86-64-") + c.isa + ":w1";
    const Compiled compiled = compile(kernel_of(c.instruction), isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_THAT(computing_mnemonics(compiled.object.text), ElementsAreArray(c.code));
  }
}

}  // namespace
}  // namespace heddle::testing
