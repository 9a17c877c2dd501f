// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "hsail/isa/types.h"

/// Control directives (PRM 13.5) as data, generated from isa/directives.isa. Thread safe; results are static.
namespace heddle::isa {

/// What holds for a kernel when a directive stands in several places: in the kernel, in functions that it
/// reaches, and in the arguments of the finalization.
enum class DirectiveMerge : uint8_t {
  unite,    // the masks of all places together
  agree,    // all places say the same
  limit,    // as agree, but the finalization may ask for a smaller limit
  callers,  // one in a function must be repeated in each kernel that reaches the function, or be given with
            // the finalization
};

/// What a control directive takes. All its operands are of one kind.
struct ControlDirective {
  Type type = 0;                // of each operand
  uint8_t operands = 0;         // their number: 0, 1 or 3
  bool takes_wavesize = false;  // WAVESIZE may stand for a number
  bool power_of_two = false;    // each operand is one
  uint64_t least = 0;
  uint64_t most = 0;
  DirectiveMerge merge = DirectiveMerge::agree;

  /// Whether an operand may have this value.
  constexpr bool takes(uint64_t value) const {
    return value >= least && value <= most && (!power_of_two || (value & (value - 1)) == 0);
  }
};

/// What hsa_brig_control_directive_t `control` takes; null if there is no such directive.
const ControlDirective* control_directive(unsigned control);

}  // namespace heddle::isa
