// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people are told of how a kernel was compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finalizer/spmd/widen.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer::x86 {

struct KernelReport {
  unsigned lanes = 1;       ///< work-items that execute together
  unsigned most_lanes = 1;  ///< the same in the body with the longest waves
  /// The bodies of waves (WaveBodies); a function is null if there is no such body.
  spmd::WideFunction row, wide_row, partial_row, general;
  spmd::WaveShape wide_wave;     ///< of `wide_row`
  std::string_view observed_by;  ///< how the kernel can tell the length of its waves; empty if it cannot
  std::optional<link::Reference> lockstep;  ///< the pragma by which it asks for lock-step, if there is one
  std::string refusal;                      ///< why the kernel could not become one of waves; empty if it did
  /// Which bodies other than the general one could not be made, and why.
  struct Missing {
    std::string body, reason;
  };
  std::vector<Missing> missing;
};

/// Reports a kernel that could not become one of waves, as an error if its waves have to have their length,
/// and otherwise as a warning. Mistakes of the vectoriser, which its verifiers have found, are warnings, too.
/// If `verbose`, also says how the kernel was compiled, which bodies it lacks, and what costs much in the
/// best of them, with the reasons.
void report(const KernelReport& kernel, const std::string& name, const Location& where, bool verbose,
            Diagnostics& diagnostics);

}  // namespace heddle::finalizer::x86
