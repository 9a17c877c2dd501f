// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of instructions, derived from the PRM, on every level and with and without optimisation.
// tests/differential compares all instructions with the interpreter; the cases here are those that are easy
// to get wrong.
#include <algorithm>
#include <bit>
#include <cctype>

#include <fmt/format.h>

#include <hsa/hsa_brig_modifiers.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

/// `body` computes $d0 (or $s0: `narrow`) from $d1, $d2, $d3, whose low halves are in $s1, $s2, $s3.
struct Case {
  const char* body;
  uint64_t a = 0, b = 0, c = 0;
  uint64_t expected = 0;
  bool narrow = true;
};

constexpr uint64_t f(float value) { return std::bit_cast<uint32_t>(value); }
constexpr uint64_t d(double value) { return std::bit_cast<uint64_t>(value); }
constexpr uint64_t m(int32_t value) { return static_cast<uint32_t>(value); }

const Case cases[] = {
    // Division never traps (PRM 5.2).
    {"div_s32 $s0, $s1, $s2;", 7, 0, 0, 0},
    {"div_u32 $s0, $s1, $s2;", 7, 0, 0, 0},
    {"rem_s32 $s0, $s1, $s2;", 7, 0, 0, 0},
    {"div_s32 $s0, $s1, $s2;", 0x80000000, m(-1), 0, 0x80000000},
    {"rem_s32 $s0, $s1, $s2;", 0x80000000, m(-1), 0, 0},
    {"div_s32 $s0, $s1, $s2;", m(-7), 2, 0, m(-3)},
    {"rem_s32 $s0, $s1, $s2;", m(-7), 2, 0, m(-1)},
    {"rem_s64 $d0, $d1, $d2;", 0x8000000000000000, ~uint64_t{0}, 0, 0, false},
    // Results of sub-word saturation are extended by their signedness.
    {"add_sat_s8 $s0, $s1, $s2;", 0x7f, 1, 0, 0x7f},
    {"sub_sat_s8 $s0, $s1, $s2;", 0x80, 1, 0, 0xffffff80},
    {"add_sat_u16 $s0, $s1, $s2;", 0xffff, 5, 0, 0xffff},
    {"mad_sat_s32 $s0, $s1, $s2, $s3;", 0x40000000, 2, 0x7fffffff, 0x7fffffff},
    {"mad_sat_s32 $s0, $s1, $s2, $s3;", 0x40000000, 2, m(-1), 0x7fffffff},
    {"mad_sat_u64 $d0, $d1, $d2, $d3;", ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, false},
    {"mulhi_s64 $d0, $d1, $d2;", ~uint64_t{0}, 5, 0, ~uint64_t{0}, false},
    {"mulhi_u32 $s0, $s1, $s2;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"borrow_u32 $s0, $s1, $s2;", 1, 2, 0, 1},
    {"carry_u32 $s0, $s1, $s2;", 0xffffffff, 1, 0, 1},
    {"mul24hi_s32 $s0, $s1, $s2;", 0x00ffffff, 2, 0, 0xffffffff},  // -1 * 2
    {"mad24_u32 $s0, $s1, $s2, $s3;", 0x00ffffff, 2, 1, 0x01ffffff},
    // Shift amounts and field positions count modulo the width.
    {"shl_u32 $s0, $s1, $s2;", 3, 33, 0, 6},
    {"shr_s32 $s0, $s1, $s2;", 0x80000000, 31, 0, 0xffffffff},
    {"shr_u64 $d0, $d1, $s2;", 0x8000000000000000, 127, 0, 1, false},
    {"bitextract_u32 $s0, $s1, $s2, $s3;", 0xabcd1234, 8, 8, 0x12},
    {"bitextract_s32 $s0, $s1, $s2, $s3;", 0x0000f000, 12, 4, 0xffffffff},
    {"bitextract_s32 $s0, $s1, $s2, $s3;", 0xffffffff, 3, 32, 0},  // width 32 counts as 0
    {"bitinsert_u32 $s0, $s1, $s2, 4, 8;", 0xffffffff, 0, 0, 0xfffff00f},
    {"bitmask_b32 $s0, $s1, $s2;", 4, 8, 0, 0xff0},
    {"bitrev_b32 $s0, $s1;", 1, 0, 0, 0x80000000},
    {"bitselect_b32 $s0, $s1, $s2, $s3;", 0xff00ff00, 0x12345678, 0x9abcdef0, 0x12bc56f0},
    {"firstbit_u32_u32 $s0, $s1;", 1, 0, 0, 31},
    {"firstbit_u32_u32 $s0, $s1;", 0xffffffff, 0, 0, 0},
    {"firstbit_u32_s32 $s0, $s1;", 0xffffffff, 0, 0, 0xffffffff},
    {"firstbit_u32_s64 $s0, $d1;", 0xfffffffffffffff0, 0, 0, 60},
    {"lastbit_u32_u64 $s0, $d1;", 0x100000000, 0, 0, 32},
    {"lastbit_u32_u32 $s0, $s1;", 0, 0, 0, 0xffffffff},
    {"popcount_u32_b64 $s0, $d1;", 0xff00ff00ff00ff00, 0, 0, 32},
    {"bitalign_b32 $s0, $s1, $s2, $s3;", 0x11223344, 0xaabbccdd, 40, 0xdd112233},
    {"bytealign_b32 $s0, $s1, $s2, $s3;", 0x11223344, 0xaabbccdd, 6, 0xccdd1122},
    {"lerp_u8x4 $s0, $s1, $s2, $s3;", 0x01ff00ff, 0x02ff00fe, 0x01010000, 0x02ff00fe},
    {"sad_u32_u8x4 $s0, $s1, $s2, $s3;", 0x01020304, 0x04030201, 10, 18},
    {"sadhi_u16x2_u8x4 $s0, $s1, $s2, $s3;", 0x01020304, 0x04030201, 10, 0x0008000a},
    // Floating point: signalling NaNs become quiet, also where LLVM could fold an operation with a constant.
    {"mul_f32 $s0, $s1, 1.0f;", 0x7f800001, 0, 0, 0x7fc00001},
    {"add_f32 $s0, $s1, -0.0f;", 0x7f800001, 0, 0, 0x7fc00001},
    {"div_f32 $s0, $s1, -1.0f; and_b32 $s0, $s0, 0x7fffffff;", 0xff800123, 0, 0,
     0x7fc00123},  // of either sign
    {"sub_f64 $d0, $d1, 0.0d;", 0x7ff0000000000001, 0, 0, 0x7ff8000000000001, false},
    {"max_f32 $s0, $s1, $s2;", 0x7fc00000, f(-3), 0, f(-3)},
    {"min_f32 $s0, $s1, $s2;", f(2), 0x7fc00000, 0, f(2)},
    {"max_f32 $s0, $s1, $s2;", 0x7f800001, f(-3), 0, 0x7fc00001},
    {"max_f64 $d0, $d1, $d2;", d(1), 0x7ff0000000000002, 0, 0x7ff8000000000002, false},
    {"neg_f32 $s0, $s1;", 0x7f800001, 0, 0, 0xff800001},
    {"abs_f32 $s0, $s1;", 0xff800001, 0, 0, 0x7f800001},
    {"copysign_f32 $s0, $s1, $s2;", f(2), 0xffc00000, 0, f(-2)},
    // Flushing to zero keeps the sign.
    {"add_ftz_f32 $s0, $s1, $s2;", 0x80000001, 0x80000000, 0, 0x80000000},
    {"mul_ftz_f32 $s0, $s1, $s2;", 0x00800000, f(-0.5f), 0, 0x80000000},
    {"add_f32 $s0, $s1, $s2;", 0x00000001, 0x00000001, 0, 0x00000002},
    // Rounding modes.
    {"add_up_f32 $s0, $s1, $s2;", f(1), f(0x1p-30f), 0, f(0x1.000002p0f)},
    {"add_down_f32 $s0, $s1, $s2;", f(1), f(-0x1p-30f), 0, f(0x1.fffffep-1f)},
    {"add_zero_f32 $s0, $s1, $s2;", f(-1), f(0x1p-30f), 0, f(-0x1.fffffep-1f)},
    {"add_near_f32 $s0, $s1, $s2;", f(1), f(0x1p-30f), 0, f(1)},
    {"sub_down_f32 $s0, $s1, $s1;", f(5), 0, 0, 0x80000000},
    {"div_up_f64 $d0, $d1, $d2;", d(1), d(3), 0, d(0x1.5555555555556p-2), false},
    {"div_down_f64 $d0, $d1, $d2;", d(1), d(3), 0, d(0x1.5555555555555p-2), false},
    {"sqrt_up_f32 $s0, $s1;", f(2), 0, 0, f(0x1.6a09e8p0f)},
    {"sqrt_zero_f32 $s0, $s1;", f(2), 0, 0, f(0x1.6a09e6p0f)},
    {"fma_up_f64 $d0, $d1, $d2, $d3;", d(1), d(1), d(0x1p-80), d(0x1.0000000000001p0), false},
    {"fma_f32 $s0, $s1, $s2, $s3;", f(0x1.000002p0f), f(0x1.000002p0f), f(-0x1.000004p0f), f(0x1p-46f)},
    {"mad_f64 $d0, $d1, $d2, $d3;", d(0x1.0000000000001p0), d(0x1.0000000000001p0), d(-0x1.0000000000002p0),
     d(0x1p-104), false},
    {"mul_zero_f32 $s0, $s1, $s2;", f(0x1.fffffep127f), f(2), 0, f(0x1.fffffep127f)},
    {"mul_up_f32 $s0, $s1, $s2;", f(-0x1.fffffep127f), f(2), 0, f(-0x1.fffffep127f)},
    // f16 operations round only once.
    {"add_f16 $s0, $s1, $s2; and_b32 $s0, $s0, 0xffff;", 0x3c00, 0x1000, 0,
     0x3c00},  // 1 + 2^-11: tie to even
    {"add_up_f16 $s0, $s1, $s2; and_b32 $s0, $s0, 0xffff;", 0x3c00, 0x0001, 0, 0x3c01},
    {"fma_f16 $s0, $s1, $s2, $s3; and_b32 $s0, $s0, 0xffff;", 0x3c01, 0x3c01, 0xbc02,
     0x0010},  // 2^-20, subnormal
    {"fma_up_f16 $s0, $s1, $s2, $s3; and_b32 $s0, $s0, 0xffff;", 0x0001, 0x0001, 0x7800,
     0x7801},  // 2^15 and 2^-48
    {"mul_f16 $s0, $s1, $s2; and_b32 $s0, $s0, 0xffff;", 0x7bff, 0x4000, 0, 0x7c00},
    {"cvt_f16_f64 $s0, $d1; and_b32 $s0, $s0, 0xffff;", d(0x1.0020000001p0), 0, 0,
     0x3c01},  // would be a tie after a rounding to f32
    // fract stays below one and keeps the sign of zeros and infinities.
    {"fract_f32 $s0, $s1;", f(-0x1p-30f), 0, 0, f(0x1.fffffep-1f)},
    {"fract_f32 $s0, $s1;", f(2.75f), 0, 0, f(0.75f)},
    {"fract_f32 $s0, $s1;", 0x80000000, 0, 0, 0x80000000},
    {"fract_f32 $s0, $s1;", 0xff800000, 0, 0, 0x80000000},
    {"fract_down_f32 $s0, $s1;", f(3), 0, 0, 0},
    {"rint_f32 $s0, $s1;", f(2.5f), 0, 0, f(2)},
    {"class_b1_f32 $c0, $s1, 1; cvt_u32_b1 $s0, $c0;", 0x7f800001, 0, 0, 1},
    {"class_b1_f32 $c0, $s1, 2; cvt_u32_b1 $s0, $c0;", 0x7fc00000, 0, 0, 1},
    {"class_b1_f32 $c0, $s1, 0x90; cvt_u32_b1 $s0, $c0;", 0x80000001, 0, 0, 1},
    // ne is an ordered comparison, neu an unordered one.
    {"cmp_ne_u32_f32 $s0, $s1, $s2;", 0x7fc00000, f(1), 0, 0},
    {"cmp_neu_u32_f32 $s0, $s1, $s2;", 0x7fc00000, f(1), 0, 0xffffffff},
    {"cmp_sgtu_u32_f32 $s0, $s1, $s2;", f(1), f(2), 0, 0},
    {"cmp_lt_f32_s32 $s0, $s1, $s2;", m(-1), 1, 0, f(1)},
    {"cmp_eq_ftz_u32_f32 $s0, $s1, $s2;", 1, 0x80000000, 0, 0xffffffff},
    // Conversions.
    {"cvt_s32_b1 $s0, 1;", 0, 0, 0, 0xffffffff},
    {"cvt_u8_f32 $s0, $s1;", f(300), 0, 0, 255},
    {"cvt_zeroi_sat_s8_f32 $s0, $s1;", f(-1000), 0, 0, 0xffffff80},
    {"cvt_zeroi_sat_u32_f32 $s0, $s1;", 0x7fc00000, 0, 0, 0},
    {"cvt_neari_s32_f32 $s0, $s1;", f(2.5f), 0, 0, 2},
    {"cvt_upi_s32_f32 $s0, $s1;", f(2.25f), 0, 0, 3},
    {"cvt_downi_s32_f64 $s0, $d1;", d(-2.25), 0, 0, m(-3)},
    {"cvt_f32_u64 $s0, $d1;", 0x8000008000000001, 0, 0, f(0x1.000002p63f)},
    {"cvt_down_f32_u64 $s0, $d1;", 0xffffffffffffffff, 0, 0, f(0x1.fffffep63f)},
    {"cvt_up_f32_s64 $s0, $d1;", 0x8000000000000001, 0, 0, f(-0x1.fffffep62f)},
    {"cvt_up_f64_u64 $d0, $d1;", 0x20000000000001, 0, 0, d(0x1.0000000000001p53), false},
    {"cvt_zero_f32_f64 $s0, $d1;", d(1e300), 0, 0, f(0x1.fffffep127f)},
    {"cvt_sat_s8_u32 $s0, $s1;", 200, 0, 0, 127},
    {"cvt_sat_u8_s32 $s0, $s1;", m(-5), 0, 0, 0},
    {"cvt_s64_s8 $d0, $s1;", 0x80, 0, 0, 0xffffffffffffff80, false},
    {"cvt_b1_f32 $c0, $s1; cvt_u32_b1 $s0, $c0;", 0x7fc00000, 0, 0, 1},
    {"packcvt_u8x4_f32 $s0, $s1, $s2, $s3, $s1;", f(1.5f), f(-1), f(300), 0x02ff0002},
    {"unpackcvt_f32_u8x4 $s0, $s1, 2;", 0x00070000, 0, 0, f(7)},
    // Packed operands.
    {"add_pp_u8x4 $s0, $s1, $s2;", 0xff01ff01, 0x01010101, 0, 0x00020002},
    {"add_pp_sat_u8x4 $s0, $s1, $s2;", 0xff01ff01, 0x01010101, 0, 0xff02ff02},
    {"mov_b32 $s0, $s3; add_ss_s16x2 $s0, $s1, $s2;", 0x00070001, 0x00070002, 0xaaaabbbb, 0xaaaa0003},
    {"mul_ps_u16x2 $s0, $s1, $s2;", 0x00030002, 0x00090005, 0, 0x000f000a},
    {"shl_u8x4 $s0, $s1, 9;", 0x81018101, 0, 0, 0x02020202},
    {"cmp_lt_pp_u16x2_s16x2 $s0, $s1, $s2;", 0xffff0001, 0x00000000, 0, 0xffff0000},
    {"cmov_u8x4 $s0, $s1, $s2, $s3;", 0x00ff0100, 0x11111111, 0x22222222, 0x22111122},
    {"unpacklo_u8x4 $s0, $s1, $s2;", 0x03020100, 0x13121110, 0, 0x11011000},
    {"shuffle_u8x4 $s0, $s1, $s2, 0xe4;", 0x03020100, 0x13121110, 0, 0x13120100},
    {"pack_u8x4_u32 $s0, $s1, $s2, 6;", 0x44332211, 0x99, 0, 0x44992211},
    {"unpack_s32_s8x4 $s0, $s1, 3;", 0x80000000, 0, 0, 0xffffff80},
    // Moves of wide values.
    {"combine_v2_b64_b32 $d0, ($s1, $s2);", 0x11111111, 0x22222222, 0, 0x2222222211111111, false},
    {"combine_v2_b128_b64 $q0, ($d1, $d2); expand_v2_b64_b128 ($d4, $d0), $q0;", 5, 7, 0, 7, false},
    {"cmp_gt_b1_u64 $c0, $d1, $d2; cmov_b64 $d0, $c0, $d1, $d2;", 5, 7, 0, 7, false},
    {"nsqrt_f32 $s0, $s1;", f(9), 0, 0, f(3)},
    {"ncos_f32 $s0, $s1;", f(0x1.921fb6p0f), 0, 0, 0},
    {"nexp2_f32 $s0, $s1;", f(10), 0, 0, f(1024)},
    {"nlog2_f32 $s0, $s1;", f(0.125f), 0, 0, f(-3)},
};

std::string kernel_text(size_t number, const Case& c) {
  return fmt::format(R"(
prog kernel &k{}(kernarg_u64 %out, kernarg_u64 %a, kernarg_u64 %b, kernarg_u64 %c)
{{
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  ld_kernarg_align(8)_u64 $d3, [%c];
  cvt_u32_u64 $s1, $d1;
  cvt_u32_u64 $s2, $d2;
  cvt_u32_u64 $s3, $d3;
  {}
  {}
  ld_kernarg_align(8)_u64 $d5, [%out];
  st_global_align(8)_u64 $d0, [$d5];
}};
)",
                     number, c.body, c.narrow ? "cvt_u64_u32 $d0, $s0;" : "");
}

