// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The default floating-point rounding mode of programs and executables, and the setting that overrides it.
#pragma once

#include <hsa/hsa.h>

namespace heddle::runtime {

/// Returns the mode that HEDDLE_FLOAT_ROUNDING names (docs/environment.md), or else the one that the client
/// gave. The setting is meant for clients that pass a mode they do not mean. An unknown value is reported in
/// the log and ignored. Programs and executables must both use this function, since an executable only takes
/// code of its own mode (Runtime 2.8.1.24).
hsa_default_float_rounding_mode_t effective_rounding(hsa_default_float_rounding_mode_t given);

}  // namespace heddle::runtime
