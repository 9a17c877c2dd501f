// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and packed values (PRM 4.14, 5.8 to 5.10).
#include "table_test.h"

namespace heddle::testing {
namespace {

constexpr Cell a128{0x0706050403020100, 0x0f0e0d0c0b0a0908};
constexpr Cell b128{0x1716151413121110, 0x1f1e1d1c1b1a1918};

TEST(Move, Copies) {
  check({
      {"mov_b1", {1}, 1},
      {"mov_b32", {0x12345678}, 0x12345678},
      {"mov_b64", {0x123456789abcdef0}, 0x123456789abcdef0},
      {"mov_f16", {0xffff3c00}, 0x3c00},
      {"cmov_b1", {1, 0, 1}, 0},
      {"cmov_b32", {1, 7, 8}, 7},
      {"cmov_b64", {0, 7, 8}, 8},
      {"combine_v2_b64_b32", {0x11111111, 0x22222222}, 0x2222222211111111},
  });
  EXPECT_EQ(apply("mov_b128", {a128}), std::vector{a128});
  EXPECT_EQ(apply("cmov_b128", {{1, 0}, a128, b128}), std::vector{a128});
  EXPECT_EQ(apply("cmov_b128", {{0, 0}, a128, b128}), std::vector{b128});
  EXPECT_EQ(apply("combine_v2_b128_b64", {{1, 0}, {2, 0}}), (std::vector{Cell{1, 2}}));
  EXPECT_EQ(apply("combine_v4_b128_b32", {{1, 0}, {2, 0}, {3, 0}, {4, 0}}),
            (std::vector{Cell{0x200000001, 0x400000003}}));
  EXPECT_EQ(apply("expand_v2_b32_b64", {{0x2222222211111111, 0}}),
            (std::vector{Cell{0x11111111, 0}, Cell{0x22222222, 0}}));
  EXPECT_EQ(apply("expand_v4_b32_b128", {a128}), (std::vector{Cell{0x03020100, 0}, Cell{0x07060504, 0},
                                                              Cell{0x0b0a0908, 0}, Cell{0x0f0e0d0c, 0}}));
  EXPECT_EQ(apply("expand_v2_b64_b128", {a128}), (std::vector{Cell{a128.lo, 0}, Cell{a128.hi, 0}}));
}

TEST(Packed, ElementsOfIntegers) {
  check({
      {"add_pp_u8x4", {0x01ff0304, 0x01010101}, 0x02000405},
      {"add_pp_sat_u8x4", {0x01ff0304, 0x01010101}, 0x02ff0405},
      {"add_pp_sat_s8x4", {0x7f80ff01, 0x01ff0101}, 0x7f800002},
      {"add_ps_u16x2", {0x00010002, 0xffff0010}, 0x00110012},
      {"add_sp_u16x2", {0x00010002, 0xffff0010}, 0x00010012},
      {"sub_pp_s16x4", {0, 0x0001000200030004}, 0xfffffffefffdfffc},
      {"mul_pp_u16x2", {0x00ff0100, 0x00020100}, 0x01fe0000},
      {"mul_pp_sat_u16x2", {0x00ff0100, 0x00020100}, 0x01feffff},
      {"mul_pp_sat_s8x4", {0x80800210, 0x80010210}, 0x7f80047f},
      {"mulhi_pp_u16x2", {0x00ff0100, 0x00020100}, 0x00000001},
      {"mulhi_pp_s16x2", {0xffff8000, 0x00018000}, 0xffff4000},
      {"max_pp_s8x4", {0x7f80ff01, 0}, 0x7f000001},
      {"min_pp_u8x4", {0x7f80ff01, 0x80808080}, 0x7f808001},
      {"abs_p_s8x4", {0x7f80ff01}, 0x7f800101},
      {"neg_p_s16x2", {0x00018000}, 0xffff8000},
      {"shl_u8x4", {0x01020381, 1}, 0x02040602},
      {"shl_u8x4", {0x01020381, 9}, 0x02040602},
      {"shr_s8x4", {0x80402010, 4}, 0xf8040201},
      {"shr_u16x4", {0x8000400020001000, 12}, 0x0008000400020001},
      {"cmp_lt_pp_u8x4_s8x4", {0xff010080, 0}, 0xff0000ff},
      {"cmp_eq_pp_u16x2_f16x2", {0x80003c00, 0x00003c01}, 0xffff0000},
      {"cmov_u8x4", {0xff000100, 0x11223344, 0x55667788}, 0x11663388},
      {"cvt_pp_s32x2_u16x2", {0xffff0001}, 0x0000ffff00000001},
      {"cvt_pp_sat_u8x4_s16x4", {0xffff010000ff0001}, 0x00ffff01},
      {"cvt_pp_f32x2_f16x2", {0x3c00c000}, (bits(1.0f) << 32) | bits(-2.0f)},
  });
}

TEST(Packed, LowElementAloneLeavesTheRest) {
  const Cell before{0xaaaaaaaabbbbbbbb, 0};
  EXPECT_EQ(apply("add_ss_u8x4", {{0x01020304, 0}, {0x10203040, 0}}, {}, before)[0].lo & 0xffffffff,
            0xbbbbbb44u);
  EXPECT_EQ(apply("neg_s_s16x4", {{0x0001000200030004, 0}}, {}, before)[0].lo, 0xaaaaaaaabbbbfffcu);
  EXPECT_EQ(apply("add_ss_f32x2", {{bits(1.0f), 0}, {bits(2.0f), 0}}, {}, before)[0].lo, 0xaaaaaaaa40400000u);
}

TEST(Packed, Wide) {
  EXPECT_EQ(apply("add_pp_u8x16", {a128, b128}), (std::vector{Cell{0x1e1c1a1816141210, 0x2e2c2a2826242220}}));
  EXPECT_EQ(apply("add_pp_sat_u64x2", {{~uint64_t{0}, 1}, {1, 2}}), (std::vector{Cell{~uint64_t{0}, 3}}));
  EXPECT_EQ(apply("mul_pp_sat_s64x2", {{uint64_t{1} << 63, 3}, {2, 4}}),
            (std::vector{Cell{uint64_t{1} << 63, 12}}));
  EXPECT_EQ(apply("add_pp_f64x2", {{bits(1.0), bits(2.0)}, {bits(0.5), bits(-2.0)}}),
            (std::vector{Cell{bits(1.5), 0}}));
  EXPECT_EQ(apply("cvt_pp_f64x2_f32x2", {{(bits(2.0f) << 32) | bits(1.0f), 0}}),
            (std::vector{Cell{bits(1.0), bits(2.0)}}));
}

TEST(Packed, MovesOfElements) {
  check({
      {"shuffle_u8x4", {0x33221100, 0x77665544}, 0x44444444 & 0x44440000, {"0"}},
      {"shuffle_u8x4", {0x33221100, 0x33221100}, 0x00112233, {"0x1b"}},
      {"shuffle_u16x2", {0x11110000, 0x33332222}, 0x22221111, {"1"}},
      {"shuffle_s16x4", {0x3333222211110000, 0x7777666655554444}, 0x7777666611110000, {"0xe4"}},
      {"shuffle_f32x2", {0x1111111100000000, 0x3333333322222222}, 0x3333333300000000, {"2"}},
      {"shuffle_u8x8", {0x0706050403020100, 0x1716151413121110}, 0x1010101007070707, {"0x0000fff"}},
      {"unpacklo_u8x4", {0x33221100, 0x77665544}, 0x55114400},
      {"unpackhi_u8x4", {0x33221100, 0x77665544}, 0x77336622},
      {"unpacklo_s16x4", {0x3333222211110000, 0x7777666655554444}, 0x5555111144440000},
      {"unpackhi_f32x2", {0x1111111100000000, 0x3333333322222222}, 0x3333333311111111},
      {"pack_u8x4_u32", {0x33221100, 0xabcdef99, 6}, 0x33991100},
      {"pack_f32x2_f32", {0x1111111100000000, 0x22222222, 1}, 0x2222222200000000},
      {"unpack_s32_s8x4", {0x33228100, 1}, 0xffffff81},
      {"unpack_u32_u8x4", {0x33228100, 1}, 0x81},
      {"unpack_f16_f16x4", {0x3c00000000000000, 7}, 0x3c00},
      {"unpack_s32_s32x2", {0x8000000000000000, 1}, 0x80000000},
  });
  EXPECT_EQ(apply("pack_u64x2_u64", {{1, 2}, {9, 0}, {1, 0}}), (std::vector{Cell{1, 9}}));
  EXPECT_EQ(apply("unpack_u64_u64x2", {{1, 2}, {1, 0}}), (std::vector{Cell{2, 0}}));
}

}  // namespace
}  // namespace heddle::testing
