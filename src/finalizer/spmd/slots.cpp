// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/slots.h"

#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace heddle::finalizer::spmd {

using llvm::AllocaInst;
using llvm::BasicBlock;

AllocaInst* Slots::create_carried(llvm::Type* type, const llvm::Twine& name) {
  BasicBlock& entry = function_.getEntryBlock();
  const unsigned space = function_.getDataLayout().getAllocaAddrSpace();
  auto* variable = new AllocaInst(type, space, name, entry.begin());
  slots_.push_back({variable, nullptr, nullptr});
  return variable;
}

AllocaInst* Slots::create(llvm::Constant& empty, BasicBlock& home, const llvm::Twine& name) {
  AllocaInst* variable = create_carried(empty.getType(), name);
  slots_.back().empty = &empty;
  slots_.back().home = &home;
  return variable;
}

/// Stores the empty value in the last block of the loop, but not of loops inside, that the wave visits before
/// all uses.
void Slots::add_reset(const Slot& slot, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops) {
  BasicBlock* place = slot.home;
  for (const llvm::User* user : slot.variable->users())
    place = dominators.findNearestCommonDominator(
        place, const_cast<BasicBlock*>(llvm::cast<llvm::Instruction>(user)->getParent()));
  const llvm::Loop* loop = loops.getLoopFor(slot.home);
  while (loops.getLoopFor(place) != loop) place = dominators.getNode(place)->getIDom()->getBlock();
  const auto before = place == slot.variable->getParent() ? std::next(slot.variable->getIterator())
                                                          : place->getFirstInsertionPt();
  new llvm::StoreInst(slot.empty, slot.variable, before);
}

void Slots::promote(llvm::DominatorTree& dominators, const llvm::LoopInfo& loops) {
  llvm::SmallVector<AllocaInst*, 32> variables;
  for (const Slot& slot : slots_) {
    if (slot.empty) add_reset(slot, dominators, loops);
    variables.push_back(slot.variable);
  }
  if (!variables.empty()) llvm::PromoteMemToReg(variables, dominators);
  slots_.clear();
}

}  // namespace heddle::finalizer::spmd
