// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of compute units, and the environment variable HSA_CU_MASK, which restricts the queues of kernel
// agents to some of their units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::driver {

/// A set of numbers, of compute units for instance: bit i % 32 of word i / 32 stands for i.
using UnitMask = std::vector<uint32_t>;

/// The mask of all units of an agent that has this many, with as many words as that takes.
UnitMask all_units(uint32_t units);
/// Gives the mask as many words as all_units(units) has, without the bits of units that the agent lacks.
void keep_units(UnitMask& mask, uint32_t units);
/// Removes the units that are not in `usable`, which has as many words. Returns whether there were any.
bool restrict_units(UnitMask& mask, const UnitMask& usable);
bool is_empty(const UnitMask& mask);

/// Why a value of HSA_CU_MASK is refused.
struct UnitLimitsError {
  size_t position;  ///< of the first character that does not fit, counted from 0; at most the text's length
  std::string message;
};

/// What a value of HSA_CU_MASK says. The syntax is that of ROCm, in which spaces may surround all tokens:
///   value    = set {";" set}              a kernel agent has at most one set
///   set      = numbers ":" units          these kernel agents have these units
///   numbers  = range {"," range}          no number occurs twice
///   range    = decimal ["-" decimal]      both ends belong to it
///   units    = numbers | "0x" hex digits  the lowest bit stands for unit 0; at least one is set
/// Numbers of kernel agents are at most 1023 and those of units at most 65535.
class UnitLimits {
 public:
  static Result<UnitLimits, UnitLimitsError> parse(std::string_view text);

  /// The units of the kernel agent with this number, in the order of Client::agents() and counted from 0;
  /// null if no set contains it.
  const UnitMask* find(uint32_t kernel_agent) const;

 private:
  friend class UnitLimitsParser;
  struct Set {
    UnitMask agents;
    UnitMask units;
  };
  std::vector<Set> sets_;
};

/// The value of HSA_CU_MASK now. Without one, and with one that is refused, which is a warning in the log, no
/// agent has limits.
UnitLimits unit_limits_of_environment();

}  // namespace heddle::driver
