// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of what two processes share: a test starts its own program again, for a test that is disabled
// otherwise.
#pragma once

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>

extern char** environ;

namespace heddle::hip_tests {

/// The bytes of a handle as digits, for the environment of the other process, and back.
template <typename Handle>
std::string text_of(const Handle& handle) {
  std::string text;
  for (const auto byte : handle.reserved) {
    const auto value = static_cast<unsigned char>(byte);
    text += {"0123456789abcdef"[value >> 4], "0123456789abcdef"[value & 15]};
  }
  return text;
}

template <typename Handle>
Handle handle_in(const std::string& text) {
  Handle handle{};
  for (size_t i = 0; i < sizeof handle && 2 * i + 1 < text.size(); ++i)
    reinterpret_cast<unsigned char&>(handle.reserved[i]) =
        static_cast<unsigned char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return handle;
}

/// Runs a disabled test in another process, which inherits the environment and the descriptors that are not
/// closed by exec, and returns its exit status; -1 if there is none.
inline int run_in_other_process(const std::string& test) {
  const std::string filter = "--gtest_filter=" + test;
  const char* const arguments[] = {program_invocation_name, "--gtest_also_run_disabled_tests", filter.c_str(),
                                   nullptr};
  pid_t process = 0;
  if (posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(arguments),
                  environ) != 0)
    return -1;
  int status = 0;
  if (waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace heddle::hip_tests
