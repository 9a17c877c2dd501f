// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says in debug information for which lanes instructions access memory. It is the discriminator of the
// instruction's place in the source, which LLVM keeps as long as it keeps the place: where it merges
// instructions with different discriminators, it drops them.
#pragma once

#include "codeobject/accessed_lanes.h"
#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Returns the place of code for these lanes. A place without a line, and none, stay as they are.
llvm::DebugLoc place_with_lanes(const llvm::DebugLoc& place, const codeobject::AccessedLanes& lanes);

/// Notes that the elements of an instruction's mask are those of `count` lanes from `first` on.
void note_elements(llvm::Instruction& instruction, unsigned first, unsigned count);

/// Gives instructions the lanes of a load that only they use, because the code generator may make one
/// instruction of the two, with the place of the user.
void share_lanes_with_users(llvm::Function& function);

}  // namespace heddle::finalizer::spmd
