// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/messages.h"

#include <gtest/gtest.h>

#include <fstream>

namespace heddle::compiler {
namespace {

/// The displays of all messages must be the output, whatever that is.
std::vector<Message> split(std::string_view output, bool failed = true) {
  auto messages = split_clang_output(output, failed);
  std::string together;
  for (const Message& message : messages) together += message.display;
  EXPECT_EQ(together, output);
  return messages;
}

TEST(ClangOutput, NothingIsNoMessage) { EXPECT_TRUE(split("").empty()); }

TEST(ClangOutput, ErrorWithCaret) {
  const auto messages =
      split("a.cl:3:14: error: no such thing\n    3 |  thing\n      |  ^\n1 error generated.\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].severity, Severity::error);
  EXPECT_EQ(messages[0].file, "a.cl");
  EXPECT_EQ(messages[0].line, 3U);
  EXPECT_EQ(messages[0].column, 14U);
  EXPECT_EQ(messages[0].text, "no such thing");
}

TEST(ClangOutput, SeveritiesInOrder) {
  const auto messages = split(
      "a.cl:1:2: warning: one [-Wone]\n  x\nb.cl:3:4: note: two\na.cl:5:6: fatal error: three\na.cl:7:8: "
      "remark: four\n");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(messages[0].severity, Severity::warning);
  EXPECT_EQ(messages[0].text, "one [-Wone]");
  EXPECT_EQ(messages[1].severity, Severity::note);
  EXPECT_EQ(messages[1].file, "b.cl");
  EXPECT_EQ(messages[2].severity, Severity::error);
  EXPECT_EQ(messages[2].text, "three");
  EXPECT_EQ(messages[3].severity, Severity::note);
}

TEST(ClangOutput, IncludesBelongToTheMessageAfter) {
  const auto messages = split(
      "a.cl:1:1: warning: one\nIn file included from a.cl:1:\nIn file included from b.h:2:\n./c.h:3:4: "
      "error: two\n");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].display, "a.cl:1:1: warning: one\n");
  EXPECT_EQ(messages[1].file, "./c.h");
}

TEST(ClangOutput, ColoursAreOnlyInTheDisplay) {
  const auto messages = split("\033[1ma.cl:1:2: \033[0m\033[0;1;31merror: \033[0m\033[1mred\033[0m\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].file, "a.cl");
  EXPECT_EQ(messages[0].column, 2U);
  EXPECT_EQ(messages[0].text, "red");
}

TEST(ClangOutput, ProgramWithoutPlace) {
  const auto messages = split("clang-22: error: no such file or directory: 'x: error: y.cl'\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].file, "");
  EXPECT_EQ(messages[0].line, 0U);
  EXPECT_EQ(messages[0].text, "no such file or directory: 'x: error: y.cl'");
}

TEST(ClangOutput, NamesWithColonsAndBlanks) {
  const auto messages = split("dir:x/my file.cl:10:20: error: text: error: more\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].file, "dir:x/my file.cl");
  EXPECT_EQ(messages[0].line, 10U);
  EXPECT_EQ(messages[0].text, "text: error: more");
}

TEST(ClangOutput, TextWithoutSeverity) {
  EXPECT_EQ(split("something odd\n", true).at(0).severity, Severity::error);
  EXPECT_EQ(split("something odd\n", false).at(0).severity, Severity::note);
  EXPECT_EQ(split("no newline at the end").at(0).text, "no newline at the end");
  EXPECT_EQ(split("In file included from a.cl:1:\n").size(), 1U);
  split("\n\n");
  split("\033[");
  split(": error: \n:: error: \n:1:1: error: x\n99999999999:1: error: y\n");
}

Message reported(const Place& place, bool colour = false) {
  Message seen;
  const Messages messages([&](const Message& message) { seen = message; }, colour);
  messages.error("it is wrong", place);
  return seen;
}

TEST(Messages, WithoutPlace) { EXPECT_EQ(reported({}).display, "error: it is wrong\n"); }

TEST(Messages, PlacesAsFarAsTheyAreKnown) {
  EXPECT_EQ(reported({"no such file"}).display, "no such file: error: it is wrong\n");
  EXPECT_EQ(reported({"no such file", 3}).display, "no such file:3: error: it is wrong\n");
  EXPECT_EQ(reported({"no such file", 3, 4}).display, "no such file:3:4: error: it is wrong\n");
}

TEST(Messages, SourceLineWithCaret) {
  const std::string path = testing::TempDir() + "messages_test.cl";
  std::ofstream(path) << "first\n\tsecond line\n";
  EXPECT_EQ(reported({path, 2, 9}).display,
            path + ":2:9: error: it is wrong\n    2 | \tsecond line\n      | \t       ^\n");
  EXPECT_EQ(reported({path, 2, 99}).display, path + ":2:99: error: it is wrong\n")
      << "beyond the end of the line";
  EXPECT_EQ(reported({path, 9, 1}).display, path + ":9:1: error: it is wrong\n")
      << "beyond the end of the file";
  EXPECT_EQ(reported({path, 0, 1}).display, path + ": error: it is wrong\n")
      << "instructions that clang adds";
  std::remove(path.c_str());
}

TEST(Messages, Colour) {
  const Message message = reported({"a.cl", 1}, true);
  EXPECT_NE(message.display.find("\033["), std::string::npos);
  EXPECT_EQ(message.text, "it is wrong");
  EXPECT_EQ(split_clang_output(message.display, true).at(0).file, "a.cl");
}

}  // namespace
}  // namespace heddle::compiler
