// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <string>

#include <hsa/hsa_brig_types.h>

namespace heddle::finalizer {

/// What lowering has to know of the machine for which it makes SPMD IR: how memory is laid out and addressed.
/// All else is decided by the target when it replaces the `hsail.*` calls (lower/target_operations.h).
struct TargetTraits {
  static constexpr size_t segments = HSA_BRIG_SEGMENT_ARG + 1;

  std::string triple;       ///< LLVM's target triple
  std::string data_layout;  ///< in LLVM's notation, as the triple's code generator expects it
  /// The LLVM address space of pointers to each segment, by hsa_brig_segment_t. Flat addresses are pointers
  /// of address space 0, to which those of all other segments can be cast.
  std::array<unsigned, segments> address_spaces = {};
  /// The alignment in bytes, at least, of the memory at offset 0 of the group segment of a work-group and of
  /// the private segment of a work-item. Alignments of offsets carry over to the memory up to this.
  uint32_t group_alignment = 16;
  uint32_t private_alignment = 16;
  /// Whether memory instructions take any address. Otherwise an access whose address may be unaligned (PRM
  /// 6.3: as it may without an alignment modifier) tests the address, and goes byte by byte if it must.
  bool unaligned_access = false;
  /// The largest size in bytes of one private, spill or arg variable, and of all of them in a function, that
  /// may be variables of the LLVM function. LLVM puts these into registers or onto the stack of the thread or
  /// fiber that runs the work-item; all others are in the private segment.
  uint64_t largest_stack_variable = 1024;
  uint64_t stack_for_variables = 8192;

  unsigned address_space(unsigned segment) const {
    assert(segment < segments && "user-defined segments have no address space");
    return address_spaces[segment];
  }
  /// Returns the largest alignment that carries over from a segment address to the memory there.
  uint32_t base_alignment(unsigned segment) const {
    constexpr uint32_t largest = 256;  // the largest of HSAIL (PRM 4.23.6)
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
