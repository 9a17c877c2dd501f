// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that only some work-items of a wave execute. Their results are merged with the values that the
// other work-items keep, which instruction selection likes to do in one instruction.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "both.h"

namespace heddle::testing {
namespace {

constexpr uint32_t items = 64;

/// Runs a kernel in which $d0 is the address of the work-item's two words of 64 bits, $d2 and $d3 their
/// contents, $s2 and $s3 the low halves of these, and $s0 the number of the work-item.
void expect_same_with_words(const std::string& body) {
  const std::string text = std::string("module &m:1:2:$full:$large:$near;\n") +
                           R"(prog kernel &k(kernarg_u64 %data) {
  workitemabsid_u32 $s0, 0;
  ld_kernarg_u64 $d1, [%data];
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 4;
  add_u64 $d0, $d0, $d1;
  ld_global_u64 $d2, [$d0];
  ld_global_u64 $d3, [$d0+8];
  cvt_u32_u64 $s2, $d2;
  cvt_u32_u64 $s3, $d3;
)" + body + "  ret;\n};\n";
  std::vector<uint64_t> data;
  for (uint64_t n = 0; n < 2 * items + items / 2; ++n) data.push_back(0x9e3779b97f4a7c15 * (n + 1));
  expect_same(text, {"&k"}, data, items, 32);
  for (const WaveTarget& target : wave_targets()) expect_same(text, {"&k"}, data, items, 32, target);
}

/// An instruction and the registers of its result and of the operand that the other work-items keep.
struct Merged {
  const char* instruction;
  const char* type;
};

/// Every third work-item, or every one whose first word is negative, executes the instruction. Its result
/// replaces its first or its second source.
TEST(DivergentDifferential, ResultsReplaceOperands) {
  const Merged cases[] = {{"copysign_f32 {}, $s2, $s3;", "32"},
                          {"copysign_f32 {}, $s3, $s2;", "32"},
                          {"bitinsert_u32 {}, $s2, $s3, 5, 12;", "32"},
                          {"bitinsert_s32 {}, $s3, $s2, 16, 16;", "32"},
                          {"bitinsert_s32 {}, $s2, $s3, 0, 7;", "32"},
                          {"bitselect_b32 {}, 0xff00f0, $s2, $s3;", "32"},
                          {"bitselect_b32 {}, 0xff00f0, $s3, $s2;", "32"},
                          {"copysign_f64 {}, $d2, $d3;", "64"},
                          {"copysign_f64 {}, $d3, $d2;", "64"},
                          {"bitinsert_u64 {}, $d2, $d3, 5, 12;", "64"},
                          {"bitinsert_s64 {}, $d3, $d2, 32, 32;", "64"},
                          {"bitselect_b64 {}, 0xff00f0, $d2, $d3;", "64"},
                          {"bitselect_b64 {}, 0xff00f0, $d3, $d2;", "64"}};
  const char* const conditions[] = {"rem_u32 $s1, $s0, 3;\n  cmp_ne_b1_u32 $c0, $s1, 0;",
                                    "cmp_ge_b1_s32 $c0, $s2, 0;"};
  for (const Merged& merged : cases) {
    const std::string letter = merged.type[0] == '3' ? "s" : "d";
    for (const char* condition : conditions) {
      for (const char* number : {"2", "3"}) {
        const std::string target = "$" + letter + number;
        SCOPED_TRACE(fmt::format(fmt::runtime(merged.instruction), target));
        expect_same_with_words(fmt::format(
            "  {}\n  cbr_b1 $c0, @others;\n  {}\n@others:\n  st_global_u{} {}, [$d0];\n", condition,
            fmt::format(fmt::runtime(merged.instruction), target), merged.type, target));
      }
    }
  }
}

