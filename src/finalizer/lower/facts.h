// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HSAIL promises about single instructions, as metadata of the SPMD IR. Passes that do not know the
// metadata may drop it.
#pragma once

#include <array>
#include <map>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_types.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Marks a branch, load, call or communication with its width modifier (PRM 2.12): how many consecutive
/// work-items take the same branch or get the same value. The metadata is `!hsail.width !{i32 n}`, where n is
/// a hsa_brig_width_t. HSA_BRIG_WIDTH_NONE and HSA_BRIG_WIDTH_1 promise nothing and add no metadata.
void set_width(llvm::Instruction& instruction, unsigned width);

/// Returns the width that an instruction is marked with, or HSA_BRIG_WIDTH_1 if it is not marked.
hsa_brig_width_t width_of(const llvm::Instruction& instruction);

/// Collects which accesses to memory do not overlap: those in different segments (PRM 2.8), except flat
/// accesses, and those of different equivalence classes (PRM 6.1.4). This becomes `!alias.scope` and
/// `!noalias` metadata, with one domain for the segments and one for the classes.
class AliasFacts {
 public:
  /// Records an access. `segment` is HSA_BRIG_SEGMENT_FLAT if nothing is known of it; class 0 is general
  /// memory.
  void note(llvm::Instruction& access, unsigned segment, unsigned equivalence_class);
  /// Writes the metadata of all accesses. To be called after the last note(), because each access lists all
  /// scopes that it does not overlap with. The instructions must still exist.
  void attach(llvm::LLVMContext& context) const;

 private:
  /// Segments whose memory does not overlap. Spill and arg variables lie in the memory of the private segment
  /// and count as private.
  enum Memory : uint8_t {
    global,
    group,
    private_memory,
    readonly,
    kernarg,
    memory_count,
    any = memory_count
  };
  struct Access {
    llvm::Instruction* instruction;
    Memory memory;
    uint8_t equivalence_class;
  };
  static Memory memory_of(unsigned segment);

  std::vector<Access> accesses_;
};

}  // namespace heddle::finalizer
