// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choices among constants in PTX that are taken for numbers.
#include "finalizer/ptx/selected_constants.h"

#include <gtest/gtest.h>

namespace heddle::finalizer::ptx {
namespace {

std::string in_function(const std::string& body) { return ".func f()\n{\n\t.reg .b32 \t%r<9>;\n" + body + "}\n"; }

TEST(SelectedConstants, AreNumbersForInstructionsOfNumbers) {
  EXPECT_EQ(with_constants_selected_as_floats(in_function("\tselp.b32 \t%r1, 1, 0, %p14;\n"
                                                          "\tcvt.rmi.f32.f32 \t%r2, %r1;\n"
                                                          "\tadd.s32 \t%r3, %r1, %r11;\n"
                                                          "\t@%p1 fma.rn.f32 \t%r4, %r1, %r11, %r1;\n")),
            ".func f()\n{\n\t.reg .b32 \t%hsail_number_r1;\n\t.reg .b32 \t%r<9>;\n"
            "\tselp.b32 \t%r1, 1, 0, %p14;\n"
            "\tselp.f32 \t%hsail_number_r1, 0f00000001, 0f00000000, %p14;\n"
            "\tcvt.rmi.f32.f32 \t%r2, %hsail_number_r1;\n"
            "\tadd.s32 \t%r3, %r1, %r11;\n"
            "\t@%p1 fma.rn.f32 \t%r4, %hsail_number_r1, %r11, %hsail_number_r1;\n}\n");
}

TEST(SelectedConstants, MayHave64Bits) {
  EXPECT_EQ(with_constants_selected_as_floats(in_function("\tselp.b64 \t%rd1, -1, 1, %p1;\n"
                                                          "\tsetp.gt.f64 \t%p2, %rd1, %rd2;\n")),
            ".func f()\n{\n\t.reg .b64 \t%hsail_number_rd1;\n\t.reg .b32 \t%r<9>;\n"
            "\tselp.b64 \t%rd1, -1, 1, %p1;\n"
            "\tselp.f64 \t%hsail_number_rd1, 0dFFFFFFFFFFFFFFFF, 0d0000000000000001, %p1;\n"
            "\tsetp.gt.f64 \t%p2, %hsail_number_rd1, %rd2;\n}\n");
}

class OtherText : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    All, OtherText,
    ::testing::Values("\tselp.b32 \t%r1, 1, 0, %p1;\n\tcvt.rn.f32.s32 \t%r2, %r1;\n",
                      "\tselp.b32 \t%r1, %r3, 0, %p1;\n\tadd.rn.f32 \t%r2, %r1, %r1;\n",
                      "\tselp.b32 \t%r1, 1, 0, %p1;\n\tadd.rn.f32 \t%r2, %r11, %r12;\n",
                      "\tselp.b32 \t%r1, 1, 0, %p1;\n\tmov.b32 \t%r1, %r2;\n\tadd.rn.f32 \t%r2, %r1, %r1;\n",
                      "\tselp.b32 \t%r1, 1, 0, %p1;\n}\n.func g()\n{\n\tadd.rn.f32 \t%r2, %r1, %r1;\n"));

TEST_P(OtherText, StaysAsItIs) {
  const std::string text = in_function(GetParam());
  EXPECT_EQ(with_constants_selected_as_floats(text), text);
}

}  // namespace
}  // namespace heddle::finalizer::ptx