class Instructions : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// Names a test by ISA and options. googletest itself would name it by addresses, which change from run to
/// run.
std::string name_of(const ::testing::TestParamInfo<Instructions::ParamType>& info) {
  const auto [isa, options] = info.param;
  std::string name = std::string(isa) + options;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Instructions,
                         ::testing::Combine(::testing::ValuesIn(compiled_isas),
                                            ::testing::Values("-O0", "-O2")),
                         name_of);

TEST_P(Instructions, GiveTheResultsOfThePrm) {
  const auto [isa, opt_level] = GetParam();
  if (!runs_here(isa)) GTEST_SKIP() << "this CPU does not run " << isa;
  std::string text = module_header;
  for (size_t i = 0; i < std::size(cases); ++i) text += kernel_text(i, cases[i]);
  Compiled compiled = compile(text, isa, opt_level);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  LoadedCode code(std::move(compiled.object));
  for (size_t i = 0; i < std::size(cases); ++i) {
    uint64_t out = 0xdeadbeefdeadbeef;
    const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(&out), cases[i].a, cases[i].b, cases[i].c};
    ASSERT_FALSE(code.run("&k" + std::to_string(i), kernarg, {}).taken);
    EXPECT_EQ(out, cases[i].expected)
        << fmt::format("{} of {:#x} {:#x} {:#x}: {:#x}, not {:#x}", cases[i].body, cases[i].a, cases[i].b,
                       cases[i].c, out, cases[i].expected);
  }
}

