// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/active_lanes.h"

#include <set>

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "finalizer/lower/callers.h"
#include "finalizer/ptx/context.h"
#include "finalizer/ptx/post_dominators.h"

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// Tracks the active lanes in one function.
class Tracking {
 public:
  /// `is_kernel` says that the function is the body of a kernel, behind which nothing is executed.
  Tracking(llvm::Function& function, const std::set<const llvm::Function*>& tracked, bool is_kernel)
      : function_(function), tracked_(tracked), is_kernel_(is_kernel), ir_(function.getContext()) {}

  void run();

 private:
  void unify_returns();
  void meet_at(BasicBlock& block);
  void part_at(llvm::Instruction& branch, BasicBlock* meeting);
  Value* lanes_that_follow(llvm::Instruction& branch, Value* before);
  void lower_operations();
  llvm::AllocaInst* variable(const char* name) {
    llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    auto* variable = entry.CreateAlloca(entry.getInt32Ty(), nullptr, name);
    entry.CreateStore(entry.getInt32(0), variable);
    variables_.push_back(variable);
    return variable;
  }
  Value* load(llvm::AllocaInst* variable) { return ir_.CreateLoad(ir_.getInt32Ty(), variable); }
  bool passes_lanes(const llvm::CallInst& call) const {
    const llvm::Function* callee = call.getCalledFunction();
    return callee ? tracked_.contains(callee) : !call.isInlineAsm();
  }

  llvm::Function& function_;
  const std::set<const llvm::Function*>& tracked_;  ///< functions that expect Context::active
  const bool is_kernel_;
  llvm::IRBuilder<> ir_;
  llvm::SmallVector<llvm::AllocaInst*, 8> variables_;
  llvm::AllocaInst* active_ = nullptr;
  /// By block: the lanes that meet there, or 0 while no branch has parted any.
  llvm::DenseMap<BasicBlock*, llvm::AllocaInst*> expected_;
};

void Tracking::unify_returns() {
  llvm::SmallVector<llvm::Instruction*, 4> returns;
  for (BasicBlock& block : function_)
    if (auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator())) returns.push_back(end);
  if (returns.size() <= 1) return;
  auto* last = BasicBlock::Create(ir_.getContext(), "return", &function_);
  llvm::ReturnInst::Create(ir_.getContext(), last);
  for (llvm::Instruction* end : returns) {
    ir_.SetInsertPoint(end);
    ir_.CreateBr(last);
    end->eraseFromParent();
  }
}

/// Returns the lanes among `before` that go the same way as this one.
Value* Tracking::lanes_that_follow(llvm::Instruction& branch, Value* before) {
  if (auto* conditional = llvm::dyn_cast<llvm::BranchInst>(&branch)) {
    Value* condition = conditional->getCondition();
    Value* taking = ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {}, {before, condition});
    return ir_.CreateSelect(condition, taking, ir_.CreateAnd(before, ir_.CreateNot(taking)));
  }
  auto& jump = llvm::cast<llvm::SwitchInst>(branch);
  llvm::DenseMap<BasicBlock*, uint32_t> ways;
  const auto way = [&](BasicBlock* target) {
    const auto number = static_cast<uint32_t>(ways.size());
    return ir_.getInt32(ways.try_emplace(target, number).first->second);
  };
  Value* taken = way(jump.getDefaultDest());
  for (const auto& option : jump.cases())
    taken = ir_.CreateSelect(ir_.CreateICmpEQ(jump.getCondition(), option.getCaseValue()),
                             way(option.getCaseSuccessor()), taken);
  return ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_match_any_sync_i32, {}, {before, taken});
}

void Tracking::part_at(llvm::Instruction& branch, BasicBlock* meeting) {
  ir_.SetInsertPoint(&branch);
  Value* before = load(active_);
  if (meeting) {
    llvm::AllocaInst*& expected = expected_[meeting];
    if (!expected) expected = variable("expected");
    Value* already = load(expected);
    Value* is_first = ir_.CreateICmpEQ(already, ir_.getInt32(0));
    ir_.CreateStore(ir_.CreateSelect(is_first, before, already), expected);
  }
  ir_.CreateStore(lanes_that_follow(branch, before), active_);
}

/// Lanes that come to the block without having been parted before it do not wait for others. Neither do those
/// that end: the others may wait in a barrier of the work-group until they have ended (docs/hsail.md, "Early
/// return").
void Tracking::meet_at(BasicBlock& block) {
  llvm::AllocaInst* expected = expected_.lookup(&block);
  if (!expected || (is_kernel_ && llvm::isa<llvm::ReturnInst>(block.getFirstNonPHIIt()))) return;
  ir_.SetInsertPoint(&block, block.getFirstInsertionPt());
  Value* all = load(expected);
  all = ir_.CreateSelect(ir_.CreateICmpEQ(all, ir_.getInt32(0)), load(active_), all);
  ir_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {all});
  ir_.CreateStore(all, active_);
  ir_.CreateStore(ir_.getInt32(0), expected);
}

/// Replaces what depends on the lanes, and tells callees of them.
void Tracking::lower_operations() {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call) continue;
    ir_.SetInsertPoint(call);
    if (depends_on_lanes(*call)) {
      Value* value = lower_with_lanes(ir_, *call, load(active_));
      if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(value);
      call->eraseFromParent();
    } else if (passes_lanes(*call)) {
      Fields(ir_, function_.getArg(0)).store(load(active_), offsetof(Context, active));
    }
  }
}

void Tracking::run() {
  llvm::removeUnreachableBlocks(function_);
  unify_returns();
  const PostDominators meetings(function_);
  active_ = variable("active");
  llvm::SmallVector<llvm::Instruction*, 16> branches;
  for (BasicBlock& block : function_)
    if (block.getTerminator()->getNumSuccessors() > 1) branches.push_back(block.getTerminator());
  for (llvm::Instruction* branch : branches) part_at(*branch, meetings.immediate(branch->getParent()));
  for (BasicBlock& block : function_) meet_at(block);
  lower_operations();
  // The variables are set to 0 first; this one gets the caller's lanes.
  ir_.SetInsertPoint(llvm::cast<llvm::Instruction>(active_)->getNextNode()->getNextNode());
  ir_.CreateStore(Fields(ir_, function_.getArg(0)).load_i32(offsetof(Context, active)), active_);
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(variables_, dominators);
}

}  // namespace

void track_active_lanes(SpmdProgram& spmd) {
  llvm::Module& module = *spmd.module;
  auto tracked = functions_leading_to(module, depends_on_lanes);
  // An indirect call may lead to any indirect function.
  const bool indirectly =
      llvm::any_of(spmd.functions, [&](const auto& f) { return tracked.contains(f.function); });
  if (indirectly)
    tracked = functions_leading_to(module, [](const llvm::CallBase& call) {
      return depends_on_lanes(call) || (call.isIndirectCall() && !call.isInlineAsm());
    });
  for (llvm::Function& function : module)
    if (tracked.contains(&function)) {
      const auto is_body = [&](const SpmdKernel& kernel) { return kernel.body == &function; };
      Tracking(function, tracked, llvm::any_of(spmd.kernels, is_body)).run();
    }
}

}  // namespace heddle::finalizer::ptx
