// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <utility>

#include "codeobject/code_object.h"
#include "finalizer/llvm.h"

namespace heddle::finalizer::ptx {

/// The source lines at which work-items may trap. Code tells its agent a number, and the code object has the
/// line of each number (codeobject/ptx_kernel.h).
class Places {
 public:
  /// Returns the number of an instruction's line, from 1 on; 0 if its line is not known. The instruction must
  /// still be in the function that it was lowered in.
  uint32_t number_of(const llvm::Instruction& instruction);
  /// Returns the lines of all numbers so far.
  codeobject::LineTable table() const;

 private:
  std::map<std::pair<std::string, uint32_t>, uint32_t> numbers_;  ///< by file and line
};

}  // namespace heddle::finalizer::ptx
