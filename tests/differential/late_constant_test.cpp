// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point operations that turn out to change nothing only after inlining, unrolling or merging. Their
// results are still quiet NaNs (PRM 4.19.4), while values that were only moved may still be signalling NaNs.
#include <gtest/gtest.h>

#include "both.h"

namespace heddle::testing {
namespace {

// Results are compared without the sign of a NaN where PRM 4.19.4 leaves that sign open.

constexpr const char* header = "module &m:1:2:$full:$large:$near;\n";

/// After this, $d0 is the address of the work-item's word and $s1 the low half of that word.
constexpr const char* load_word = R"(
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 3;
  ld_kernarg_u64 $d0, [%data];
  add_u64 $d0, $d0, $d1;
  ld_global_u32 $s1, [$d0];
)";

void expect_same_of_nans(const std::string& functions, const std::string& body) {
  const std::string text = header + functions + "prog kernel &k(kernarg_u64 %data)\n{" + load_word + body +
                           "  st_global_u32 $s1, [$d0];\n  ret;\n};\n";
  const std::vector<uint64_t> data = {0x7f800001, 0xff812345, 0x7fc00001, 0x3f800000,
                                      0x80000000, 0x00000001, 0x7f800000, 0xff7fffff};
  expect_same(text, {"&k"}, data, 8, 4);
}

TEST(LateConstants, ArgumentsOfInlinedFunctions) {
  for (const char* operation : {"mul_f32 $s2, $s0, $s1", "mul_f32 $s2, $s1, $s0", "div_f32 $s2, $s0, $s1"}) {
    for (const char* constant : {"1.0f", "-1.0f"}) {
      const std::string function = std::string(R"(
function &f(arg_f32 %out)(arg_f32 %x, arg_f32 %y)
{
  ld_arg_f32 $s0, [%x];
  ld_arg_f32 $s1, [%y];
  )") + operation + R"(;
  st_arg_f32 $s2, [%out];
  ret;
};
)";
      const std::string call = std::string(R"(
  {
    arg_f32 %r;
    arg_f32 %a;
    arg_f32 %b;
    st_arg_f32 $s1, [%a];
    mov_b32 $s2, )") + constant +
                               R"(;
    st_arg_f32 $s2, [%b];
    call &f(%r)(%a, %b);
    ld_arg_f32 $s1, [%r];
  }
  abs_f32 $s1, $s1;
)";
      expect_same_of_nans(function, call);
    }
  }
}

/// The first iteration multiplies by 1, or adds -0.
TEST(LateConstants, UnrolledLoops) {
  for (const char* loop : {"mul_f32 $s2, $s1, $s2", "mul_f32 $s2, $s2, $s1"}) {
    expect_same_of_nans("", std::string(R"(
  mov_b32 $s2, 1.0f;
  mov_b32 $s3, 0;
@next:
  )") + loop + R"(;
  add_u32 $s3, $s3, 1;
  cmp_lt_b1_u32 $c0, $s3, 1;
  cbr_b1 $c0, @next;
  mov_b32 $s1, $s2;
)");
  }
  expect_same_of_nans("", R"(
  mov_b32 $s2, 0x80000000;
  mov_b32 $s3, 0;
@next:
  add_f32 $s2, $s2, $s1;
  add_u32 $s3, $s3, 1;
  cmp_lt_b1_u32 $c0, $s3, 1;
  cbr_b1 $c0, @next;
  mov_b32 $s1, $s2;
)");
}

TEST(LateConstants, ConversionsThereAndBack) {
  expect_same_of_nans("", "  cvt_f64_f32 $d2, $s1;\n  cvt_f32_f64 $s1, $d2;\n");
  expect_same_of_nans("", "  mov_b32 $s2, -0.0f;\n  sub_f32 $s1, $s2, $s1;\n  abs_f32 $s1, $s1;\n");
  expect_same_of_nans("", "  mov_b32 $s2, -1.0f;\n  div_f32 $s1, $s1, $s2;\n  abs_f32 $s1, $s1;\n");
}

/// Merges a computed value, whose NaNs are quiet, with a moved one, which keeps its bits.
TEST(LateConstants, MergedWithValuesThatWereMoved) {
  const char* const select = R"(
  mov_b32 $s2, 1.0f;
  mul_f32 $s3, $s1, $s2;
  and_b32 $s4, $s0, 1;
  cmp_ne_b1_u32 $c0, $s4, 0;
  cmov_b32 $s1, $c0, $s3, $s1;
)";
  expect_same_of_nans("", select);
  const char* const branch = R"(
  mov_b32 $s2, 1.0f;
  mov_b32 $s3, $s1;
  and_b32 $s4, $s0, 2;
  cmp_ne_b1_u32 $c0, $s4, 0;
  cbr_b1 $c0, @done;
  div_f32 $s3, $s1, $s2;
@done:
  abs_f32 $s1, $s3;
)";
  expect_same_of_nans("", branch);
}

/// The work-item stores the value of the previous iteration.
TEST(LateConstants, CarriedByLoops) {
  expect_same_of_nans("", R"(
  mov_b32 $s2, 1.0f;
  mov_b32 $s3, 0;
  mov_b32 $s4, $s1;
@next:
  st_global_u32 $s4, [$d0+4];
  mul_f32 $s4, $s4, $s2;
  add_u32 $s3, $s3, 1;
  cmp_lt_b1_u32 $c0, $s3, 2;
  cbr_b1 $c0, @next;
  mov_b32 $s1, $s4;
)");
}

}  // namespace
}  // namespace heddle::testing
