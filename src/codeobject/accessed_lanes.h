// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::codeobject {

/// For which lanes of a wave an instruction of the text accesses memory, so that the report of a fault can
/// name the work-item.
struct AccessedLanes {
  enum class Form : uint8_t {
    unknown,      ///< nothing is said: the instruction accesses no memory, or for lanes that differ
    consecutive,  ///< the lanes lie one behind the other in memory, `lane_bytes` for each
    elements,     ///< element i of the instruction's mask is that of lane `first` + i
  };
  Form form = Form::unknown;
  bool descending = false;  ///< of consecutive lanes: whether lane numbers fall while addresses rise
  uint8_t first = 0;        ///< the lane with the lowest address, or of element 0; at most 63
  uint8_t count = 1;        ///< the number of lanes, at most 64
  uint8_t lane_bytes = 0;   ///< of consecutive lanes; at most 255

  /// Packs the fields into a number that is 0 only if the form is unknown, and takes it apart. Any number is
  /// taken apart; one that was not packed gives an unknown form or lanes that do not exist.
  uint32_t word() const {
    return static_cast<uint32_t>(form) | uint32_t{descending} << 2 | uint32_t{first} << 3 |
           (count - 1u) << 9 | uint32_t{lane_bytes} << 15;
  }
  static AccessedLanes from_word(uint32_t word) {
    AccessedLanes lanes;
    if ((word & 3) == 0 || (word & 3) > static_cast<uint32_t>(Form::elements)) return lanes;
    lanes.form = static_cast<Form>(word & 3);
    lanes.descending = (word >> 2 & 1) != 0;
    lanes.first = static_cast<uint8_t>(word >> 3 & 63);
    lanes.count = static_cast<uint8_t>((word >> 9 & 63) + 1);
    lanes.lane_bytes = static_cast<uint8_t>(word >> 15 & 255);
    return lanes;
  }
};

}  // namespace heddle::codeobject
