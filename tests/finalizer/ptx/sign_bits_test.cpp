// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signs of numbers whose bits are seen.
#include "finalizer/ptx/sign_bits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the instructions of a function behind the pass.
std::string behind_pass(const std::string& type, const std::string& body) {
  const std::string text = fmt::format(R"(
    declare float @llvm.fabs.f32(float)
    declare double @llvm.fabs.f64(double)
    declare half @llvm.fabs.f16(half)
    declare <2 x half> @llvm.fabs.v2f16(<2 x half>)
    declare <4 x float> @llvm.fabs.v4f32(<4 x float>)
    declare <2 x double> @llvm.fabs.v2f64(<2 x double>)
    declare float @llvm.sqrt.f32(float)
    define {0} @f({0} %x, ptr %p, i1 %c) {{
    {1}
    }})",
                                       type, body);
  return text_behind(text, keep_bits_of_signs);
}

TEST(SignBits, AreComputedOnBitsWhereTheseAreSeen) {
  for (const auto& [type, name, code] :
       {std::tuple{"float", "f32", "and.b32 $0, $1, 0x7fffffff;\", \"=r,r\""},
        std::tuple{"double", "f64", "and.b64 $0, $1, 0x7fffffffffffffff;\", \"=l,l\""},
        std::tuple{"half", "f16", "and.b16 $0, $1, 0x7fff;\", \"=h,h\""},
        std::tuple{"<2 x half>", "v2f16", "and.b32 $0, $1, 0x7fff7fff;\", \"=r,r\""},
        std::tuple{"<4 x float>", "v4f32", "and.b32 $0, $1, 0x7fffffff;\", \"=r,r\""},
        std::tuple{"<2 x double>", "v2f64", "and.b64 $0, $1, 0x7fffffffffffffff;\", \"=l,l\""}}) {
    const std::string text =
        behind_pass(type, fmt::format("%r = call {0} @llvm.fabs.{1}({0} %x)\nret {0} %r", type, name));
    EXPECT_THAT(text, HasSubstr(code));
    EXPECT_THAT(text, Not(HasSubstr("fabs")));
  }
  EXPECT_THAT(behind_pass("float", "%r = fneg float %x\nret float %r"),
              HasSubstr("xor.b32 $0, $1, 0x80000000;"));
  EXPECT_THAT(behind_pass("double", "%r = fneg double %x\nstore double %r, ptr %p\nret double %x"),
              HasSubstr("xor.b64 $0, $1, 0x8000000000000000;"));
}

TEST(SignBits, CostNothingWhereOnlyNumbersAreUsed) {
  for (const char* use : {"%r = fadd float %s, %x", "%r = call float @llvm.sqrt.f32(float %s)",
                          "%d = fptosi float %s to i32\n%r = sitofp i32 %d to float",
                          "%q = fcmp olt float %s, %x\n%r = select i1 %q, float %x, float 1.0"}) {
    const std::string text = behind_pass("float", fmt::format("%s = fneg float %x\n{}\nret float %r", use));
    EXPECT_THAT(text, HasSubstr("fneg")) << use;
    EXPECT_THAT(text, Not(HasSubstr("asm"))) << use;
  }
}

TEST(SignBits, MayBeUsedInBothWays) {
  const std::string text = behind_pass(
      "float", "%s = fneg float %x\nstore float %s, ptr %p\n%r = fmul float %s, %x\nret float %r");
  EXPECT_THAT(text, HasSubstr("fmul float %s, %x"));
  EXPECT_THAT(text, HasSubstr("asm"));
}

TEST(SignBits, AreSeenThroughOtherOperationsOnSigns) {
  const std::string text = behind_pass(
      "float",
      "%a = call float @llvm.fabs.f32(float %x)\n%r = fneg float %a\n%s = select i1 %c, float %r, float %x\n"
      "ret float %s");
  EXPECT_THAT(text, HasSubstr("and.b32"));
  EXPECT_THAT(text, HasSubstr("xor.b32"));
  EXPECT_THAT(text, Not(HasSubstr("fneg")));
  EXPECT_THAT(text, Not(HasSubstr("fabs")));
}

}  // namespace
}  // namespace heddle::finalizer::ptx
