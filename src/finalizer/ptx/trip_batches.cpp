// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/trip_batches.h"

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "finalizer/llvm.h"
#include "finalizer/ptx/machine.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;
using llvm::CmpInst;
using llvm::Instruction;
using llvm::PHINode;
using llvm::Value;

/// The trips of a batch.
constexpr unsigned batch = 4;
/// Loops with more instructions have other work to do while they wait.
constexpr size_t most_instructions = 48;

/// What decides whether a loop goes on: (index += step) < bound.
struct Condition {
  PHINode* index = nullptr;
  Value *step = nullptr, *bound = nullptr;
  bool is_signed = false;
};

/// A relaxed atomic operation on group memory (atomics.cpp) whose result nobody uses.
bool is_group_atomic(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const auto* code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!code || !call->use_empty() || !code->getAsmString().starts_with("atom.relaxed.")) return false;
  const auto* type = llvm::dyn_cast<llvm::PointerType>(call->getArgOperand(0)->getType());
  return type && type->getAddressSpace() == shared_space;
}

/// Whether the loads of several trips may be executed ahead of everything else in these trips.
bool has_batchable_body(const BasicBlock& block) {
  bool loads = false, loads_global_only = true, has_atomics = false;
  for (const Instruction& instruction : block) {
    if (llvm::isa<PHINode>(instruction) || instruction.isTerminator()) continue;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && (call->isConvergent() || call->cannotDuplicate())) return false;
    if (is_group_atomic(instruction)) {
      has_atomics = true;
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->isSimple()) return false;
      loads = true;
      loads_global_only = loads_global_only && load->getPointerAddressSpace() == global_space;
    } else if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects()) {
      return false;
    }
  }
  return loads && (loads_global_only || !has_atomics) && block.size() <= most_instructions;
}

std::optional<Condition> condition_of(const llvm::Loop& loop) {
  BasicBlock* block = loop.getHeader();
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  const auto* compare =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compare || compare->getType()->isVectorTy()) return std::nullopt;
  CmpInst::Predicate predicate =
      branch->getSuccessor(0) == block ? compare->getPredicate() : compare->getInversePredicate();
  Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  if (predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_SGT) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (predicate != CmpInst::ICMP_ULT && predicate != CmpInst::ICMP_SLT) return std::nullopt;
  auto* next = llvm::dyn_cast<llvm::BinaryOperator>(left);
  if (!next || next->getOpcode() != Instruction::Add || !loop.isLoopInvariant(right)) return std::nullopt;
  for (const unsigned i : {0u, 1u}) {
    auto* index = llvm::dyn_cast<PHINode>(next->getOperand(i));
    Value* step = next->getOperand(1 - i);
    if (index && index->getParent() == block && index->getIncomingValueForBlock(block) == next &&
        loop.isLoopInvariant(step))
      return Condition{index, step, right, predicate == CmpInst::ICMP_SLT};
  }
  return std::nullopt;
}

/// One loop that is changed.
class Batches {
 public:
  Batches(BasicBlock& block, const Condition& condition) : block_(block), condition_(condition) {
    for (PHINode& phi : block.phis()) phis_.push_back(&phi);
  }

  void add() {
    BasicBlock* before = other_predecessor();
    check_ =
        BasicBlock::Create(block_.getContext(), block_.getName() + ".check", block_.getParent(), &block_);
    trips_ =
        BasicBlock::Create(block_.getContext(), block_.getName() + ".batch", block_.getParent(), &block_);
    before->getTerminator()->replaceSuccessorWith(&block_, check_);
    enter_check(before);
    add_check();
    for (unsigned trip = 0; trip < batch; ++trip) {
      if (trip != 0) advance();
      add_trip();
    }
    for (Instruction* atomic : atomics_) atomic->insertInto(trips_, trips_->end());
    leave_batch();
    keep_rolled(*block_.getTerminator());
    keep_rolled(*trips_->getTerminator());
  }

 private:
  BasicBlock* other_predecessor() const {
    for (BasicBlock* before : llvm::predecessors(&block_))
      if (before != &block_) return before;
    llvm_unreachable("a loop is entered from somewhere");
  }
  BasicBlock* exit() const {
    const Instruction* end = block_.getTerminator();
    return end->getSuccessor(0) == &block_ ? end->getSuccessor(1) : end->getSuccessor(0);
  }

