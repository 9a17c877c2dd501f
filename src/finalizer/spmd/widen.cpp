// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/widen.h"

#include <llvm/ADT/PostOrderIterator.h>

#include "finalizer/spmd/access_places.h"
#include "finalizer/spmd/speculation.h"
#include "finalizer/spmd/verify.h"
#include "finalizer/spmd/verify_wave.h"
#include "finalizer/spmd/wave_functions.h"
#include "finalizer/spmd/widen_arithmetic.h"
#include "finalizer/spmd/widen_calls.h"
#include "finalizer/spmd/widen_memory.h"
#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

/// Returns the type of the function of a wave.
llvm::FunctionType* wide_type(const SpmdFunction& state, const WidenRequest& request) {
  const LaneMasks masks(request.wave, request.machine.has_mask_registers);
  llvm::SmallVector<Type*, 8> types;
  for (const llvm::Argument& argument : state.function.args()) {
    Type* type = argument.getType();
    if (state.shapes.of(argument).is_varying())
      types.append(request.wave.parts(), masks.kept_type(*type));
    else
      types.push_back(type);
  }
  return llvm::FunctionType::get(state.function.getReturnType(), types, false);
}

class FunctionWidening {
 public:
  FunctionWidening(const SpmdFunction& state, const WidenRequest& request, WideFunction& result,
                   WaveEffects& effects)
      : scalar_(state.function), result_(result), w_(state, request, result), recorder_(w_, effects) {}

  std::optional<Error> run();

 private:
  void take_arguments();
  void widen(const BasicBlock& block);
  void widen(const Instruction& instruction);
  void create_phi(const PHINode& phi);
  void finish_phi(const PHINode& phi);
  void widen_terminator(const Instruction& end);
  BasicBlock* block_of(const BasicBlock& block) const { return blocks_.at(&block).begin; }

  /// A block of the scalar function may become several.
  struct WideBlock {
    BasicBlock* begin = nullptr;
    BasicBlock* end = nullptr;
  };

  Function& scalar_;
  WideFunction& result_;
  Widening w_;
  EffectRecorder recorder_;
  llvm::DenseMap<const BasicBlock*, WideBlock> blocks_;
  llvm::DenseMap<const PHINode*, llvm::SmallVector<PHINode*, 4>> phis_;  // one for each part, or one
};

void FunctionWidening::take_arguments() {
  llvm::Argument* next = result_.function->arg_begin();
  for (const llvm::Argument& argument : scalar_.args()) {
    if (!w_.is_varying(argument)) {
      next->setName(argument.getName());
      w_.set_scalar(argument, next++);
      continue;
    }
    Parts parts;
    for (unsigned p = 0; p < w_.wave().parts(); ++p, ++next) {
      next->setName(argument.getName());
      parts.push_back(next);
    }
    if (argument.getType()->isIntegerTy(1))
      w_.set_mask(argument, parts);
    else
      w_.set_vectors(argument, parts);
  }
}

std::optional<Error> FunctionWidening::run() {
  llvm::ReversePostOrderTraversal<Function*> order(&scalar_);
  for (const BasicBlock* block : order)
    blocks_[block].begin = BasicBlock::Create(scalar_.getContext(), block->getName(), result_.function);
  take_arguments();
  for (const BasicBlock* block : order) {
    widen(*block);
    if (w_.refusal()) return w_.refusal();
  }
  for (const BasicBlock* block : order)
    for (const PHINode& phi : block->phis()) finish_phi(phi);
  recorder_.finish();
  return w_.refusal();
}

void FunctionWidening::widen(const BasicBlock& block) {
  w_.ir().SetInsertPoint(block_of(block));
  for (const PHINode& phi : block.phis()) create_phi(phi);
  for (const Instruction& instruction : block) {
    if (llvm::isa<PHINode>(instruction)) continue;
    w_.ir().SetCurrentDebugLocation(instruction.getDebugLoc());
    if (instruction.isTerminator()) {
      blocks_[&block].end = w_.ir().GetInsertBlock();
      widen_terminator(instruction);
    } else {
      const bool is_recorded = !is_speculatable(instruction) && !tested_mask(instruction);
      if (is_recorded) recorder_.begin();
      widen(instruction);
      if (w_.refusal()) return;
      if (is_recorded) recorder_.end(instruction);
    }
  }
}

