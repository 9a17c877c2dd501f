// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <string>

#include <hsa/hsa_brig_types.h>

namespace heddle::finalizer {

/// What lowering has to know of the machine that SPMD IR is made for: how its memory is laid out and
/// addressed. All else a target decides when it replaces the `hsail.*` calls (lower/target_operations.h).
struct TargetTraits {
  static constexpr size_t segments = HSA_BRIG_SEGMENT_ARG + 1;

  std::string triple;       ///< LLVM's name of the machine
  std::string data_layout;  ///< in LLVM's notation; the one that the code generator of the triple expects
  /// The LLVM address space of pointers to each segment, by hsa_brig_segment_t. Flat addresses are pointers
  /// of address space 0, to which those of all other segments can be cast.
  std::array<unsigned, segments> address_spaces = {};
  /// Bytes to which the memory at offset 0 of the group segment of a work-group, and of the private segment
  /// of a work-item, is aligned, at least: what HSAIL promises of an offset holds for the memory up to this.
  uint32_t group_alignment = 16;
  uint32_t private_alignment = 16;
  /// Whether memory instructions take any address. Otherwise accesses of which nothing better is known test
  /// their address, and go byte by byte if they must (PRM 6.3: without an alignment modifier, any will do).
  bool unaligned_access = false;
  /// Bytes of the largest private, spill or arg variable, and of all of them in one function, that may be
  /// variables of the LLVM function: registers if LLVM finds enough, and otherwise the stack of the thread or
  /// fiber that runs the work-item. What is beyond lies in the private segment.
  uint64_t largest_stack_variable = 1024;
  uint64_t stack_for_variables = 8192;

  unsigned address_space(unsigned segment) const {
    assert(segment < segments && "user-defined segments have no address space");
    return address_spaces[segment];
  }
  /// What is known of the memory of a segment address that is a multiple of any alignment.
  uint32_t base_alignment(unsigned segment) const {
    constexpr uint32_t largest = 256;  // that HSAIL can say (PRM 4.23.6)
    switch (segment) {
      case HSA_BRIG_SEGMENT_GROUP:
        return group_alignment;
      case HSA_BRIG_SEGMENT_PRIVATE:
      case HSA_BRIG_SEGMENT_SPILL:
      case HSA_BRIG_SEGMENT_ARG:
        return private_alignment;
      default:
        return largest;
    }
  }
};

}  // namespace heddle::finalizer
