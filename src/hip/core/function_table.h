// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about each function of the library, made from functions.txt.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::hip {

struct FunctionRow {
  const char* name;
  const char* symbol;      ///< the name that is exported
  const char* parameters;  ///< names, separated by ", "
  int32_t number;          ///< by which tools know the function (HIP_API_ID_*); -1 if they do not
  bool implemented;
};

/// Indexed by FunctionId.
extern const FunctionRow function_table[];
extern const size_t function_count;

}  // namespace heddle::hip