void FunctionWidening::widen(const Instruction& instruction) {
  if (w_.guarded().is_part_of_address(instruction)) return;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return widen_call(w_, *call);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return widen_load(w_, *load);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return widen_store(w_, *store);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    return widen_alloca(w_, *variable);
  if (instruction.mayReadOrWriteMemory())
    return w_.refuse(instruction, "an access to memory has no form for waves");
  if (w_.is_varying(instruction))
    widen_arithmetic(w_, instruction);
  else
    w_.create_scalar(instruction);
}

// ---- phis

void FunctionWidening::create_phi(const PHINode& phi) {
  auto& ir = w_.ir();
  const bool is_varying = w_.is_varying(phi);
  Type* type = is_varying ? w_.masks().kept_type(*phi.getType()) : phi.getType();
  const unsigned count = is_varying ? w_.wave().parts() : 1;
  auto& made = phis_[&phi];
  for (unsigned p = 0; p < count; ++p)
    made.push_back(ir.CreatePHI(type, phi.getNumIncomingValues(), phi.getName()));
  if (!is_varying)
    w_.set_scalar(phi, made.front());
  else if (phi.getType()->isIntegerTy(1))
    w_.set_mask(phi, Parts(made.begin(), made.end()));
  else
    w_.set_vectors(phi, Parts(made.begin(), made.end()));
}

/// Adds the operands of a phi. No branch is divergent, so that all lanes come from the same block.
void FunctionWidening::finish_phi(const PHINode& phi) {
  const auto& made = phis_.at(&phi);
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const Value& value = *phi.getIncomingValue(i);
    BasicBlock* from = blocks_.at(phi.getIncomingBlock(i)).end;
    if (!w_.is_varying(phi)) {
      made.front()->addIncoming(w_.scalar(value), from);
      continue;
    }
    w_.ir().SetInsertPoint(from->getTerminator());
    const Parts parts = phi.getType()->isIntegerTy(1) ? w_.mask(value) : w_.parts(value);
    for (unsigned p = 0; p < made.size(); ++p) made[p]->addIncoming(parts[p], from);
  }
}

// ---- branches

void FunctionWidening::widen_terminator(const Instruction& end) {
  auto& ir = w_.ir();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
    if (branch->isUnconditional())
      ir.CreateBr(block_of(*branch->getSuccessor(0)));
    else
      ir.CreateCondBr(w_.agreed(*branch->getCondition(), end), block_of(*branch->getSuccessor(0)),
                      block_of(*branch->getSuccessor(1)));
  } else if (const auto* many = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
    auto* made = ir.CreateSwitch(w_.agreed(*many->getCondition(), end), block_of(*many->getDefaultDest()),
                                 many->getNumCases());
    for (const auto& entry : many->cases())
      made->addCase(const_cast<llvm::ConstantInt*>(entry.getCaseValue()),
                    block_of(*entry.getCaseSuccessor()));
  } else if (llvm::isa<llvm::ReturnInst>(end)) {
    ir.CreateRetVoid();
  } else {
    w_.refuse(end, "a block ends in a way that waves have no form of");
  }
}

}  // namespace

Result<WideFunction> widen(const SpmdFunction& state, const WidenRequest& request, Function* declared,
                           WaveEffects* effects) {
  Function& scalar = state.function;
  if (!scalar.getReturnType()->isVoidTy()) return Error{"a function with a result cannot be widened"};
  llvm::FunctionType* type = wide_type(state, request);
  assert((!declared || (declared->empty() && declared->getFunctionType() == type)) &&
         "calls have been made for another function");
  WideFunction result;
  result.function = declared ? declared : create_wave_function(scalar, *type);
  WaveEffects recorded;
  auto refusal = FunctionWidening(state, request, result, recorded).run();
  if (!refusal)
    if (auto right = verify_wave(*result.function, recorded); !right.ok())
      refusal = mistake_found(right.error());
  if (refusal) {
    result.function->dropAllReferences();  // the body, but not what calls the function
    if (!declared) result.function->eraseFromParent();
    return *refusal;
  }
  share_lanes_with_users(*result.function);
  if (effects) *effects = std::move(recorded);
  result.function->setSubprogram(scalar.getSubprogram());
  scalar.setSubprogram(nullptr);
  return result;
}

}  // namespace heddle::finalizer::spmd
