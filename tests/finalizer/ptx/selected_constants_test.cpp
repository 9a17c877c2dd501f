// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices among constants in PTX that are taken for numbers.
#include "finalizer/ptx/selected_constants.h"

#include <gtest/gtest.h>

namespace heddle::finalizer::ptx {
namespace {

std::string in_function(const std::string& body) {
  return ".func f()\n{\n\t.reg .b32 \t%r<9>;\n" + body + "}\n";
}

/// What stands behind a choice of 32 bits.
std::string hidden(const std::string& reg) {
  return "\t{ .reg .b32 %hsail_zero, %hsail_before; mov.u32 %hsail_zero, %lanemask_eq; mov.u32 "
         "%hsail_before, "
         "%lanemask_lt; and.b32 %hsail_zero, %hsail_zero, %hsail_before; xor.b32 %hsail_number_" +
         reg + ", %" + reg + ", %hsail_zero; }\n";
}

TEST(SelectedConstants, AreHiddenFromInstructionsOfNumbers) {
  EXPECT_EQ(with_constants_selected_as_floats(in_function("\tselp.b32 \t%r1, 1, 0, %p14;\n"
                                                          "\tcvt.rmi.f32.f32 \t%r2, %r1;\n"
                                                          "\tadd.s32 \t%r3, %r1, %r11;\n"
                                                          "\t@%p1 fma.rn.f32 \t%r4, %r1, %r11, %r1;\n")),
            ".func f()\n{\n\t.reg .b32 \t%hsail_number_r1;\n\t.reg .b32 \t%r<9>;\n"
            "\tselp.b32 \t%r1, 1, 0, %p14;\n" +
                hidden("r1") +
                "\tcvt.rmi.f32.f32 \t%r2, %hsail_number_r1;\n"
                "\tadd.s32 \t%r3, %r1, %r11;\n"
                "\t@%p1 fma.rn.f32 \t%r4, %hsail_number_r1, %r11, %hsail_number_r1;\n}\n");
}

TEST(SelectedConstants, MayBeWrittenAsNumbers) {
  EXPECT_EQ(with_constants_selected_as_floats(in_function("\tselp.f32 \t%r1, 0f00000001, 0f00000000, %p1;\n"
                                                          "\tcvt.rmi.s32.f32 \t%r2, %r1;\n")),
            ".func f()\n{\n\t.reg .b32 \t%hsail_number_r1;\n\t.reg .b32 \t%r<9>;\n"
            "\tselp.f32 \t%r1, 0f00000001, 0f00000000, %p1;\n" +
                hidden("r1") + "\tcvt.rmi.s32.f32 \t%r2, %hsail_number_r1;\n}\n");
}

TEST(SelectedConstants, MayHaveOtherSizes) {
  const std::string wide = with_constants_selected_as_floats(
      in_function("\tselp.b64 \t%rd1, -1, 1, %p1;\n\tsetp.gt.f64 \t%p2, %rd1, %rd2;\n"));
  EXPECT_NE(wide.find("\t.reg .b64 \t%hsail_number_rd1;\n"), std::string::npos) << wide;
  EXPECT_NE(
      wide.find("cvt.u64.u32 %hsail_zero64, %hsail_zero; xor.b64 %hsail_number_rd1, %rd1, %hsail_zero64; }"),
      std::string::npos)
      << wide;
  EXPECT_NE(wide.find("\tsetp.gt.f64 \t%p2, %hsail_number_rd1, %rd2;"), std::string::npos) << wide;
  const std::string half = with_constants_selected_as_floats(
      in_function("\tselp.b16 \t%rs1, 1, 0, %p1;\n\tcvt.f32.f16 \t%r2, %rs1;\n"));
  EXPECT_NE(half.find("xor.b16 %hsail_number_rs1, %rs1, %hsail_zero16; }"), std::string::npos) << half;
  EXPECT_NE(half.find("\tcvt.f32.f16 \t%r2, %hsail_number_rs1;"), std::string::npos) << half;
}

/// A choice of which one constant is a NaN. In `zero`, `|` separates declarations from instructions.
std::string choice_of_nan(const std::string& zero, const std::string& nan, const std::string& choice) {
  return "\t{ .reg .b32 %hsail_zero, %hsail_before;" + zero.substr(0, zero.find('|')) +
         " mov.u32 %hsail_zero, %lanemask_eq; mov.u32 %hsail_before, %lanemask_lt; and.b32 %hsail_zero, "
         "%hsail_zero, %hsail_before;" +
         zero.substr(zero.find('|') + 1) + nan + "\n" + choice + "\n\t}\n";
}

TEST(SelectedConstants, ThatAreNansAreSelectedAsHiddenBits) {
  const std::string narrow = " .reg .b32 %hsail_nan0; xor.b32 %hsail_nan0, %hsail_zero, 0x7FC00000;";
  EXPECT_EQ(
      with_constants_selected_as_floats(in_function("\tselp.f32 \t%r1, 0f7FC00000, %r2, %p1;\n"
                                                    "\tselp.f64 \t%rd1, %rd2, 0d7FF8000000000000, %p1;\n"
                                                    "\tselp.b32 \t%r4, 2143289344, %r2, %p1;\n"
                                                    "\tselp.f32 \t%r3, 0f7F800000, %r2, %p1;\n")),
      in_function(choice_of_nan("|", narrow, "\tselp.b32 \t%r1, %hsail_nan0, %r2, %p1;") +
                  choice_of_nan(" .reg .b64 %hsail_zero64;| cvt.u64.u32 %hsail_zero64, %hsail_zero;",
                                " .reg .b64 %hsail_nan0; xor.b64 %hsail_nan0, %hsail_zero64, "
                                "0x7FF8000000000000;",
                                "\tselp.b64 \t%rd1, %rd2, %hsail_nan0, %p1;") +
                  choice_of_nan("|", narrow, "\tselp.b32 \t%r4, %hsail_nan0, %r2, %p1;") +
                  "\tselp.f32 \t%r3, 0f7F800000, %r2, %p1;\n"))
      << "infinity is a number here";
  const std::string two = with_constants_selected_as_floats(in_function(
      "\tselp.f32 \t%r1, 0f7FC00000, 0fFFC00000, %p1;\n\tselp.f32 \t%r2, 0f7FC00000, 0f00000000, %p1;\n"));
  EXPECT_NE(two.find("\tselp.b32 \t%r1, %hsail_nan0, %hsail_nan1, %p1;"), std::string::npos) << two;
  EXPECT_NE(two.find("\tselp.b32 \t%r2, %hsail_nan0, 0x00000000, %p1;"), std::string::npos) << two;
}

class OtherText : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    All, OtherText,
    ::testing::Values(
        "\tselp.b64 \t%rd1, -4194304, %rd2, %p1;\n", "\tselp.b32 \t%r1, -4194305, %r2, %p1;\n",
        "\tselp.b32 \t%r1, 1, 0, %p1;\n\tcvt.rn.f32.s32 \t%r2, %r1;\n",
        "\tselp.b32 \t%r1, %r3, 0, %p1;\n\tadd.rn.f32 \t%r2, %r1, %r1;\n",
        "\tselp.b32 \t%r1, 1, 0, %p1;\n\tadd.rn.f32 \t%r2, %r11, %r12;\n",
        "\tselp.b32 \t%r1, 1, 0, %p1;\n\tmov.b32 \t%r1, %r2;\n\tadd.rn.f32 \t%r2, %r1, %r1;\n",
        "\tselp.b32 \t%r1, 1, 0, %p1;\n\tmov.b64 \t{_, %r1}, %rd2;\n\tadd.rn.f32 \t%r2, %r1, %r1;\n",
        "\tselp.b32 \t%r1, 1, 0, %p1;\n}\n.func g()\n{\n\tadd.rn.f32 \t%r2, %r1, %r1;\n"));

TEST_P(OtherText, StaysAsItIs) {
  const std::string text = in_function(GetParam());
  EXPECT_EQ(with_constants_selected_as_floats(text), text);
}

}  // namespace
}  // namespace heddle::finalizer::ptx
