// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input of the debugger's commands when it is built without libedit: a plain prompt.
#include "agents/interpreter/command_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace heddle::interpreter_agent {
namespace {

using Lines = std::vector<std::string>;

/// Standard input comes from the test, and is restored afterwards.
class CommandInputTest : public testing::Test {
 protected:
  ~CommandInputTest() override {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
    if (master_ >= 0) close(master_);
    clearerr(stdin);
  }
  void use_as_stdin(int descriptor) {
    ASSERT_GE(descriptor, 0);
    ASSERT_EQ(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    close(descriptor);
    clearerr(stdin);
  }
  /// Makes standard input a terminal at which `text` was typed.
  void type(std::string_view text) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master_, 0);
    ASSERT_EQ(grantpt(master_) | unlockpt(master_), 0);
    use_as_stdin(open(ptsname(master_), O_RDWR | O_NOCTTY));
    ASSERT_EQ(write(master_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void pipe_in(std::string_view text) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    use_as_stdin(ends[0]);
  }
  static std::FILE* script(std::string_view text) {
    std::FILE* file = std::tmpfile();
    if (file == nullptr) return nullptr;
    std::fwrite(text.data(), 1, text.size(), file);
    std::rewind(file);
    return file;
  }
  /// Returns all lines until the input ends. `printed_` receives what was printed meanwhile.
  Lines lines_of(CommandInput& input) {
    testing::internal::CaptureStdout();
    Lines lines;
    while (auto line = input.next([](const std::string&) { return Lines{"completion"}; }))
      lines.push_back(*line);
    printed_ = testing::internal::GetCapturedStdout();
    return lines;
  }

  std::string printed_;

 private:
  const int saved_ = dup(STDIN_FILENO);
  int master_ = -1;
};

constexpr std::string_view end_of_input = "\x04";

TEST_F(CommandInputTest, PromptsForEachLineOnATerminal) {
  type(std::string("break 3\n\nstep\tx\n").append(end_of_input));
  CommandInput input(nullptr, false);
  EXPECT_FALSE(input.batch());
  EXPECT_EQ(lines_of(input), (Lines{"break 3", "", "step\tx"}));
  EXPECT_EQ(printed_, "(heddle) (heddle) (heddle) (heddle) ");
}

TEST_F(CommandInputTest, TakesALastLineThatDoesNotEnd) {
  pipe_in("print $s0\nquit");
  CommandInput input(nullptr, false);
  EXPECT_EQ(lines_of(input), (Lines{"print $s0", "quit"}));
  EXPECT_EQ(printed_, "") << "a prompt is for people";
}

TEST_F(CommandInputTest, HasNoPromptInABatch) {
  type(std::string("continue\n").append(end_of_input));
  CommandInput input(nullptr, true);
  EXPECT_TRUE(input.batch());
  EXPECT_EQ(lines_of(input), Lines{"continue"});
  EXPECT_EQ(printed_, "");
}

TEST_F(CommandInputTest, GoesOnWithTheTerminalBehindAScript) {
  type(std::string("typed\n").append(end_of_input));
  CommandInput input(script("first\nsecond"), false);
  EXPECT_EQ(lines_of(input), (Lines{"first", "second", "typed"}));
  EXPECT_EQ(printed_, "(heddle) (heddle) ");
}

TEST_F(CommandInputTest, EndsWithTheScriptElsewhere) {
  pipe_in("not read\n");
  CommandInput input(script("first\n"), false);
  EXPECT_EQ(lines_of(input), Lines{"first"});
  type("not read\n");
  CommandInput batch(script("first\n"), true);
  EXPECT_EQ(lines_of(batch), Lines{"first"});
}

}  // namespace
}  // namespace heddle::interpreter_agent
