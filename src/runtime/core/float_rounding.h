// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The default floating-point rounding mode of programs and executables, and who has the last word on it.
#pragma once

#include <hsa/hsa.h>

namespace heddle::runtime {

/// The mode that HEDDLE_FLOAT_ROUNDING names (docs/environment.md), or else the one that the client gave. For
/// clients that pass a mode they do not mean. A value that names none is reported in the log and ignored.
/// Both programs and executables ask here: an executable only takes code of its own mode (Runtime 2.8.1.24).
hsa_default_float_rounding_mode_t effective_rounding(hsa_default_float_rounding_mode_t given);

}  // namespace heddle::runtime
