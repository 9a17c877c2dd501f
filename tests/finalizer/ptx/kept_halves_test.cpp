// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of 64 bits that keep one of their halves.
#include "finalizer/ptx/kept_halves.h"

#include <gtest/gtest.h>

#include "instruction_kernel.h"
#include "ptxas.h"

namespace heddle::finalizer::ptx {
namespace {

using testing::finalize_ptx;
using testing::has_ptxas;
using testing::run_ptxas;

TEST(KeptHalves, AreCopiedOutOfMasks) {
  EXPECT_EQ(with_kept_halves_copied("a:\n\tand.b64 \t%rd3, %rd1, -4294967296;\n"
                                    "\tcvt.u64.u32 \t%rd2, %r1;\n\tor.b64 \t%rd1, %rd2, %rd3;\n\tret;\n"),
            "a:\n\t{ .reg .b32 %hsail_half; mov.b64 {_, %hsail_half}, %rd1; .reg .b32 %hsail_kept; prmt.b32 "
            "%hsail_kept, %hsail_half, %hsail_half, 0x3210; mov.b64 %rd3, {0, %hsail_kept}; }\n"
            "\tcvt.u64.u32 \t%rd2, %r1;\n\tor.b64 \t%rd1, %rd2, %rd3;\n\tret;\n");
  EXPECT_EQ(with_kept_halves_copied("\tand.b64 \t%rd3, %rd1, 4294967295;\n\tor.b64 \t%rd1, %rd3, %rd2;\n"),
            "\t{ .reg .b32 %hsail_half; mov.b64 {%hsail_half, _}, %rd1; .reg .b32 %hsail_kept; prmt.b32 "
            "%hsail_kept, %hsail_half, %hsail_half, 0x3210; mov.b64 %rd3, {%hsail_kept, 0}; }\n"
            "\tor.b64 \t%rd1, %rd3, %rd2;\n");
}

TEST(KeptHalves, AreCopiedWhereOrPutsThemBack) {
  const std::string copy =
      "\t{ .reg .b32 %hsail_kept; prmt.b32 %hsail_kept, %r1, %r1, 0x3210; cvt.u64.u32 %rd2, %hsail_kept; }\n";
  const std::string extend = "\tcvt.u64.u32 \t%rd2, %r1;\n";
  for (const std::string lower :
       {"\tcvt.u32.u64 \t%r1, %rd1;\n", "\tmov.b64 \t{%r1, _}, %rd1;\n", "\tmov.b64 \t{%r1, %r2}, %rd1;\n"}) {
    const std::string end = "\tor.b64 \t%rd1, %rd4, %rd2;\n";
    EXPECT_EQ(with_kept_halves_copied(lower + extend + end), lower + copy + end);
  }
  for (const std::string upper : {"\tmov.b64 \t{_, %r1}, %rd1;\n", "\tmov.b64 \t{%r2, %r1}, %rd1;\n",
                                  "\tshr.u64 \t%rd5, %rd1, 32;\n\tcvt.u32.u64 \t%r1, %rd5;\n"}) {
    const std::string end = "\tshl.b64 \t%rd3, %rd2, 32;\n\tor.b64 \t%rd1, %rd4, %rd3;\n";
    EXPECT_EQ(with_kept_halves_copied(upper + extend + end), upper + copy + end);
  }
}

TEST(KeptHalves, AreCopiedWhereAMovePutsThemBack) {
  const std::string apart = "\tmov.b64 \t{%r1, %r2}, %rd1;\n";
  EXPECT_EQ(with_kept_halves_copied(apart + "\tmov.b64 \t%rd1, {%r1, %r3};\n"),
            apart +
                "\t{ .reg .b32 %hsail_lower; prmt.b32 %hsail_lower, %r1, %r1, 0x3210; mov.b64 %rd1, "
                "{%hsail_lower, %r3}; }\n");
  EXPECT_EQ(with_kept_halves_copied(apart + "\tmov.b64 \t%rd1, {77, %r2};\n"),
            apart +
                "\t{ .reg .b32 %hsail_upper; prmt.b32 %hsail_upper, %r2, %r2, 0x3210; mov.b64 %rd1, {77, "
                "%hsail_upper}; }\n");
  EXPECT_EQ(with_kept_halves_copied(apart + "\tmov.b64 \t%rd1, {%r1, %r2};\n"),
            apart +
                "\t{ .reg .b32 %hsail_lower; prmt.b32 %hsail_lower, %r1, %r1, 0x3210; .reg .b32 "
                "%hsail_upper; prmt.b32 %hsail_upper, %r2, %r2, 0x3210; mov.b64 %rd1, {%hsail_lower, "
                "%hsail_upper}; }\n");
}

TEST(KeptHalves, MayBeUsedAsAddresses) {
  const std::string apart = "\tmov.b64 \t{%r1, _}, %rd1;\n\tst.shared.b32 \t[%r1], %r3;\n";
  EXPECT_NE(with_kept_halves_copied(apart + "\tmov.b64 \t%rd1, {%r1, %r3};\n").find("prmt"),
            std::string::npos);
}

TEST(KeptHalves, AreNotInOtherCode) {
  for (const char* text : {
           // A mask that is compared, such as in front of a division, and an address.
           "\tand.b64 \t%rd2, %rd1, -4294967296;\n\tsetp.ne.b64 \t%p1, %rd2, 0;\n",
           "\tand.b64 \t%rd2, %rd1, 4294967295;\n\tadd.s64 \t%rd3, %rd2, %rd4;\n",
           // A block cannot have a predicate.
           "\t@%p1 and.b64 \t%rd3, %rd1, -4294967296;\n\tor.b64 \t%rd1, %rd2, %rd3;\n",
           // Other masks, and registers.
           "\tand.b64 \t%rd2, %rd1, -65536;\n\tor.b64 \t%rd1, %rd2, %rd3;\n",
           "\tand.b64 \t%rd2, %rd1, %rd4;\n\tor.b64 \t%rd1, %rd2, %rd3;\n",
           // An index that is made longer, and two words that a value is made of.
           "\tcvt.u32.u64 \t%r1, %rd1;\n\tcvt.u64.u32 \t%rd2, %r1;\n\tadd.s64 \t%rd3, %rd2, %rd4;\n",
           "\tadd.s32 \t%r1, %r2, %r3;\n\tcvt.u64.u32 \t%rd2, %r1;\n\tor.b64 \t%rd3, %rd2, %rd4;\n",
           "\tld.v2.b32 \t{%r1, %r2}, [%rd1];\n\tmov.b64 \t%rd2, {%r1, %r2};\n",
           // Halves in other places than before, and such as are merged with others in 32 bits.
           "\tmov.b64 \t{%r1, %r2}, %rd1;\n\tmov.b64 \t%rd1, {%r2, %r1};\n",
           "\tmov.b64 \t{_, %r1}, %rd1;\n\tcvt.u64.u32 \t%rd2, %r1;\n\tor.b64 \t%rd1, %rd2, %rd3;\n",
           "\tshr.u64 \t%rd5, %rd1, 16;\n\tcvt.u32.u64 \t%r1, %rd5;\n\tmov.b64 \t%rd1, {%r2, %r1};\n",
           "\tmov.b64 \t{_, %r1}, %rd1;\n\tcvt.u64.u32 \t%rd2, %r1;\n\tshl.b64 \t%rd3, %rd2, 24;\n\tor.b64 "
           "\t%rd1, %rd3, %rd4;\n",
           "\tmov.b64 \t{_, %r1}, %rd1;\n\tmov.b32 \t%r1, %r2;\n\tmov.b64 \t%rd1, {%r3, %r1};\n",
           "\tmov.b32 \t%r1, {%rs1, %rs2};\n\n\tret;\n",
       })
    EXPECT_EQ(with_kept_halves_copied(text), text);
}

/// An operation that keeps a half of $d2 under a condition; $d3 and $s2 are something else.
std::string conditional(const std::string& operation) {
  return std::string(testing::instruction_module) + R"(
prog kernel &k(kernarg_u64 %data) {
  ld_kernarg_u64 $d1, [%data];
  workitemflatabsid_u64 $d4;
  shl_u64 $d4, $d4, 6;
  add_u64 $d1, $d1, $d4;
  ld_global_u64 $d2, [$d1];
  ld_global_u64 $d3, [$d1+8];
  ld_global_u32 $s1, [$d1+16];
  ld_global_u32 $s2, [$d1+20];
  cmp_eq_b1_u32 $c1, $s1, 0;
  cbr_b1 $c1, @end;
  )" + operation +
         R"(
@end:
  st_global_u64 $d2, [$d1+24];
  ret;
};
)";
}

