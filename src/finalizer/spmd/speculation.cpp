// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/speculation.h"

#include <llvm/Analysis/ValueTracking.h>

namespace heddle::finalizer::spmd {

using llvm::Instruction;

bool is_speculatable(const Instruction& instruction) {
  if (instruction.mayReadOrWriteMemory()) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isConvergent())
    return false;
  // What is known of a variable operand, such as that a divisor is not 0, is known for active work-items
  // only.
  return llvm::isa<llvm::PHINode>(instruction) ||
         llvm::isSafeToSpeculativelyExecuteWithVariableReplaced(&instruction);
}

unsigned SkippedRegions::cost_of(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::BitCast:
    case Instruction::Freeze:
      return 0;
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::SDiv:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::URem:
    case Instruction::Call:
      return llvm::isa<llvm::DbgInfoIntrinsic>(instruction) ? 0 : 4;
    default:
      return 1;
  }
}

unsigned SkippedRegions::cost_of(const llvm::BasicBlock& block, const Shapes& shapes) {
  // The condition of a uniform branch may be anything if no work-item is active.
  const Instruction* end = block.getTerminator();
  if (end->getNumSuccessors() > 1 && !shapes.is_divergent(block)) return unaffordable_;
  unsigned cost = 0;
  for (const Instruction& instruction : block) {
    if (&instruction == end) break;
    if (!is_speculatable(instruction)) return unaffordable_;
    cost = std::min(unaffordable_, cost + cost_of(instruction));
  }
  return cost;
}

SkippedRegions::SkippedRegions(const BlockOrder& order, const llvm::DominatorTree& dominators,
                               const Shapes& shapes)
    : cost_(order.size()) {
  for (unsigned i = order.size(); i-- > 0;) {
    llvm::BasicBlock& block = order[i];
    cost_[i] = std::min(unaffordable_, cost_[i] + cost_of(block, shapes));
    // A loop must not be executed with an empty mask. Its preheader is the only block that leads to it.
    for (const llvm::BasicBlock* successor : llvm::successors(&block))
      if (order[*successor] <= i) cost_[order[*successor]] = unaffordable_;
    if (const auto* parent = dominators.getNode(&block)->getIDom()) {
      unsigned& outer = cost_[order[*parent->getBlock()]];
      outer = std::min(unaffordable_, outer + cost_[i]);
    }
  }
}

}  // namespace heddle::finalizer::spmd
