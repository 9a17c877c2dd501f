// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Saturating conversions of numbers of floating point: the waves of functions against their work-items, with
// numbers at the limits of integers, and NaN.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "widen_fixture.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Conversion {
  unsigned from;  ///< bits of the number: 32 or 64
  unsigned to;    ///< bits of the integer
  bool is_signed;
};

std::string name_of(const ::testing::TestParamInfo<Conversion>& info) {
  return fmt::format("f{}to{}{}", info.param.from, info.param.is_signed ? "s" : "u", info.param.to);
}

/// Returns the bits of numbers next to the limits of all integers, as elements of a constant.
std::string edges(unsigned width) {
  std::string list;
  const auto add = [&](double number, int64_t steps) {
    const uint64_t bits =
        width == 32 ? std::bit_cast<uint32_t>(static_cast<float>(number)) : std::bit_cast<uint64_t>(number);
    list += fmt::format("{}i{} {}", list.empty() ? "" : ", ", width, static_cast<int64_t>(bits) + steps);
  };
  for (const unsigned exponent : {0, 7, 8, 15, 16, 31, 32, 63, 64})
    for (const double sign : {1.0, -1.0})
      for (const int steps : {-1, 0, 1}) add(std::ldexp(sign, static_cast<int>(exponent)), steps);
  for (const double number :
       {0.0, -0.0, 0.5, -0.5, 1e-310, 1e30, -1e30, double{NAN}, -double{INFINITY}, double{INFINITY}})
    add(number, 0);
  return list;  // 64 numbers
}

class WidenConversion : public WidenFixture, public ::testing::WithParamInterface<Conversion> {
 protected:
  std::string body() const {
    const Conversion& c = GetParam();
    return fmt::format(R"(
    %index = and i32 %a, 63
    %edge = extractelement <64 x i{0}> <{1}>, i32 %index
    %any = {2} i64 %x to i{0}
    %choice = icmp ult i32 %b, -1073741824
    %bits = select i1 %choice, i{0} %edge, i{0} %any
    %number = bitcast i{0} %bits to {3}
    %integer = call i{4} @llvm.fpto{5}i.sat.i{4}.f{0}({3} %number)
    store i{4} %integer, ptr %dst, align 1
    )",
                       c.from, edges(c.from), c.from == 64 ? "bitcast" : "trunc", number(), c.to, sign());
  }
  std::string declaration() const {
    return fmt::format("declare i{1} @llvm.fpto{2}i.sat.i{1}.f{0}({3})\n", GetParam().from, GetParam().to,
                       sign(), number());
  }
  const char* number() const { return GetParam().from == 32 ? "float" : "double"; }
  char sign() const { return GetParam().is_signed ? 's' : 'u'; }
};

constexpr Conversion conversions[] = {{32, 8, true},  {32, 8, false},  {32, 16, true}, {32, 16, false},
                                      {32, 32, true}, {32, 32, false}, {32, 64, true}, {32, 64, false},
                                      {64, 8, true},  {64, 8, false},  {64, 16, true}, {64, 16, false},
                                      {64, 32, true}, {64, 32, false}, {64, 64, true}, {64, 64, false}};
INSTANTIATE_TEST_SUITE_P(Types, WidenConversion, ::testing::ValuesIn(conversions), name_of);

TEST_P(WidenConversion, HasTheResultsOfTheWorkItems) {
  sparse_ = 4;
  check(body(), GetParam().to / 8, declaration());
}

/// LLVM converts element by element where conversions saturate.
TEST_P(WidenConversion, ConvertsVectors) {
  if (GetParam().to > 32) GTEST_SKIP() << "AVX2 has no conversion to integers of 64 bits";
  parse(fmt::format("    %number = load {0}, ptr %src\n"
                    "    %integer = call i{1} @llvm.fpto{2}i.sat.i{1}.f{3}({0} %number)\n"
                    "    store i{1} %integer, ptr %dst, align 1\n",
                    number(), GetParam().to, sign(), GetParam().from),
        GetParam().from / 8, declaration());
  for (const bool has_avx512 : {false, true}) {
    const unsigned lanes = has_avx512 ? 16 : 8;
    Widened widened(*module_, {{lanes, lanes}, has_avx512});
    ASSERT_EQ(widened.error(), "");
    auto wide = widened.take_module();
    wide->getFunction("f")->eraseFromParent();
    const std::string code = assembly(*wide, has_avx512 ? "x86-64-v4" : "x86-64-v3");
    EXPECT_THAT(code, HasSubstr("vcvtt"));
    EXPECT_THAT(code, Not(HasSubstr("comis")));
    EXPECT_THAT(code, Not(HasSubstr("2si\t")));
  }
}

}  // namespace
}  // namespace heddle::testing
