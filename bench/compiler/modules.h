// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of any size for measurements of the compiler, each of which is large in one way.
#pragma once

#include <span>
#include <string>

namespace bench {

struct Shape {
  const char* name;
  const char* what;  ///< for people
  /// Returns LLVM IR with about this number of instructions.
  std::string (*make)(size_t instructions);
};

/// All shapes, in the order of the reports.
std::span<const Shape> shapes();

}  // namespace bench
