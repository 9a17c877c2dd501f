// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which work-item of a wave caused a memory fault.
#pragma once

#include <optional>

#include "agents/cpu/faults.h"
#include "codeobject/accessed_lanes.h"

namespace heddle::cpu {

/// Lanes of a wave with consecutive numbers.
struct LaneRange {
  uint32_t first = 0;
  uint32_t count = 1;
};

/// Returns the lane whose access to memory faulted, or several of which it is one. `lanes` are those that the
/// instruction accesses memory for. Nothing if that is not known.
std::optional<LaneRange> faulting_lanes(const Fault& fault, const codeobject::AccessedLanes& lanes);

}  // namespace heddle::cpu
