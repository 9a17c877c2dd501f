// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/utf8.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

uint32_t code_of(std::string_view text, size_t size) {
  uint32_t code = 0;
  EXPECT_EQ(utf8_character_size(text, code), size) << text;
  return code;
}

TEST(Utf8, CharactersOfEachSize) {
  EXPECT_EQ(code_of("a", 1), 'a');
  EXPECT_EQ(code_of(std::string_view("\0", 1), 1), 0u);
  EXPECT_EQ(code_of("\xc2\x80", 2), 0x80u);
  EXPECT_EQ(code_of("\xe2\x82\xac and more", 3), 0x20acu);
  EXPECT_EQ(code_of("\xf4\x8f\xbf\xbf", 4), 0x10ffffu);
}

TEST(Utf8, WhatIsNone) {
  for (const char* text :
       {"\x80", "\xbf", "\xff", "\xfe", "\xc3", "\xc3z", "\xe2\x82", "\xf0\x9f\x98", "\xe2\x28\xa1"})
    code_of(text, 0);
  for (const char* too_long : {"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x88\x80\x80\x80"})
    code_of(too_long, 0);
  for (const char* surrogate : {"\xed\xa0\x80", "\xed\xbf\xbf"}) code_of(surrogate, 0);
  code_of("\xf4\x90\x80\x80", 0);  // beyond U+10FFFF
}

TEST(Utf8, EachWrongByteIsReplaced) {
  EXPECT_EQ(valid_utf8(""), "");
  EXPECT_EQ(valid_utf8("r\xc3\xa9sum\xc3\xa9"), "r\xc3\xa9sum\xc3\xa9");
  EXPECT_EQ(valid_utf8("\xff\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(valid_utf8("a\xed\xa0\x80z"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
}

}  // namespace
}  // namespace heddle
