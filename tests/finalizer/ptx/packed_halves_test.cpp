// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that are put together from halves, and taken apart.
#include "finalizer/ptx/packed_halves.h"

#include <gtest/gtest.h>

namespace heddle::finalizer::ptx {
namespace {

TEST(PackedHalves, ArePutTogetherByBytes) {
  EXPECT_EQ(with_explicit_halves("a:\n\tmov.b32 \t%r40, {%rs1, %rs2};\n\tret;\n"),
            "a:\n\t{ .reg .b32 %hsail_lower, %hsail_upper; cvt.u32.u16 %hsail_lower, %rs1; cvt.u32.u16 "
            "%hsail_upper, "
            "%rs2; prmt.b32 %r40, %hsail_lower, %hsail_upper, 0x5410; }\n\tret;\n");
}

TEST(PackedHalves, MayBeNumbers) {
  EXPECT_EQ(with_explicit_halves("\tmov.b32 \t%r40, {%rs1, 32256};\n"),
            "\t{ .reg .b32 %hsail_lower, %hsail_upper; cvt.u32.u16 %hsail_lower, %rs1; mov.b32 %hsail_upper, "
            "32256; "
            "prmt.b32 %r40, %hsail_lower, %hsail_upper, 0x5410; }\n");
}

TEST(PackedHalves, AreCutOffTheWordsThatTheyComeFrom) {
  const std::string once = "\tadd.s32 \t%r1, %r2, %r3;\n\tcvt.u16.u32 \t%rs1, %r1;\n";
  const std::string pack = "\tmov.b32 \t%r4, {%rs1, %rs2};\n";
  EXPECT_NE(with_explicit_halves(once + pack).find("and.b32 %hsail_lower, %r1, 65535;"), std::string::npos);
  // The word may have changed since, or the half come from elsewhere.
  for (const char* more :
       {"\tmov.b32 \t%r1, 5;\n", "\tmov.b64 \t{_, %r1}, %rd1;\n", "\tmov.b16 \t%rs1, 5;\n"})
    EXPECT_NE(with_explicit_halves(once + more + pack).find("cvt.u32.u16 %hsail_lower, %rs1;"),
              std::string::npos)
        << more;
}

TEST(PackedHalves, AreTakenOutByShifts) {
  EXPECT_EQ(with_explicit_halves("\tmov.b32 \t{_, %rs2}, %r1;\n"),
            "\t{ .reg .b32 %hsail_upper; shr.u32 %hsail_upper, %r1, 16; cvt.u16.u32 %rs2, %hsail_upper; }\n");
  EXPECT_EQ(with_explicit_halves("\tmov.b32 \t{%rs1, _}, %r1;\n"), "\t{ cvt.u16.u32 %rs1, %r1; }\n");
  EXPECT_EQ(
      with_explicit_halves("\tmov.b32 \t{%rs1, %rs2}, %r1;\n"),
      "\t{ .reg .b32 %hsail_upper; shr.u32 %hsail_upper, %r1, 16; cvt.u16.u32 %rs1, %r1; cvt.u16.u32 %rs2, "
      "%hsail_upper; }\n");
}

TEST(PackedHalves, AreNoOtherMoves) {
  for (const char* line :
       {"\tmov.b64 \t%rd1, {%r1, %r2};\n", "\tmov.b64 \t{%r1, %r2}, %rd1;\n", "\tmov.b32 \t%r1, %r2;\n",
        "\tmov.b32 \t%r1, 5;\n", "\tst.v2.b16 \t[%rd1], {%rs1, %rs2};\n", "\n", "\tmov.b32\n"})
    EXPECT_EQ(with_explicit_halves(line), line);
}

}  // namespace
}  // namespace heddle::finalizer::ptx