/// Under a default rounding of zero, instructions without a modifier truncate.
TEST(Rounding, DefaultComesFromModuleThenProgram) {
  const std::string body = kernel_text(0, {"div_f32 $s0, $s1, $s2;"});
  const struct {
    const char* header;
    hsa_brig_round_t program;
    float expected;
  } modes[] = {
      {"module &m:1:2:$full:$large:$near;", HSA_BRIG_ROUND_FLOAT_DEFAULT, 0x1.555556p-1f},
      {"module &m:1:2:$full:$large:$zero;", HSA_BRIG_ROUND_FLOAT_DEFAULT, 0x1.555554p-1f},
      {"module &m:1:2:$full:$large:$default;", HSA_BRIG_ROUND_FLOAT_ZERO, 0x1.555554p-1f},
      {"module &m:1:2:$full:$large:$default;", HSA_BRIG_ROUND_FLOAT_DEFAULT, 0x1.555556p-1f},
      {"module &m:1:2:$full:$large:$near;", HSA_BRIG_ROUND_FLOAT_ZERO, 0x1.555556p-1f},
      {"module &m:1:2:$full:$large:$zero;", HSA_BRIG_ROUND_FLOAT_NEAR_EVEN, 0x1.555554p-1f},
  };
  for (const auto& mode : modes) {
    CompileRequest request;
    request.modules = {mode.header + body};
    request.isa = best_isa();
    request.program.default_rounding = mode.program;
    Compiled compiled = compile(request);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    LoadedCode code(std::move(compiled.object));
    uint64_t out = 0;
    const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(&out), f(2), f(3), 0};
    code.run("&k0", kernarg, {});
    EXPECT_EQ(out, f(mode.expected)) << mode.header;
  }
}

}  // namespace
}  // namespace heddle::testing
