// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <string>

#include <hsa/hsa_brig_types.h>

namespace heddle::finalizer {

/// What lowering has to know of the machine that SPMD IR is made for: how its memory is laid out and
/// addressed. All else a target decides when it replaces the `hsail.*` calls (lower/calls.h).
struct TargetTraits {
  static constexpr size_t segments = HSA_BRIG_SEGMENT_ARG + 1;

  std::string triple;       ///< LLVM's name of the machine
  std::string data_layout;  ///< in LLVM's notation; the one that the code generator of the triple expects
  /// The LLVM address space of pointers to each segment, by hsa_brig_segment_t. Flat addresses are pointers
  /// of address space 0, to which those of all other segments can be cast.
  std::array<unsigned, segments> address_spaces = {};

  unsigned address_space(unsigned segment) const {
    assert(segment < segments && "user-defined segments have no address space");
    return address_spaces[segment];
  }
};

}  // namespace heddle::finalizer
