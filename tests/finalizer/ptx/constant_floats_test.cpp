// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are chosen among constant patterns, which NVIDIA's assembler must see chosen as numbers.
#include "finalizer/ptx/constant_floats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

/// Returns the value that a function returns whose instructions are given, as text, behind the pass.
std::string returned(const std::string& type, const std::string& body) {
  const std::string function =
      fmt::format("define {} @f(i1 %p, i1 %q, i32 %x, i16 %h) {{\n{}\nret {} %r\n}}", type, body, type);
  std::string text = text_behind(function, choose_constants_as_floats);
  if (const size_t end = text.rfind("  ret "); end != std::string::npos) text.resize(end);
  return text;
}

std::string choice(const std::string& type, const std::string& one, const std::string& other) {
  return fmt::format("  %1 = select i1 %p, {} {}, {} {}\n", type, one, type, other);
}

TEST(ConstantFloats, AreChosenAsFloats) {
  EXPECT_EQ(returned("float", "%s = select i1 %p, i32 1, i32 0\n%r = bitcast i32 %s to float"),
            choice("float", "0x36A0000000000000", "0.000000e+00"))
      << "the least subnormal number";
  EXPECT_EQ(
      returned("double", "%s = select i1 %p, i64 1, i64 -4616189618054758400\n%r = bitcast i64 %s to double"),
      choice("double", "4.940660e-324", "-1.000000e+00"));
}

TEST(ConstantFloats, MayBeExtendedTruthValues) {
  EXPECT_EQ(returned("float", "%s = zext i1 %p to i32\n%r = bitcast i32 %s to float"),
            choice("float", "0x36A0000000000000", "0.000000e+00"));
  EXPECT_EQ(
      returned("float", "%s = sext i1 %p to i32\n%m = and i32 %s, 1065353216\n%r = bitcast i32 %m to float"),
      choice("float", "1.000000e+00", "0.000000e+00"));
}

TEST(ConstantFloats, FollowHalvesToWhatIsMadeOfThem) {
  EXPECT_EQ(
      returned("float", "%s = zext i1 %p to i16\n%b = bitcast i16 %s to half\n%r = fpext half %b to float"),
      choice("float", "0x3E70000000000000", "0.000000e+00"));
  EXPECT_EQ(returned("float",
                     "%s = select i1 %p, i32 15360, i32 48128\n%t = trunc i32 %s to i16\n"
                     "%b = bitcast i16 %t to half\n%r = fpext half %b to float"),
            choice("float", "1.000000e+00", "-1.000000e+00"));
}

TEST(ConstantFloats, OfHalvesThatAreNotNumbersAreWhatGpusMakeOfThese) {
  EXPECT_EQ(
      returned("float", "%s = sext i1 %p to i16\n%b = bitcast i16 %s to half\n%r = fpext half %b to float"),
      choice("float", "0x7FFFFFFFE0000000", "0.000000e+00"));
  EXPECT_EQ(returned("float", "%s = sext i1 %p to i32\n%r = bitcast i32 %s to float"),
            choice("float", "0xFFFFFFFFE0000000", "0.000000e+00"));
}

TEST(ConstantFloats, FollowChoicesOfChoices) {
  EXPECT_EQ(returned("float",
                     "%s = select i1 %p, i32 1, i32 2\n%t = select i1 %q, i32 %s, i32 0\n"
                     "%r = bitcast i32 %t to float"),
            "  %1 = select i1 %p, float 0x36A0000000000000, float 0x36B0000000000000\n"
            "  %2 = select i1 %q, float %1, float 0.000000e+00\n");
}

class OtherFloats : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    All, OtherFloats,
    ::testing::Values("%s = select i1 %p, i32 %x, i32 0\n%r = bitcast i32 %s to float",
                      "%s = zext i16 %h to i32\n%r = bitcast i32 %s to float",
                      "%s = add i32 %x, 1\n%r = bitcast i32 %s to float",
                      "%s = zext i1 %p to i32\n%t = add i32 %s, %x\n%r = bitcast i32 %t to float",
                      "%s = zext i1 %p to i32\n%r = uitofp i32 %s to float"));

TEST_P(OtherFloats, StayAsTheyAre) {
  const std::string after = returned("float", GetParam());
  const std::string_view before = GetParam();
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), std::count(before.begin(), before.end(), '\n') + 1);
  EXPECT_EQ(after.find("select i1 %p, float"), std::string::npos) << after;
}

}  // namespace
}  // namespace heddle::finalizer::ptx
