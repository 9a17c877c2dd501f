// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program to its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::compiler {

/// What a program left.
struct Finished {
  enum class End { exited, killed, unknown };
  /// `unknown` if somebody else took the child's exit code: the process ignores SIGCHLD, or another thread
  /// waits for all children.
  End end = End::unknown;
  int code = 0;  ///< the exit code, or the number of the signal
  std::string output, errors;
};

/// Why there is nothing that a program left.
struct NotRun {
  std::string message;
  bool not_executable = false;  ///< the file is no program; otherwise, a resource ran out
};

/// Runs the program `words[0]`, a path, with the words as its arguments, `input` as its standard input, the
/// environment and working folder of this process, no other open files, and no shell. May be called from
/// several threads at once. The failure says that the program could not be started, or that memory for its
/// output ran out.
Result<Finished, NotRun> run_process(const std::vector<std::string>& words, std::string_view input);

}  // namespace heddle::compiler