/// The stores of the executing work-item must not touch what its neighbours have beside it.
TEST(DivergentDifferential, OneWorkItemStoresANarrowInteger) {
  for (const unsigned bits : {8, 16, 32}) {
    for (const unsigned item : {0, 1, 3}) {
      SCOPED_TRACE(fmt::format("{} bits, work-item {}", bits, item));
      expect_same_with_words(fmt::format(R"(
  workitemid_u32 $s1, 0;
  cmp_ne_b1_u32 $c0, $s1, {};
  cbr_b1 $c0, @others;
  cvt_u64_u32 $d4, $s0;
  mul_u64 $d4, $d4, {};
  add_u64 $d4, $d4, $d1;
  st_global_u{} $s3, [$d4+{}];
@others:
)",
                                         item, bits / 8, bits, items * 16));
    }
  }
}

/// Work-items load neighbouring integers that are too short for masked loads. Only the first of them, or only
/// the last, load from within the buffer; a few in the middle do not load either.
TEST(DivergentDifferential, LoadsOfNarrowIntegersEndAtTheBuffer) {
  constexpr uint32_t buffer_bytes = (2 * items + items / 2) * 8;
  for (const uint32_t bytes : {1u, 2u}) {
    for (const uint32_t loading : {1u, 3u, 8u, 13u, 31u}) {
      for (const bool at_end : {false, true}) {
        SCOPED_TRACE(fmt::format("{} bytes, {} work-items, {}", bytes, loading, at_end ? "end" : "begin"));
        // At the beginning of the buffer, it is the last work-items that load.
        const uint32_t absent = items - loading;
        const int64_t offset = at_end ? int64_t{buffer_bytes} - loading * bytes : -int64_t{absent} * bytes;
        expect_same_with_words(fmt::format(R"(
  cmp_{}_b1_u32 $c0, $s0, {};
  cbr_b1 $c0, @others;
  rem_u32 $s1, $s2, 5;
  cmp_eq_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @others;
  cvt_u64_u32 $d4, $s0;
  mul_u64 $d4, $d4, {};
  add_u64 $d4, $d4, {};
  add_u64 $d4, $d4, $d1;
  ld_global_u{} $s3, [$d4];
@others:
  st_global_u32 $s3, [$d0+12];
)",
                                           at_end ? "ge" : "lt", at_end ? loading : absent, bytes,
                                           static_cast<uint64_t>(offset), 8 * bytes));
      }
    }
  }
}

/// Each work-item adds up a list of its own, in a program that flushes subnormal numbers throughout.
TEST(DivergentDifferential, SumsOfListsWithFtz) {
  expect_same_with_words(fmt::format(R"(
  and_b32 $s4, $s2, 15;
  and_b32 $s5, $s3, 63;
  mov_b32 $s6, 0f3f800000;
  cmp_eq_b1_u32 $c0, $s4, 0;
  cbr_b1 $c0, @end;
@next:
  cvt_u64_u32 $d4, $s5;
  shl_u64 $d4, $d4, 2;
  add_u64 $d4, $d4, $d1;
  ld_global_f32 $s7, [$d4];
  fma_ftz_f32 $s6, $s7, 0f3f000000, $s6;
  add_u32 $s5, $s5, 1;
  sub_u32 $s4, $s4, 1;
  cmp_ne_b1_u32 $c0, $s4, 0;
  cbr_b1 $c0, @next;
@end:
  cvt_u64_u32 $d4, $s0;
  shl_u64 $d4, $d4, 2;
  add_u64 $d4, $d4, $d1;
  st_global_f32 $s6, [$d4+{}];
)",
                                     items * 16));
}

/// The higher half of a product of short integers is stored as a short integer.
TEST(DivergentDifferential, HalvesOfShortProducts) {
  for (const char* type : {"s32", "u32"}) {
    const std::string load = type[0] == 's' ? "s16" : "u16";
    SCOPED_TRACE(type);
    expect_same_with_words("  ld_global_" + load + " $s2, [$d0+2];\n  mulhi_" + type +
                           " $s3, $s2, 723;\n  st_global_u16 $s3, [$d0+8];\n");
  }
}

}  // namespace
}  // namespace heddle::testing
