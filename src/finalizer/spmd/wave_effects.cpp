// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/wave_effects.h"

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/serial_loops.h"
#include "finalizer/spmd/speculation.h"

namespace heddle::finalizer::spmd {

using llvm::Instruction;
using llvm::Value;
using Occurrence = WaveEffect::Occurrence;

bool has_effect(const Instruction& instruction) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    if (intrinsic->isAssumeLikeIntrinsic()) return false;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return instruction.mayReadOrWriteMemory() || (call && call->isConvergent());
}

void EffectRecorder::begin() {
  block_ = w_.ir().GetInsertBlock();
  last_ = block_->empty() ? nullptr : &block_->back();
}

/// Decides by what the instruction is, not by what it has become.
Occurrence EffectRecorder::occurrence_of(const Instruction& scalar) const {
  const auto agree = [&](const Value* value) { return w_.is_uniform(*value); };
  if (const Value* address = llvm::getLoadStorePointerOperand(&scalar)) {
    const GuardedShape* guarded = w_.guarded().of(scalar);
    const bool is_agreed =
        agree(address) || w_.state().shapes.is_promised(scalar) || (guarded && guarded->shape.is_uniform());
    return is_agreed ? Occurrence::wave : Occurrence::lane;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&scalar);
  if (!call) return Occurrence::lane;
  const llvm::Function* callee = call->getCalledFunction();
  if (!callee) return Occurrence::callee;
  const auto operation = target_operation_of(*callee);
  if (!operation) {
    const bool is_lanes = callee->isIntrinsic() || is_serial_loop(*callee);
    return is_lanes ? Occurrence::lane : Occurrence::callee;
  }
  // All work-items of a wave have to name the same fbarrier (PRM 9.2.1).
  if (*operation == TargetOperation::fbarrier) return Occurrence::wave;
  constexpr unsigned address_of_atomic = 4;
  if (*operation == TargetOperation::atomic32 || *operation == TargetOperation::atomic64)
    return agree(call->getArgOperand(address_of_atomic)) ? Occurrence::wave : Occurrence::lane;
  return llvm::all_of(call->args(), agree) ? Occurrence::wave : Occurrence::lane;
}

WaveEffect EffectRecorder::effect_of(const Instruction& scalar) {
  WaveEffect effect;
  effect.occurrence = occurrence_of(scalar);
  effect.has_all_lanes = w_.has_all_lanes(scalar);
  if (!effect.has_all_lanes) effect.mask = w_.mask_of(scalar);
  if (llvm::getLoadStorePointerOperand(&scalar))
    effect.bytes = w_.layout().getTypeStoreSize(llvm::getLoadStoreType(&scalar)).getFixedValue();
  return effect;
}

/// Blocks that are created for an instruction stand between that where the code begins and that where it
/// ends.
void EffectRecorder::end(const Instruction& scalar) {
  assert(block_ && !is_speculatable(scalar) && "speculatable instructions have no effects");
  WaveEffect effect = effect_of(scalar);
  const auto end = std::next(w_.ir().GetInsertBlock()->getIterator());
  for (auto block = block_->getIterator(); block != end; ++block) {
    auto made = &*block == block_ && last_ ? std::next(last_->getIterator()) : block->begin();
    for (; made != block->end(); ++made)
      if (has_effect(*made)) effect.made.emplace_back(&*made);
  }
  effects_.effects.push_back(std::move(effect));
}

void EffectRecorder::finish() {
  effects_.wave = w_.wave();
  effects_.has_mask_registers = w_.has_mask_registers();
  effects_.is_whole = llvm::isa<llvm::Constant>(w_.state().entry_mask);
  for (const llvm::AllocaInst* variable : w_.memory().variables())
    effects_.lane_memory.emplace_back(const_cast<llvm::AllocaInst*>(variable));
  llvm::SmallPtrSet<const Value*, 16> seen;
  for (const llvm::BasicBlock& block : w_.state().function) {
    const Value* mask = w_.state().masks.of(block);
    if (w_.is_varying(*mask) && seen.insert(mask).second) effects_.masks.push_back(w_.mask(*mask));
  }
}

}  // namespace heddle::finalizer::spmd
