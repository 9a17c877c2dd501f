// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A measure for operations that have to be quick on any machine.
#pragma once

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace heddle::runtime::test {

/// Returns the time that this machine takes to start a process that does nothing and to see it end. This is
/// the best of several attempts, because other programs may use the machine.
inline std::chrono::nanoseconds process_start() {
  using Clock = std::chrono::steady_clock;
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    char program[] = "true";
    char* arguments[] = {program, nullptr};
    char* environment[] = {nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawnp(&child, program, nullptr, nullptr, arguments, environment) != 0 ||
        waitpid(child, &status, 0) != child)
      throw std::runtime_error("no process can be started");
    best = std::min(best, std::chrono::nanoseconds(Clock::now() - start));
  }
  return best;
}

}  // namespace heddle::runtime::test