/// What LLVM makes of packed operations and others has one of the forms that are known.
TEST(KeptHalves, AreFoundInWhatKeepsThem) {
  for (const std::string isa : {"sm_90", "sm_100"})
    for (const char* operation : {
             "max_ss_u32x2 $d2, $d3, $d2;",
             "add_ss_u32x2 $d2, $d2, $d3;",
             "add_ss_f32x2 $d2, $d2, $d3;",
             "sub_ss_u16x4 $d2, $d2, $d3;",
             "pack_u32x2_u32 $d2, $d2, $s2, 1;",
             "pack_f32x2_f32 $d2, $d2, $s2, 1;",
             "pack_u8x8_u32 $d2, $d2, $s2, 7;",
             "bitinsert_u64 $d2, $d2, $d3, 0, 32;",
             "bitinsert_u64 $d2, $d2, $d3, 32, 32;",
             "bitselect_b64 $d2, 0xffffffff, $d3, $d2;",
             "bitselect_b64 $d2, 0xffffffff00000000, $d3, $d2;",
             "unpacklo_u32x2 $d2, $d2, $d3;",
             "unpackhi_u32x2 $d2, $d3, $d2;",
             "expand_v2_b32_b64 ($s3, $s4), $d2; combine_v2_b64_b32 $d2, ($s2, $s4);",
             "expand_v2_b32_b64 ($s3, $s4), $d2; combine_v2_b64_b32 $d2, ($s3, $s2);",
             "and_b64 $d2, $d2, 0xffffffff; shl_u64 $d3, $d3, 32; or_b64 $d2, $d2, $d3;",
         }) {
      const auto program =
          finalize_ptx(conditional(operation), "kept.hsail", ("heddle:nvptx-" + isa).c_str(), "-O1");
      EXPECT_NE(program.ptx.find(", 0x3210;"), std::string::npos) << isa << ' ' << operation << program.ptx;
      if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, isa), "") << operation;
    }
}

}  // namespace
}  // namespace heddle::finalizer::ptx
