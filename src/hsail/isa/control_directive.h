// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "hsail/isa/types.h"

/// Control directives (PRM 13.5) as data, generated from isa/directives.isa. Thread safe; results are static.
namespace heddle::isa {

/// What holds for a kernel if a directive occurs more than once: in the kernel, in functions that it reaches,
/// and in the arguments of the finalization.
enum class DirectiveMerge : uint8_t {
  unite,    // the union of all masks
  agree,    // all occurrences must have the same operands
  limit,    // as agree, but the finalization may ask for a smaller limit
  callers,  // an occurrence in a function must be repeated in each kernel that reaches the function, or in
            // the arguments of the finalization
};

/// The operands of a control directive, which all have the same type and limits.
struct ControlDirective {
  Type type = 0;                // of each operand
  uint8_t operands = 0;         // their number: 0, 1 or 3
  bool takes_wavesize = false;  // WAVESIZE may stand for a number
  bool power_of_two = false;    // each operand must be a power of two
  uint64_t least = 0;
  uint64_t most = 0;
  DirectiveMerge merge = DirectiveMerge::agree;

  /// Reports whether an operand may have this value.
  constexpr bool takes(uint64_t value) const {
    return value >= least && value <= most && (!power_of_two || (value & (value - 1)) == 0);
  }
};

/// Returns the description of `control`, an hsa_brig_control_directive_t, or null if there is no such
/// directive.
const ControlDirective* control_directive(unsigned control);

}  // namespace heddle::isa
