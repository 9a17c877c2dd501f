// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point instructions (PRM 4.19, 5.11 to 5.14), with expected values derived from the PRM.
#include "table_test.h"

namespace heddle::testing {
namespace {

constexpr uint64_t qnan32 = 0x7fc00000, snan32 = 0x7f800001, inf32 = 0x7f800000, minus = 0x80000000;

TEST(Floating, RoundsInAllFourDirections) {
  check({
      // 1 + 2^-24 lies halfway between 1 and the next float.
      {"add_f32", {bits(1.0f), 0x33800000}, 0x3f800000},
      {"add_near_f32", {bits(1.0f), 0x33800000}, 0x3f800000},
      {"add_up_f32", {bits(1.0f), 0x33800000}, 0x3f800001},
      {"add_down_f32", {bits(1.0f), 0x33800000}, 0x3f800000},
      {"add_zero_f32", {bits(-1.0f), 0xb3800000}, 0xbf800000},
      {"add_down_f32", {bits(-1.0f), 0xb3800000}, 0xbf800001},
      {"add_up_f32", {0x7f7fffff, 1}, inf32},
      {"add_zero_f32", {0x7f7fffff, 0x7f7fffff}, 0x7f7fffff},
      {"add_f32", {0x7f7fffff, 0x7f7fffff}, inf32},
      {"add_down_f32", {bits(1.0f), bits(-1.0f)}, minus},
      {"add_f32", {bits(1.0f), bits(-1.0f)}, 0},
      {"add_f32", {minus, minus}, minus},
      {"sub_f32", {0, 0}, 0},
      {"mul_f32", {0x00800000, bits(0.5f)}, 0x00400000},
      {"mul_up_f32", {1, bits(0.5f)}, 1},
      {"mul_f32", {1, bits(0.5f)}, 0},
      {"mul_down_f32", {minus | 1, bits(0.5f)}, minus | 1},
      {"div_f32", {bits(1.0f), bits(3.0f)}, 0x3eaaaaab},
      {"div_zero_f32", {bits(1.0f), bits(3.0f)}, 0x3eaaaaaa},
      {"div_f32", {bits(1.0f), minus}, minus | inf32},
      {"div_f64", {bits(1.0), bits(10.0)}, bits(0.1)},
      {"div_down_f64", {bits(1.0), bits(10.0)}, bits(0.1) - 1},
      {"sqrt_f32", {bits(2.0f)}, 0x3fb504f3},
      {"sqrt_up_f32", {bits(2.0f)}, 0x3fb504f4},
      {"sqrt_f64", {bits(2.0)}, 0x3ff6a09e667f3bcd},
      {"sqrt_f32", {minus}, minus},
      // (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24: an operation that is not fused gives 0.
      {"fma_f32", {0x3f800800, 0x3f800800, 0xbf801000}, 0x33800000},
      {"mad_f32", {0x3f800800, 0x3f800800, 0xbf801000}, 0x33800000},
      {"fma_f64", {bits(3.0), bits(4.0), bits(5.0)}, bits(17.0)},
      {"nfma_f32", {bits(3.0f), bits(4.0f), bits(5.0f)}, bits(17.0f)},
      {"nrcp_f32", {bits(4.0f)}, bits(0.25f)},
      {"nsqrt_f32", {bits(9.0f)}, bits(3.0f)},
      {"ncos_f32", {bits(0x1.921fb6p0f)}, 0},   // the f32 nearest pi/2
      {"nsin_f32", {bits(-0x1.921fb6p1f)}, 0},  // and nearest -pi
      {"nsin_f32", {bits(0x1.921fb6p0f)}, bits(1.0f)},
      {"ncos_f32", {bits(0x1.921fb6p1f)}, bits(-1.0f)},
      {"nsin_f32", {minus}, minus},
      {"nrsqrt_f64", {bits(16.0)}, bits(0.25)},
  });
}

TEST(Floating, HalfIsRoundedOnce) {
  check({
      // 1 + 2^-11 is halfway; the tie goes to even.
      {"add_f16", {0x3c00, 0x1000}, 0x3c00},
      {"add_up_f16", {0x3c00, 0x1000}, 0x3c01},
      {"add_f16", {0x3c01, 0x1000}, 0x3c02},
      // Garbage above the f16 is ignored and does not reach the result.
      {"add_f16", {0xdead3c00, 0xbeef3c00}, 0x4000},
      {"mul_f16", {0x7bff, 0x4000}, 0x7c00},
      // 2^-14 * 2^-11 = 2^-25 is half of the smallest subnormal.
      {"mul_f16", {0x0400, 0x1000}, 0x0000},
      {"mul_up_f16", {0x0400, 0x1000}, 0x0001},
      // 1.0009765625 * 1.0009765625 - 1.001953125 = 2^-20 exactly, lost by a rounded product.
      {"fma_f16", {0x3c01, 0x3c01, 0xbc02}, 0x0010},
      {"div_f16", {0x3c00, 0x4200}, 0x3555},
      {"sqrt_f16", {0x4000}, 0x3da8},
  });
}

TEST(Floating, FlushKeepsTheSign) {
  check({
      {"add_ftz_f32", {1, 0}, 0},
      {"add_ftz_f32", {minus | 1, minus}, minus},
      {"mul_ftz_f32", {0x00800000, bits(0.5f)}, 0},
      {"mul_ftz_f32", {0x80800000, bits(0.5f)}, minus},
      {"mul_ftz_f64", {0x0010000000000000, bits(-0.5)}, 0x8000000000000000},
      {"mul_ftz_f16", {0x0400, 0x3800}, 0},
      {"max_ftz_f32", {1, 0}, 0},
      {"ceil_ftz_f32", {1}, 0},
      {"sqrt_ftz_f32", {1}, 0},
      {"fract_ftz_f32", {minus | 1}, minus},
      {"fma_ftz_f32", {1, bits(1e30f), bits(1.0f)}, bits(1.0f)},
      // Bit operations never flush.
      {"abs_f32", {minus | 1}, 1},
      {"neg_f32", {1}, minus | 1},
  });
}

TEST(Floating, NansPropagateQuieted) {
  check({
      {"add_f32", {snan32, bits(1.0f)}, 0x7fc00001},
      {"add_f32", {bits(1.0f), 0xff812345}, 0xffc12345},
      {"sub_f32", {bits(1.0f), 0x7fc00055}, 0x7fc00055},
      {"mul_f64", {0x7ff0000000000001, 0x7ff8000000000002}, 0x7ff8000000000001},
      {"fma_f16", {0x3c00, 0x3c00, 0x7c01}, 0x7e01},
      {"sqrt_f32", {bits(-1.0f)}, qnan32},
      {"add_f32", {inf32, minus | inf32}, qnan32},
      {"mul_f32", {inf32, 0}, qnan32},
      {"div_f32", {0, 0}, qnan32},
      {"div_f32", {inf32, inf32}, qnan32},
      {"fma_f32", {inf32, 0, bits(1.0f)}, qnan32},
      {"fract_f32", {snan32}, 0x7fc00001},
      {"rint_f64", {0x7ff0000000000001}, 0x7ff8000000000001},
      // Bit operations keep signaling NaNs.
      {"abs_f32", {0xff800001}, 0x7f800001},
      {"neg_f32", {snan32}, 0xff800001},
      {"copysign_f32", {snan32, minus}, 0xff800001},
      {"mov_f32", {snan32}, snan32},
  });
}

TEST(Floating, MaximumAndMinimum) {
  check({
      {"max_f32", {qnan32, bits(1.0f)}, bits(1.0f)},
      {"min_f32", {bits(1.0f), qnan32}, bits(1.0f)},
      {"max_f32", {snan32, bits(1.0f)}, 0x7fc00001},
      {"min_f32", {0x7fc00007, 0x7fc00008}, 0x7fc00007},
      {"max_f32", {bits(-1.0f), bits(-2.0f)}, bits(-1.0f)},
      {"min_f64", {bits(-1.0), bits(-2.0)}, bits(-2.0)},
      {"max_f32", {minus, 0}, 0},
      {"min_f32", {0, minus}, minus},
      {"max_f16", {0x3c00, 0xfc00}, 0x3c00},
  });
}

TEST(Floating, IntegralParts) {
  check({
      {"ceil_f32", {bits(-0.5f)}, minus},
      {"ceil_f32", {bits(1.25f)}, bits(2.0f)},
      {"floor_f32", {bits(-0.5f)}, bits(-1.0f)},
      {"floor_f64", {bits(1e300)}, bits(1e300)},
      {"trunc_f32", {bits(-1.75f)}, bits(-1.0f)},
      {"rint_f32", {bits(2.5f)}, bits(2.0f)},
      {"rint_f32", {bits(3.5f)}, bits(4.0f)},
      {"rint_f64", {bits(-0.5)}, 0x8000000000000000},
      {"rint_f16", {0x4100}, 0x4000},
      {"ceil_f32", {inf32}, inf32},
      {"fract_f32", {bits(1.25f)}, bits(0.25f)},
      {"fract_f32", {bits(-1.25f)}, bits(0.75f)},
      {"fract_f32", {bits(-2.0f)}, 0},
      {"fract_f32", {minus}, minus},
      {"fract_f32", {inf32}, 0},
      {"fract_f32", {minus | inf32}, minus},
      // The smallest negative number: 1 - 2^-149 rounds to 1, which is not below 1.
      {"fract_f32", {minus | 1}, 0x3f7fffff},
      {"fract_f64", {0x8000000000000001}, 0x3fefffffffffffff},
      {"fract_f16", {0x8001}, 0x3bff},
  });
}

TEST(Floating, Class) {
  const struct {
    uint64_t value, bit;
  } classes[] = {{snan32, 1},        {qnan32, 2}, {0xff800000, 4}, {0xbf800000, 8},     {0x80000001, 0x10},
                 {0x80000000, 0x20}, {0, 0x40},   {1, 0x80},       {0x3f800000, 0x100}, {inf32, 0x200}};
  for (const auto& row : classes) {
    check(
        {{"class_b1_f32", {row.value, row.bit}, 1}, {"class_b1_f32", {row.value, 0xffffffff & ~row.bit}, 0}});
  }
  check({{"class_b1_f64", {0x7ff0000000000001, 1}, 1}, {"class_b1_f16", {0xffff7e00, 2}, 1}});
}

TEST(Floating, Compare) {
  const uint64_t one = bits(1.0f), two = bits(2.0f), nan = qnan32;
  const struct {
    const char* operation;
    bool less, equal, greater, unordered;
  } rows[] = {
      {"eq", false, true, false, false},  {"ne", true, false, true, false},
      {"lt", true, false, false, false},  {"le", true, true, false, false},
      {"gt", false, false, true, false},  {"ge", false, true, true, false},
      {"equ", false, true, false, true},  {"neu", true, false, true, true},
      {"ltu", true, false, false, true},  {"leu", true, true, false, true},
      {"gtu", false, false, true, true},  {"geu", false, true, true, true},
      {"num", true, true, true, false},   {"nan", false, false, false, true},
      {"seq", false, true, false, false}, {"sne", true, false, true, false},
      {"slt", true, false, false, false}, {"sle", true, true, false, false},
      {"sgt", false, false, true, false}, {"sge", false, true, true, false},
      {"sequ", false, true, false, true}, {"sneu", true, false, true, true},
      {"sltu", true, false, false, true}, {"sleu", true, true, false, true},
      {"sgtu", false, false, true, true}, {"sgeu", false, true, true, true},
      {"snum", true, true, true, false},  {"snan", false, false, false, true},
  };
  for (const auto& row : rows) {
    const std::string name = std::string("cmp_") + row.operation + "_b1_f32";
    check({{name.c_str(), {one, two}, row.less},
           {name.c_str(), {one, one}, row.equal},
           {name.c_str(), {two, one}, row.greater},
           {name.c_str(), {one, nan}, row.unordered}});
  }
  check({
      {"cmp_eq_b1_f32", {0, minus}, 1},
      {"cmp_lt_u32_f32", {one, two}, 0xffffffff},
      {"cmp_lt_s64_f32", {one, two}, 0xffffffffffffffff},
      {"cmp_lt_f32_f64", {bits(1.0), bits(2.0)}, one},
      {"cmp_lt_f16_f32", {one, two}, 0x3c00},
      {"cmp_lt_f64_f32", {two, one}, 0},
      {"cmp_lt_b1_s32", {0xffffffff, 0}, 1},
      {"cmp_lt_b1_u32", {0xffffffff, 0}, 0},
      {"cmp_ge_b1_s64", {0x8000000000000000, 0}, 0},
      {"cmp_eq_b1_b1", {1, 1}, 1},
      {"cmp_ne_b1_b1", {1, 1}, 0},
      {"cmp_eq_ftz_b1_f32", {1, minus | 5}, 1},
  });
}

}  // namespace
}  // namespace heddle::testing
