// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/assemble/literal.h"

#include <gtest/gtest.h>

namespace heddle::assemble {
namespace {

TEST(IntegerLiteral, Bases) {
  EXPECT_EQ(integer_literal("0"), 0u);
  EXPECT_EQ(integer_literal("4294967296"), uint64_t{1} << 32);
  EXPECT_EQ(integer_literal("0x1F"), 31u);
  EXPECT_EQ(integer_literal("0Xff"), 255u);
  EXPECT_EQ(integer_literal("017"), 15u);
  EXPECT_EQ(integer_literal("18446744073709551615"), ~uint64_t{0});
}

TEST(IntegerLiteral, Refused) {
  EXPECT_FALSE(integer_literal("18446744073709551616"));
  EXPECT_FALSE(integer_literal("08"));
  EXPECT_FALSE(integer_literal("0x"));
}

struct FloatCase {
  const char* text;
  TokenKind kind;
  uint64_t bits;
};

class FloatLiteral : public testing::TestWithParam<FloatCase> {};

TEST_P(FloatLiteral, Bits) {
  EXPECT_EQ(float_literal(GetParam().text, GetParam().kind), GetParam().bits) << GetParam().text;
}

constexpr TokenKind h = TokenKind::half_float, f = TokenKind::single_float, d = TokenKind::double_float;
INSTANTIATE_TEST_SUITE_P(
    PRM_4_8_2, FloatLiteral,
    testing::Values(
        FloatCase{"1.0h", h, 0x3c00}, FloatCase{"0.0h", h, 0}, FloatCase{"65504.0h", h, 0x7bff},
        FloatCase{"65519.99h", h, 0x7bff}, FloatCase{"65520.0h", h, 0x7c00}, FloatCase{"1e300h", h, 0x7c00},
        FloatCase{"1e-300h", h, 0},
        // The value halfway between 1 and its successor rounds to even. The smallest digit beyond makes it
        // round up, also where a double in between would lose that digit (PRM: one rounding).
        FloatCase{"1.00048828125h", h, 0x3c00}, FloatCase{"1.00048828125000000000000000000001h", h, 0x3c01},
        FloatCase{"1.00146484375h", h, 0x3c02}, FloatCase{"1.00146484374999999999999999999999h", h, 0x3c01},
        // Subnormals: the smallest, half of it (a tie, rounded to 0), and a little more than half.
        FloatCase{"0x1p-24h", h, 1}, FloatCase{"0x1p-25h", h, 0}, FloatCase{"0x1.0000001p-25h", h, 1},
        FloatCase{"0x1.ff8p-15h", h, 0x03ff}, FloatCase{"0x1.ffep-15h", h, 0x0400},
        FloatCase{"0h7e01", h, 0x7e01}, FloatCase{"1.0f", f, 0x3f800000}, FloatCase{".5F", f, 0x3f000000},
        FloatCase{"5.f", f, 0x40a00000}, FloatCase{"0x1.8p+1f", f, 0x40400000},
        FloatCase{"1e10f", f, 0x501502f9}, FloatCase{"0f7fc00001", f, 0x7fc00001},
        FloatCase{"1.4e-45f", f, 1}, FloatCase{"3.5e38f", f, 0x7f800000}, FloatCase{"0.1f", f, 0x3dcccccd},
        FloatCase{"1.0", d, 0x3ff0000000000000}, FloatCase{"1.0d", d, 0x3ff0000000000000},
        FloatCase{"0x.8p0", d, 0x3fe0000000000000}, FloatCase{"0dfff0000000000000", d, 0xfff0000000000000},
        FloatCase{"4.9e-324", d, 1}, FloatCase{"0x1p-1074d", d, 1}));

TEST(StringLiteral, Escapes) {
  EXPECT_EQ(string_literal(R"("a\n\t\"\\\x41\101\0b")"), std::string("a\n\t\"\\AA\0b", 9));
  EXPECT_EQ(string_literal(R"("")"), "");
  EXPECT_EQ(string_literal("\"\\377\""), "\xff");
}

TEST(StringLiteral, Malformed) {
  EXPECT_FALSE(string_literal(R"("\q")"));
  EXPECT_FALSE(string_literal(R"("\x")"));
  EXPECT_FALSE(string_literal(R"("\777")"));
  EXPECT_FALSE(string_literal(R"("\x100")"));
}

}  // namespace
}  // namespace heddle::assemble
