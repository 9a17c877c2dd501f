// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions (PRM 5.19).
#include "table_test.h"

namespace heddle::testing {
namespace {

constexpr uint64_t qnan32 = 0x7fc00000, inf32 = 0x7f800000;

TEST(Convert, Integers) {
  check({
      {"cvt_u8_u32", {0x1234}, 0x34},
      {"cvt_s8_u32", {0x12f4}, 0xfffffff4},
      {"cvt_s32_s8", {0x80}, 0xffffff80},
      {"cvt_u32_u8", {0xabcdef80}, 0x80},
      {"cvt_u32_s8", {0x80}, 0xffffff80},
      {"cvt_s64_s32", {0x80000000}, 0xffffffff80000000},
      {"cvt_u64_s32", {0xffffffff}, 0xffffffffffffffff},
      {"cvt_u64_u32", {0xffffffff}, 0xffffffff},
      {"cvt_s16_u64", {0x12348000}, 0xffff8000},
      {"cvt_u32_u64", {0x123456789}, 0x23456789},
      {"cvt_sat_u8_s32", {0xffffffff}, 0},
      {"cvt_sat_u8_s32", {256}, 255},
      {"cvt_sat_s16_u16", {0xffff}, 0x7fff},
      {"cvt_sat_s32_u64", {0x80000000}, 0x7fffffff},
      {"cvt_sat_s32_s64", {0xffffffff00000000}, 0x80000000},
      {"cvt_sat_u8_s8", {0x80}, 0},
      {"cvt_sat_u64_s64", {0xffffffffffffffff}, 0},
      {"cvt_sat_s64_u64", {0xffffffffffffffff}, 0x7fffffffffffffff},
  });
}

TEST(Convert, Bits) {
  check({
      {"cvt_b1_u32", {0x100}, 1},
      {"cvt_b1_u8", {0x100}, 0},
      {"cvt_b1_s64", {0x8000000000000000}, 1},
      {"cvt_b1_f32", {0x80000000}, 0},
      {"cvt_b1_f32", {1}, 1},
      {"cvt_b1_f32", {qnan32}, 1},
      {"cvt_ftz_b1_f32", {1}, 0},
      {"cvt_u8_b1", {1}, 1},
      {"cvt_s8_b1", {1}, 1},
      {"cvt_s16_b1", {1}, 1},
      {"cvt_u32_b1", {1}, 1},
      {"cvt_s32_b1", {1}, 0xffffffff},
      {"cvt_s64_b1", {1}, 0xffffffffffffffff},
      {"cvt_u64_b1", {1}, 1},
      {"cvt_s32_b1", {0}, 0},
      {"cvt_f32_b1", {1}, bits(1.0f)},
      {"cvt_f64_b1", {1}, bits(1.0)},
      {"cvt_f16_b1", {1}, 0x3c00},
  });
}

TEST(Convert, ToInteger) {
  check({
      {"cvt_s32_f32", {bits(-1.6f)}, 0xffffffff},
      {"cvt_upi_s32_f32", {bits(1.6f)}, 2},
      {"cvt_upi_s32_f32", {bits(-1.6f)}, 0xffffffff},
      {"cvt_downi_s32_f32", {bits(-1.6f)}, 0xfffffffe},
      {"cvt_zeroi_s32_f32", {bits(1.6f)}, 1},
      {"cvt_neari_s32_f32", {bits(2.5f)}, 2},
      {"cvt_neari_s32_f32", {bits(3.5f)}, 4},
      {"cvt_sneari_s64_f64", {bits(-3.5)}, 0xfffffffffffffffc},
      {"cvt_u32_f32", {bits(4294967040.0f)}, 0xffffff00},
      {"cvt_u64_f64", {bits(18446744073709549568.0)}, 0xfffffffffffff800},
      {"cvt_s64_f32", {0xdf000000}, 0x8000000000000000},
      {"cvt_zeroi_sat_u8_f32", {bits(256.0f)}, 255},
      {"cvt_zeroi_sat_u8_f32", {bits(-1.0f)}, 0},
      {"cvt_zeroi_sat_s8_f32", {bits(-200.0f)}, 0xffffff80},
      {"cvt_zeroi_sat_s32_f32", {qnan32}, 0},
      {"cvt_zeroi_sat_s32_f32", {inf32}, 0x7fffffff},
      {"cvt_zeroi_sat_s64_f64", {bits(-1e300)}, 0x8000000000000000},
      {"cvt_upi_sat_u8_f32", {bits(254.5f)}, 255},
      {"cvt_upi_sat_u8_f32", {bits(255.5f)}, 255},
      {"cvt_downi_sat_u32_f32", {bits(-0.5f)}, 0},
      {"cvt_ftz_upi_sat_s8_f32", {1}, 0},
      {"cvt_upi_sat_s8_f32", {1}, 1},
      {"cvt_u16_f16", {0x7bff}, 65504},
      {"cvt_s8_f16", {0xc500}, 0xfffffffb},
  });
}

TEST(Convert, ToFloating) {
  check({
      {"cvt_f32_s32", {0xffffffff}, bits(-1.0f)},
      {"cvt_f32_u32", {0xffffffff}, bits(4294967296.0f)},
      {"cvt_zero_f32_u32", {0xffffffff}, 0x4f7fffff},
      {"cvt_f32_u64", {0xffffffffffffffff}, 0x5f800000},
      {"cvt_down_f64_u64", {0xffffffffffffffff}, 0x43efffffffffffff},
      {"cvt_f64_s64", {0x8000000000000000}, 0xc3e0000000000000},
      {"cvt_f16_u32", {65520}, 0x7c00},
      {"cvt_zero_f16_u32", {70000}, 0x7bff},
      {"cvt_f16_s8", {0x80}, 0xd800},
      {"cvt_f32_u8", {0xffffffff}, bits(255.0f)},
      {"cvt_f32_s32", {0}, 0},
      {"cvt_f32_f64", {bits(0.1)}, bits(0.1f)},
      {"cvt_up_f32_f64", {bits(1e300)}, inf32},
      {"cvt_down_f32_f64", {bits(1e300)}, 0x7f7fffff},
      {"cvt_up_f32_f64", {bits(-1e300)}, 0xff7fffff},
      {"cvt_f64_f32", {1}, 0x36a0000000000000},
      {"cvt_ftz_f64_f32", {1}, 0},
      {"cvt_f16_f32", {bits(65519.0f)}, 0x7bff},
      {"cvt_f16_f32", {bits(65520.0f)}, 0x7c00},
      {"cvt_f16_f32", {0x33000000}, 0},  // 2^-25: a tie between 0 and the smallest subnormal
      {"cvt_f16_f32", {0x33000001}, 1},
      {"cvt_ftz_f16_f32", {0x33800000}, 0},
      {"cvt_f32_f16", {0x0001}, 0x33800000},
      {"cvt_f32_f16", {0x7c01}, 0x7fc02000},  // the payload stays aligned to the quiet bit
      {"cvt_f16_f32", {0x7fc02000}, 0x7e01},
      {"cvt_f64_f16", {0xfc00}, 0xfff0000000000000},
  });
}

}  // namespace
}  // namespace heddle::testing
