// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of HSA_CU_MASK. Tests of the runtime look at their effects (runtime_compute_units_test).
#include "driver/compute_unit_mask.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle::driver::test {
namespace {

/// Returns the masks of kernel agents 0 to 1023 that have one; nothing if the text is refused.
std::map<uint32_t, UnitMask> limits(std::string_view text) {
  std::map<uint32_t, UnitMask> found;
  const auto parsed = UnitLimits::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
  if (!parsed.ok()) return found;
  for (uint32_t agent = 0; agent < 1024; ++agent)
    if (const UnitMask* mask = parsed->find(agent)) found[agent] = *mask;
  return found;
}

using Limits = std::map<uint32_t, UnitMask>;

TEST(UnitLimits, ListsOfAgentsAndUnits) {
  EXPECT_EQ(limits("0:0"), (Limits{{0, {1}}}));
  EXPECT_EQ(limits("0:0-3,8;1-2:0-7"), (Limits{{0, {0x10f}}, {1, {0xff}}, {2, {0xff}}}));
  EXPECT_EQ(limits("3,0:31-32"), (Limits{{0, {1u << 31, 1}}, {3, {1u << 31, 1}}}));
  EXPECT_EQ(limits("1:007"), (Limits{{1, {0x80}}}));
  EXPECT_EQ(limits("1:5-5"), (Limits{{1, {0x20}}}));
  EXPECT_EQ(limits("0:1;1:1;2:1").size(), 3u);
  EXPECT_EQ(limits("0-1023:65535").size(), 1024u);
  EXPECT_EQ(limits("0:65535").at(0).size(), 2048u);
}

TEST(UnitLimits, HexadecimalMasks) {
  EXPECT_EQ(limits("0:0x337F"), (Limits{{0, {0x337f}}}));
  EXPECT_EQ(limits("0:0X0000000000000000a"), (Limits{{0, {0xa}}}));
  EXPECT_EQ(limits("0:0xfEDCBA9876543210"), (Limits{{0, {0x76543210, 0xfedcba98}}}));
  EXPECT_EQ(limits("0:0x" + std::string(16384, '8')).at(0).size(), 2048u);
}

TEST(UnitLimits, SpacesAroundTokens) {
  EXPECT_EQ(limits(" 0 , 2 - 3 : 1 - 2 , 4 ; 1\t: 0x3 "),
            (Limits{{0, {0x16}}, {1, {3}}, {2, {0x16}}, {3, {0x16}}}));
}

struct Refused {
  std::string text;
  size_t position;
  const char* message;
};

TEST(UnitLimits, ErrorsHaveAPosition) {
  const Refused cases[] = {
      {"", 0, "a number is expected"},
      {"  ", 2, "a number is expected"},
      {"x", 0, "a number is expected"},
      {"0", 1, "':' and compute units are expected"},
      {"0 1:2", 2, "':' and compute units are expected"},
      {"0:", 2, "a number is expected"},
      {"0:1,", 4, "a number is expected"},
      {"0:1-", 4, "a number is expected"},
      {"0:-1", 2, "a number is expected"},
      {"0:1;", 4, "a number is expected"},
      {"0:1;;1:1", 4, "a number is expected"},
      {"0:1 2", 4, "';' or the end is expected"},
      {"0:1:2", 3, "';' or the end is expected"},
      {"0:1,0x2", 5, "';' or the end is expected"},
      {"0:0x", 4, "hexadecimal digits are expected"},
      {"0:0xg", 4, "hexadecimal digits are expected"},
      {"0:0x1,2", 5, "';' or the end is expected"},
      {"0:0x000", 2, "the mask has no compute units"},
      {"0:3-1", 2, "the range ends before its beginning"},
      {"0:1,0-2", 4, "1 is listed a second time"},
      {"0,1,0:1", 4, "0 is listed a second time"},
      {"0-2:1; 2:1", 7, "2 is listed a second time"},
      {"1024:1", 0, "the number is greater than 1023"},
      {"0:0-65536", 4, "the number is greater than 65535"},
      {"0:99999999999999999999", 2, "the number is greater than 65535"},
      {"0:0x1" + std::string(16384, '0'), 2, "a compute unit is greater than 65535"},
      {std::string("0:1\0", 4), 3, "';' or the end is expected"},
      {"0:\xff", 2, "a number is expected"},
  };
  for (const Refused& refused : cases) {
    const auto parsed = UnitLimits::parse(refused.text);
    ASSERT_FALSE(parsed.ok()) << refused.text;
    EXPECT_EQ(parsed.error().position, refused.position) << refused.text;
    EXPECT_EQ(parsed.error().message, refused.message) << refused.text;
  }
}

TEST(UnitMasks, Restriction) {
  EXPECT_EQ(all_units(0), UnitMask{});
  EXPECT_EQ(all_units(33), (UnitMask{UINT32_MAX, 1}));
  UnitMask mask{0xf0, 0xff, 0xff};
  keep_units(mask, 34);
  EXPECT_EQ(mask, (UnitMask{0xf0, 3}));
  EXPECT_FALSE(restrict_units(mask, {0xff, 3}));
  EXPECT_EQ(mask, (UnitMask{0xf0, 3}));
  EXPECT_TRUE(restrict_units(mask, {0xff, 2}));
  EXPECT_EQ(mask, (UnitMask{0xf0, 2}));
  EXPECT_FALSE(is_empty(mask));
  EXPECT_TRUE(restrict_units(mask, {0x0f, 1}));
  EXPECT_TRUE(is_empty(mask));
}

}  // namespace
}  // namespace heddle::driver::test
