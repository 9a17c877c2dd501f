// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/element.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle::tools {
namespace {

TEST(Element, HalfConversionsAgreeOnAllValues) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    float value = half_to_float(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE((half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0) << half;
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << half;
    } else {
      EXPECT_EQ(float_to_half(value), half);
    }
  }
}

TEST(Element, HalfRoundsToNearestEven) {
  EXPECT_EQ(float_to_half(1.0f + 0x1p-11f), 0x3c00);             // a tie goes to the even neighbour
  EXPECT_EQ(float_to_half(1.0f + 0x1p-10f + 0x1p-11f), 0x3c02);  // a tie that goes up to the even neighbour
  EXPECT_EQ(float_to_half(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
  EXPECT_EQ(float_to_half(65519.99f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0);
  EXPECT_EQ(float_to_half(0x1.8p-25f), 1);
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

TEST(Element, TextComesBack) {
  for (const ElementType& type : element_types()) {
    for (const char* text : {"0", "1", "100"}) {
      auto value = parse_element(type, text);
      ASSERT_TRUE(value.ok()) << type.name;
      EXPECT_EQ(format_element(type, value->bytes), text);
    }
    ElementBytes minus_one = element_from_double(type, -1);
    double back = element_to_double(type, minus_one.bytes);
    if (type.kind == ElementKind::unsigned_integer) {
      EXPECT_EQ(back, std::ldexp(1.0, 8 * type.size) - (type.size < 8 ? 1 : 0)) << type.name;  // wraps around
    } else {
      EXPECT_EQ(back, -1) << type.name;
    }
  }
}

TEST(Element, NpyNames) {
  EXPECT_EQ(find_npy_type("<f4")->name, "f32");
  EXPECT_EQ(find_npy_type("|u1")->name, "u8");
  EXPECT_EQ(find_npy_type("<i1")->name, "s8");
  EXPECT_EQ(find_npy_type(">f4"), nullptr);
  EXPECT_EQ(find_npy_type("<c8"), nullptr);
  EXPECT_EQ(find_npy_type(""), nullptr);
}

}  // namespace
}  // namespace heddle::tools
