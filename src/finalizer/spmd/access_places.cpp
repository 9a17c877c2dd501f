// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/access_places.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

namespace heddle::finalizer::spmd {

llvm::DebugLoc place_with_lanes(const llvm::DebugLoc& place, const codeobject::AccessedLanes& lanes) {
  const llvm::DILocation* location = place.get();
  if (!location || location->getLine() == 0) return place;
  return location->cloneWithDiscriminator(lanes.word());
}

void note_elements(llvm::Instruction& instruction, unsigned first, unsigned count) {
  codeobject::AccessedLanes lanes;
  lanes.form = codeobject::AccessedLanes::Form::elements;
  lanes.first = static_cast<uint8_t>(first);
  lanes.count = static_cast<uint8_t>(count);
  instruction.setDebugLoc(place_with_lanes(instruction.getDebugLoc(), lanes));
}

void share_lanes_with_users(llvm::Function& function) {
  for (llvm::Instruction& load : llvm::instructions(function)) {
    const llvm::DILocation* place = load.getDebugLoc();
    if (!place || place->getDiscriminator() == 0 || !llvm::isa<llvm::LoadInst>(load)) continue;
    llvm::Instruction* user = &load;
    do {
      user = user->hasOneUse() ? llvm::dyn_cast<llvm::Instruction>(user->user_back()) : nullptr;
    } while (user && llvm::isa<llvm::BitCastInst>(user));
    if (!user || user->mayReadOrWriteMemory()) continue;
    const llvm::DILocation* own = user->getDebugLoc();
    if (own && own->getLine() != 0 && own->getDiscriminator() == 0)
      user->setDebugLoc(own->cloneWithDiscriminator(place->getDiscriminator()));
  }
}

}  // namespace heddle::finalizer::spmd