  /// The values that the loop begins with come through the check, and so do those behind each batch.
  void enter_check(BasicBlock* before) {
    llvm::IRBuilder<> ir(check_);
    for (PHINode* phi : phis_) {
      PHINode* entered = ir.CreatePHI(phi->getType(), 2, phi->getName());
      entered->addIncoming(phi->getIncomingValueForBlock(before), before);
      phi->setIncomingValueForBlock(before, entered);
      phi->replaceIncomingBlockWith(before, check_);
      now_[phi] = entered;
    }
  }

  /// All trips of a batch take place if its last one does, because the index does not wrap before it.
  void add_check() {
    llvm::IRBuilder<> ir(check_);
    ir.SetCurrentDebugLocation(block_.getTerminator()->getDebugLoc());
    auto* wide = ir.getIntNTy(2 * condition_.index->getType()->getIntegerBitWidth());
    const auto widened = [&](Value* value) { return ir.CreateIntCast(value, wide, condition_.is_signed); };
    Value* way = ir.CreateMul(widened(condition_.step), llvm::ConstantInt::get(wide, batch - 1));
    Value* last = ir.CreateAdd(widened(now_[condition_.index]), way);
    Value* all = ir.CreateICmp(condition_.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, last,
                               widened(condition_.bound));
    if (condition_.is_signed)
      all = ir.CreateAnd(
          all, ir.CreateICmpSGE(condition_.step, llvm::ConstantInt::get(condition_.step->getType(), 0)));
    ir.CreateCondBr(all, trips_, &block_, llvm::MDBuilder(ir.getContext()).createLikelyBranchWeights());
  }

  void add_trip() {
    for (Instruction& instruction : block_) {
      if (llvm::isa<PHINode>(instruction) || instruction.isTerminator()) continue;
      Instruction* copy = instruction.clone();
      llvm::RemapInstruction(copy, now_, llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
      now_[&instruction] = copy;
      if (is_group_atomic(instruction))
        atomics_.push_back(copy);
      else
        copy->insertInto(trips_, trips_->end());
    }
  }

  /// Goes on to the values that the next trip begins with.
  void advance() {
    llvm::SmallVector<Value*, 8> next;
    for (const PHINode* phi : phis_) next.push_back(value_now(phi->getIncomingValueForBlock(&block_)));
    for (size_t i = 0; i < phis_.size(); ++i) now_[phis_[i]] = next[i];
  }

  Value* value_now(Value* value) const {
    const auto found = now_.find(value);
    return found == now_.end() ? value : static_cast<Value*>(found->second);
  }

  /// Ends the batch. What is used behind the loop has the values of the last trip, also those that it began
  /// with.
  void leave_batch() {
    Instruction* end = block_.getTerminator()->clone();
    llvm::RemapInstruction(end, now_, llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
    end->replaceSuccessorWith(&block_, check_);
    end->insertInto(trips_, trips_->end());
    for (PHINode& phi : exit()->phis())
      phi.addIncoming(value_now(phi.getIncomingValueForBlock(&block_)), trips_);
    advance();
    auto entered = check_->phis().begin();
    for (PHINode* phi : phis_) (entered++)->addIncoming(now_[phi], trips_);
  }

  /// Neither LLVM nor ptxas unrolls these loops once more.
  static void keep_rolled(Instruction& latch) {
    llvm::LLVMContext& context = latch.getContext();
    const auto said = [&](const char* what) {
      return llvm::MDNode::get(context, llvm::MDString::get(context, what));
    };
    auto* id =
        llvm::MDNode::getDistinct(context, {nullptr, said("llvm.loop.unroll.disable"), said(batched_loop)});
    id->replaceOperandWith(0, id);
    latch.setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  BasicBlock& block_;
  const Condition condition_;
  llvm::SmallVector<PHINode*, 8> phis_;
  BasicBlock *check_ = nullptr, *trips_ = nullptr;
  llvm::ValueToValueMapTy now_;  ///< the values of the loop at the place where copies are added
  llvm::SmallVector<Instruction*, 8> atomics_;
};

}  // namespace

llvm::PreservedAnalyses TripBatches::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::SmallVector<std::pair<BasicBlock*, Condition>, 4> changed;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->getNumBlocks() != 1 || !loop->getLoopPreheader() || !loop->getExitBlock() || loop->getLoopID())
      continue;
    if (!has_batchable_body(*loop->getHeader()) || evolution.hasLoopInvariantBackedgeTakenCount(loop))
      continue;
    const auto condition = condition_of(*loop);
    if (!condition) continue;
    llvm::formLCSSA(*loop, dominators, &loops, &evolution);
    changed.emplace_back(loop->getHeader(), *condition);
  }
  for (const auto& [block, condition] : changed) Batches(*block, condition).add();
  return changed.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace heddle::finalizer::ptx
