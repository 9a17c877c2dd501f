// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer instructions (PRM 5.2 to 5.7, 5.15), with expected values derived from the PRM. Upper halves of s
// registers are zero in the results because 32 bits are stored; sub-word results are extended to 32 bits by
// their type.
#include "table_test.h"

namespace heddle::testing {
namespace {

constexpr uint64_t min64 = 0x8000000000000000u;
constexpr uint64_t max64 = 0x7fffffffffffffffu;
constexpr uint64_t all64 = 0xffffffffffffffffu;

TEST(Integer, Arithmetic) {
  check({
      {"add_u32", {0xffffffff, 2}, 1},
      {"add_s32", {0x7fffffff, 1}, 0x80000000},
      {"add_u64", {all64, 1}, 0},
      {"add_s64", {max64, 1}, min64},
      {"sub_u32", {0, 1}, 0xffffffff},
      {"sub_s64", {min64, 1}, max64},
      {"mul_u32", {0x10000, 0x10000}, 0},
      {"mul_s32", {0xffffffff, 7}, 0xfffffff9},
      {"mul_u64", {0x100000001, 0x100000001}, 0x200000001},
      {"mul_s64", {all64, all64}, 1},
      {"mulhi_u32", {0xffffffff, 0xffffffff}, 0xfffffffe},
      {"mulhi_s32", {0xffffffff, 0xffffffff}, 0},
      {"mulhi_s32", {0x80000000, 2}, 0xffffffff},
      {"mulhi_u64", {all64, all64}, all64 - 1},
      {"mulhi_s64", {min64, min64}, 0x4000000000000000},
      {"mulhi_s64", {all64, 1}, all64},
      {"mad_u32", {3, 5, 0xfffffff0}, 0xffffffff},
      {"mad_s64", {all64, 2, 1}, all64},
      {"div_u32", {0xffffffff, 2}, 0x7fffffff},
      {"div_s32", {0xfffffff9, 2}, 0xfffffffd},
      {"div_s32", {7, 0xfffffffe}, 0xfffffffd},
      {"div_s32", {0x80000000, 0xffffffff}, 0x80000000},
      {"div_u64", {all64, 10}, 1844674407370955161u},
      {"div_s64", {min64, all64}, min64},
      {"div_s32", {5, 0}, 0},
      {"rem_u32", {0xffffffff, 16}, 15},
      {"rem_s32", {0xfffffff9, 4}, 0xfffffffd},
      {"rem_s32", {7, 0xfffffffc}, 3},
      {"rem_s32", {0x80000000, 0xffffffff}, 0},
      {"rem_s64", {min64, all64}, 0},
      {"rem_u64", {5, 0}, 0},
      {"abs_s32", {0xffffffff}, 1},
      {"abs_s32", {0x80000000}, 0x80000000},
      {"abs_s64", {min64}, min64},
      {"neg_s32", {5}, 0xfffffffb},
      {"neg_s32", {0x80000000}, 0x80000000},
      {"neg_s64", {1}, all64},
      {"max_u32", {0xffffffff, 1}, 0xffffffff},
      {"max_s32", {0xffffffff, 1}, 1},
      {"min_u64", {all64, 1}, 1},
      {"min_s64", {all64, 1}, all64},
      {"borrow_u32", {1, 2}, 1},
      {"borrow_u32", {2, 2}, 0},
      {"borrow_s32", {0xffffffff, 1}, 0},
      {"borrow_s64", {1, all64}, 1},
      {"carry_u32", {0xffffffff, 1}, 1},
      {"carry_u32", {0xfffffffe, 1}, 0},
      {"carry_s32", {0xffffffff, 0xffffffff}, 1},
      {"carry_u64", {min64, min64}, 1},
      {"carry_s64", {max64, 1}, 0},
  });
}

TEST(Integer, Saturation) {
  check({
      {"add_sat_u8", {200, 100}, 255},
      {"add_sat_s8", {100, 100}, 127},
      {"add_sat_s8", {0x80, 0xff}, 0xffffff80},
      {"add_sat_u16", {0xffff, 1}, 0xffff},
      {"add_sat_s16", {0x8000, 0x8000}, 0xffff8000},
      {"add_sat_u32", {0xffffffff, 1}, 0xffffffff},
      {"add_sat_s32", {0x7fffffff, 1}, 0x7fffffff},
      {"add_sat_s32", {0x80000000, 0xffffffff}, 0x80000000},
      {"add_sat_u64", {all64, 1}, all64},
      {"add_sat_s64", {max64, 1}, max64},
      {"sub_sat_u8", {1, 2}, 0},
      {"sub_sat_s8", {0x80, 1}, 0xffffff80},
      {"sub_sat_s16", {0x7fff, 0xffff}, 0x7fff},
      {"sub_sat_u64", {0, 1}, 0},
      {"sub_sat_s64", {min64, 1}, min64},
      // Bits above the type are ignored.
      {"add_sat_u8", {0xabc01, 0xfff02}, 3},
      {"mad_sat_u8", {16, 16, 0}, 255},
      {"mad_sat_s8", {0xf0, 16, 0}, 0xffffff80},
      {"mad_sat_s16", {0x100, 0x7f, 0xff}, 0x7fff},
      {"mad_sat_u32", {0x10000, 0x10000, 0}, 0xffffffff},
      {"mad_sat_s32", {0x80000000, 0x80000000, 0}, 0x7fffffff},
      {"mad_sat_u64", {all64, all64, all64}, all64},
      {"mad_sat_s64", {min64, min64, min64}, max64},
      {"mad_sat_s64", {min64, 1, 1}, min64 + 1},
      // The exact product is out of range, but the sum is in range again.
      {"mad_sat_s64", {min64, all64, all64}, max64},
  });
}

TEST(Integer, TwentyFourBits) {
  check({
      {"mul24_u32", {0xffffff, 0xffffff}, 0xfe000001},
      {"mul24_s32", {0xffffffff, 0x7fffff}, 0xff800001},
      {"mul24hi_u32", {0xffffff, 0xffffff}, 0xffff},
      {"mul24hi_s32", {0xff800000, 0x7fffff}, 0xffffc000},
      {"mad24_u32", {0x1000, 0x1000, 5}, 0x1000005},
      {"mad24hi_u32", {0xffffff, 0xffffff, 2}, 0x10001},
      {"mad24hi_s32", {0xffffffff, 1, 0}, 0xffffffff},
  });
}

TEST(Integer, ShiftsTakeTheAmountModuloTheSize) {
  check({
      {"shl_u32", {1, 31}, 0x80000000},
      {"shl_u32", {1, 32}, 1},
      {"shl_s32", {3, 31}, 0x80000000},
      {"shl_u64", {1, 63}, min64},
      {"shl_s64", {1, 65}, 2},
      {"shr_u32", {0x80000000, 31}, 1},
      {"shr_s32", {0x80000000, 31}, 0xffffffff},
      {"shr_s32", {0x80000000, 33}, 0xc0000000},
      {"shr_u64", {min64, 63}, 1},
      {"shr_s64", {min64, 62}, all64 - 1},
  });
}

TEST(Integer, Bits) {
  check({
      {"and_b1", {1, 0}, 0},
      {"or_b1", {1, 0}, 1},
      {"xor_b1", {1, 1}, 0},
      {"not_b1", {1}, 0},
      {"not_b1", {0}, 1},
      {"and_b32", {0xff00ff00, 0x0ff00ff0}, 0x0f000f00},
      {"or_b64", {0xf0, 0x0f}, 0xff},
      {"xor_b64", {all64, 1}, all64 - 1},
      {"not_b32", {0}, 0xffffffff},
      {"not_b64", {0}, all64},
      {"popcount_u32_b32", {0xffffffff}, 32},
      {"popcount_u32_b64", {min64 | 1}, 2},
      {"bitextract_u32", {0x12345678, 8, 8}, 0x56},
      {"bitextract_s32", {0x0000f000, 12, 4}, 0xffffffff},
      {"bitextract_s32", {0x00007000, 12, 4}, 7},
      {"bitextract_u32", {0xffffffff, 4, 0}, 0},
      {"bitextract_u32", {0xffffffff, 4, 32}, 0},
      {"bitextract_u64", {0xabcdef0123456789, 60, 4}, 0xa},
      {"bitextract_s64", {0xabcdef0123456789, 60, 4}, 0xfffffffffffffffa},
      {"bitinsert_u32", {0xffffffff, 0, 8, 8}, 0xffff00ff},
      {"bitinsert_s64", {0, all64, 60, 4}, 0xf000000000000000},
      {"bitinsert_u32", {0x1234, 0xffff, 3, 0}, 0x1234},
      {"bitmask_b32", {4, 8}, 0xff0},
      {"bitmask_b32", {4, 0}, 0},
      {"bitmask_b64", {40, 16}, 0x00ffff0000000000},
      {"bitrev_b32", {1}, 0x80000000},
      {"bitrev_b32", {0x12345678}, 0x1e6a2c48},
      {"bitrev_b64", {0x1}, min64},
      {"bitselect_b32", {0xff00ff00, 0x12345678, 0x9abcdef0}, 0x12bc56f0},
      {"bitselect_b64", {all64, 1, 2}, 1},
  });
}

TEST(Integer, FirstAndLastBit) {
  check({
      {"firstbit_u32_u32", {0}, 0xffffffff},
      {"firstbit_u32_u32", {1}, 31},
      {"firstbit_u32_u32", {0xffffffff}, 0},
      {"firstbit_u32_s32", {0xffffffff}, 0xffffffff},
      {"firstbit_u32_s32", {0xffff0000}, 16},
      {"firstbit_u32_s32", {0x0000ffff}, 16},
      {"firstbit_u32_u64", {1}, 63},
      {"firstbit_u32_s64", {min64}, 1},
      {"lastbit_u32_u32", {0}, 0xffffffff},
      {"lastbit_u32_u32", {0x80000000}, 31},
      {"lastbit_u32_s32", {0xffffffff}, 0},
      {"lastbit_u32_u64", {min64}, 63},
  });
}

TEST(Integer, Multimedia) {
  check({
      {"bitalign_b32", {0x89abcdef, 0x01234567, 4}, 0x789abcde},
      {"bitalign_b32", {0x89abcdef, 0x01234567, 32}, 0x89abcdef},
      {"bytealign_b32", {0x89abcdef, 0x01234567, 1}, 0x6789abcd},
      {"bytealign_b32", {0x89abcdef, 0x01234567, 5}, 0x6789abcd},
      {"lerp_u8x4", {0xff010203, 0xff020304, 0x01010000}, 0xff020203},
      {"lerp_u8x4", {0xff010203, 0xff020304, 0}, 0xff010203},
      {"sad_u32_u32", {5, 0xffffffff, 1}, 0xfffffffb},
      {"sad_u32_u16x2", {0x00010002, 0x00030001, 10}, 13},
      {"sad_u32_u8x4", {0xff000102, 0x00ff0201, 0}, 512},
      {"sadhi_u16x2_u8x4", {0xff000102, 0x00ff0201, 5}, 0x02000005},
      {"packcvt_u8x4_f32", {bits(0.5f), bits(1.5f), bits(300.0f), bits(-1.0f)}, 0x00ff0200},
      {"packcvt_u8x4_f32", {0x7fc00000, bits(2.5f), bits(3.5f), bits(255.0f)}, 0xff040200},
      {"unpackcvt_f32_u8x4", {0x01ff8003}, bits(128.0f), {"1"}},
      {"unpackcvt_f32_u8x4", {0x01ff8003}, bits(255.0f), {"2"}},
  });
}

}  // namespace
}  // namespace heddle::testing
