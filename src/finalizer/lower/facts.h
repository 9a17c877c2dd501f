// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HSAIL says about single instructions beyond what they do, as metadata of the SPMD IR. Passes that do
// not know it may drop it.
#pragma once

#include <array>
#include <map>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_types.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// Marks a branch, load, call or communication with its width modifier (PRM 2.12): how many consecutive
/// work-items take the same way or get the same value. `!hsail.width !{i32 n}`, where n is a
/// hsa_brig_width_t; nothing is written for HSA_BRIG_WIDTH_NONE and HSA_BRIG_WIDTH_1, which promise nothing.
void set_width(llvm::Instruction& instruction, unsigned width);

/// The width that an instruction is marked with; HSA_BRIG_WIDTH_1 if with none.
hsa_brig_width_t width_of(const llvm::Instruction& instruction);

/// Which accesses to memory do not overlap: those in different segments (PRM 2.8), flat ones apart, and those
/// of different equivalence classes (PRM 6.1.4). Becomes `!alias.scope` and `!noalias` with one domain for
/// the segments and one for the classes.
class AliasFacts {
 public:
  /// Remembers an access. `segment` is HSA_BRIG_SEGMENT_FLAT if nothing is known; class 0 is general memory.
  void note(llvm::Instruction& access, unsigned segment, unsigned equivalence_class);
  /// Writes the metadata of all accesses: what an access does not overlap with is known after the last one.
  /// The instructions must still be there.
  void attach(llvm::LLVMContext& context) const;

 private:
  /// Segments whose memory is apart: private, spill and arg variables lie in one frame.
  enum Memory : uint8_t { global, group, own, readonly, kernarg, memory_count, any = memory_count };
  struct Access {
    llvm::Instruction* instruction;
    Memory memory;
    uint8_t equivalence_class;
  };
  static Memory memory_of(unsigned segment);

  std::vector<Access> accesses_;
};

}  // namespace heddle::finalizer
