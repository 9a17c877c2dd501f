// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/vector_pressure.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace heddle::finalizer::x86 {
namespace {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Instruction;
using llvm::Value;

/// The vectors of a function, and which of them are live at the begins of its blocks.
class LiveVectors {
 public:
  LiveVectors(const llvm::Function& function, unsigned register_bits);
  unsigned most() const;

 private:
  unsigned weight(const Value& value) const;
  BitVector live_out(const BasicBlock& block) const;
  void step_over(const Instruction& instruction, BitVector& live) const;
  void use(const Value& value, BitVector& live) const;

  const unsigned register_bits_;
  std::vector<const BasicBlock*> order_;  ///< each block comes before its predecessors, but for loops
  llvm::DenseMap<const Value*, unsigned> numbers_;
  std::vector<unsigned> weights_;  ///< registers, by number
  llvm::DenseMap<const BasicBlock*, BitVector> live_in_;
};

unsigned LiveVectors::weight(const Value& value) const {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  if (!type) return 0;
  const unsigned element = type->getElementType()->isPointerTy() ? 64 : type->getScalarSizeInBits();
  return std::max(1u, type->getNumElements() * element / register_bits_);
}

LiveVectors::LiveVectors(const llvm::Function& function, unsigned register_bits)
    : register_bits_(register_bits) {
  for (const Instruction& instruction : llvm::instructions(function)) {
    const unsigned registers = weight(instruction);
    if (registers == 0) continue;
    numbers_.try_emplace(&instruction, weights_.size());
    weights_.push_back(registers);
  }
  for (const BasicBlock* block : llvm::post_order(&function)) {
    order_.push_back(block);
    live_in_[block] = BitVector(static_cast<unsigned>(weights_.size()));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock* block : order_) {
      BitVector live = live_out(*block);
      for (const Instruction& instruction : llvm::reverse(*block)) step_over(instruction, live);
      if (live == live_in_[block]) continue;
      live_in_[block] = std::move(live);
      changed = true;
    }
  }
}

void LiveVectors::use(const Value& value, BitVector& live) const {
  if (const auto found = numbers_.find(&value); found != numbers_.end()) live.set(found->second);
}

/// What a phi uses is live at the end of the blocks that it comes from.
BitVector LiveVectors::live_out(const BasicBlock& block) const {
  BitVector live(static_cast<unsigned>(weights_.size()));
  for (const BasicBlock* next : llvm::successors(&block)) {
    live |= live_in_.at(next);
    for (const llvm::PHINode& phi : next->phis()) use(*phi.getIncomingValueForBlock(&block), live);
  }
  return live;
}

void LiveVectors::step_over(const Instruction& instruction, BitVector& live) const {
  if (const auto found = numbers_.find(&instruction); found != numbers_.end()) live.reset(found->second);
  if (llvm::isa<llvm::PHINode>(instruction)) return;
  for (const llvm::Use& operand : instruction.operands()) use(*operand, live);
}

unsigned LiveVectors::most() const {
  unsigned most = 0;
  const auto count = [&](const BitVector& live) {
    unsigned sum = 0;
    for (const unsigned number : live.set_bits()) sum += weights_[number];
    most = std::max(most, sum);
  };
  for (const BasicBlock* block : order_) {
    BitVector live = live_out(*block);
    for (const Instruction& instruction : llvm::reverse(*block)) {
      count(live);
      step_over(instruction, live);
    }
    count(live);
  }
  return most;
}

}  // namespace

unsigned vector_pressure(const llvm::Function& function, unsigned register_bits) {
  return LiveVectors(function, register_bits).most();
}

}  // namespace heddle::finalizer::x86
