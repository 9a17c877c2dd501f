// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session.h"
#include "support/kernel_printf.h"
#include "support/result.h"

namespace heddle::tools {

/// The buffer of a program's printf (docs/device-libraries.md), which must not outlive the program.
class PrintfBuffer {
 public:
  /// Gives the program a buffer. Returns nullopt if its kernels do not call printf.
  static Result<std::optional<PrintfBuffer>> attach(const LoadedProgram& program, const KernelAgent& agent);

  /// Writes to standard output what kernels have printed since the last call, and warns of what was lost. No
  /// kernel of the program may be running.
  void print();

 private:
  PrintfBuffer(Memory memory, PrintfFormats formats);
  void clear();

  Memory memory_;
  PrintfFormats formats_;
};

}  // namespace heddle::tools
