// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/diagnostic.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Diagnostics, PrintsPositionIdAndCaret) {
  Diagnostics d("a.hsail", "first\n\tadd_q32 $s0;\n");
  d.error("HSAIL-5.2-type", Location::text(2, 6, 3), "no such type");
  EXPECT_EQ(d.print(), "a.hsail:2:6: error: no such type [HSAIL-5.2-type]\n  \tadd_q32 $s0;\n  \t    ^~~\n");
}

TEST(Diagnostics, PrintsBinaryPosition) {
  Diagnostics d("k.brig");
  d.error("BRIG-18.3-kind", Location::binary("hsa_code", 0x24), "unknown kind");
  EXPECT_EQ(d.print(), "k.brig:hsa_code+0x24: error: unknown kind [BRIG-18.3-kind]\n");
}

TEST(Diagnostics, TerminalsGetNoCommands) {
  Diagnostics d("a\x1b.hsail", "\tx\x1b[31m \xc3\xa9\xff\x07 \xc2\x9b bad\r\n");
  d.error("X", Location::text(1, 17, 3), "found \x1b[2J\x7f");
  EXPECT_EQ(d.print(),
            "a?.hsail:1:17: error: found ?[2J? [X]\n  \tx?[31m \xc3\xa9?? ? bad\n  \t             ^~~\n");
}

TEST(Diagnostics, CaretStaysInsideTheLine) {
  Diagnostics d("a", "ab");
  d.error("X", Location::text(1, 2, 40), "long");
  EXPECT_EQ(d.print(), "a:1:2: error: long [X]\n  ab\n   ^\n");
}

TEST(Diagnostics, CountsBeyondTheLimit) {
  Diagnostics d("a");
  d.set_error_limit(2);
  for (int i = 0; i < 5; ++i) d.error("X", {}, "again");
  EXPECT_EQ(d.all().size(), 2u);
  EXPECT_EQ(d.error_count(), 5u);
  EXPECT_TRUE(d.limit_reached());
  EXPECT_NE(d.print().find("\na: 3 further errors not shown"), std::string::npos);
  d.set_source({}, {});
  EXPECT_NE(d.print().find("\n3 further errors not shown"), std::string::npos);
}

TEST(Diagnostics, NotesBelongToTheLastFinding) {
  Diagnostics d("a");
  d.error("X", {}, "redefinition");
  d.note(Location::text(3, 1), "first defined here");
  ASSERT_EQ(d.all()[0].notes.size(), 1u);
  EXPECT_EQ(d.all()[0].notes[0].location.line, 3u);
}

}  // namespace
}  // namespace heddle
