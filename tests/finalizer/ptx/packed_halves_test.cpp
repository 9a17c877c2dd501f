// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that are put together from halves.
#include "finalizer/ptx/packed_halves.h"

#include <gtest/gtest.h>

namespace heddle::finalizer::ptx {
namespace {

TEST(PackedHalves, ArePutTogetherByBytes) {
  EXPECT_EQ(with_halves_packed_by_bytes("a:\n\tmov.b32 \t%r40, {%rs1, %rs2};\n\tret;"),
            "a:\n\t{ .reg .b32 %hsail_lower, %hsail_upper; cvt.u32.u16 %hsail_lower, %rs1; cvt.u32.u16 "
            "%hsail_upper, "
            "%rs2; prmt.b32 %r40, %hsail_lower, %hsail_upper, 0x5410; }\n\tret;");
}

TEST(PackedHalves, MayBeNumbers) {
  EXPECT_EQ(with_halves_packed_by_bytes("\tmov.b32 \t%r40, {%rs1, 32256};"),
            "\t{ .reg .b32 %hsail_lower, %hsail_upper; cvt.u32.u16 %hsail_lower, %rs1; mov.b32 %hsail_upper, "
            "32256; "
            "prmt.b32 %r40, %hsail_lower, %hsail_upper, 0x5410; }");
}

TEST(PackedHalves, AreNoOtherMoves) {
  for (const char* line :
       {"\tmov.b32 \t{%rs1, %rs2}, %r1;", "\tmov.b64 \t%rd1, {%r1, %r2};", "\tmov.b32 \t%r1, %r2;",
        "\tmov.b32 \t%r1, 5;", "\tst.v2.b16 \t[%rd1], {%rs1, %rs2};", "", "\tmov.b32"})
    EXPECT_EQ(with_halves_packed_by_bytes(line), line);
}

}  // namespace
}  // namespace heddle::finalizer::ptx
