// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace heddle::compiler {
namespace {

Finished shell(const std::string& script, std::string_view input = {}) {
  auto finished = run_process({"/bin/sh", "-c", script}, input);
  EXPECT_TRUE(finished) << finished.error().message;
  return finished ? *finished : Finished{};
}

TEST(Process, PassesStreamsAndTellsTheExitCode) {
  const Finished finished = shell("cat; echo wrong >&2; exit 3", "input");
  EXPECT_EQ(finished.end, Finished::End::exited);
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(finished.output, "input");
  EXPECT_EQ(finished.errors, "wrong\n");
}

TEST(Process, WordsAreNoShellText) {
  const auto finished = run_process({"/bin/echo", "$HOME `ls` a  b", "'\"", ""}, {});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->output, "$HOME `ls` a  b '\" \n");
}

TEST(Process, LargeStreamsDoNotBlock) {
  const std::string input(4 << 20, 'x');
  const Finished finished =
      shell("head -c 100 >/dev/null; cat /dev/zero | head -c 3000000; head -c 200000 /dev/zero >&2", input);
  EXPECT_EQ(finished.output.size(), 3000000U);
  EXPECT_EQ(finished.errors.size(), 200000U);
  EXPECT_EQ(shell("exit 0", input).code, 0) << "a child that does not read its input is no SIGPIPE";
}

TEST(Process, Signals) {
  const Finished finished = shell("kill -9 $$");
  EXPECT_EQ(finished.end, Finished::End::killed);
  EXPECT_EQ(finished.code, SIGKILL);
}

TEST(Process, WhatDoesNotExist) {
  const auto finished = run_process({"/nonexistent/program"}, {});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "/nonexistent/program cannot be started: No such file or directory");
  EXPECT_TRUE(finished.error().not_executable);
}

TEST(Process, WhatIsNoProgram) {
  const auto folder = run_process({"/"}, {});
  ASSERT_FALSE(folder);
  EXPECT_TRUE(folder.error().not_executable) << folder.error().message;
  const auto too_long = run_process({"/bin/true", std::string(1 << 20, 'x')}, {});
  ASSERT_FALSE(too_long);
  EXPECT_FALSE(too_long.error().not_executable) << too_long.error().message;
}

TEST(Process, OpenFilesAndIgnoredSignalsStayHere) {
  const int file = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  const auto previous = std::signal(SIGUSR1, SIG_IGN);
  // The shell itself has the folder open while it lists it.
  EXPECT_EQ(shell("test -e /proc/self/fd/" + std::to_string(file) + " || echo closed").output, "closed\n");
  EXPECT_EQ(shell("kill -USR1 $$; echo ignored").end, Finished::End::killed);
  std::signal(SIGUSR1, previous);
  close(file);
}

TEST(Process, SomebodyElseTakesTheExitCode) {
  const auto previous = std::signal(SIGCHLD, SIG_IGN);
  const Finished finished = shell("echo out; exit 1");
  std::signal(SIGCHLD, previous);
  EXPECT_EQ(finished.end, Finished::End::unknown);
  EXPECT_EQ(finished.output, "out\n") << "the child has ended nevertheless";
}

TEST(Process, LeavesNoFilesOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  for (int i = 0; i < 5; ++i) shell("true");
  EXPECT_FALSE(run_process({"/nonexistent"}, "x"));
  EXPECT_EQ(open_files(), before);
}

TEST(Process, ThreadsDoNotMixTheirStreams) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      for (int k = 0; k < 5; ++k) {
        const std::string text = std::to_string(i * 100 + k);
        EXPECT_EQ(shell("cat; cat >&2; exit " + std::to_string(i), text).output, text);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::compiler
