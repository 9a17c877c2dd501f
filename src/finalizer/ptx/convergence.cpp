// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/convergence.h"

#include <optional>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::BasicBlock;
using llvm::Value;

/// A call of what is a function in PTX, too.
bool is_real_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || call->isInlineAsm()) return false;
  const llvm::Function* callee = call->getCalledFunction();
  return !callee || !callee->isDeclaration();
}

bool names_lanes(const llvm::CallBase& call) {
  if (const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return text->getAsmString().contains("bar.warp.sync") || text->getAsmString().contains("vote.sync");
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_vote_ballot_sync:
    case llvm::Intrinsic::nvvm_match_any_sync_i32:
    case llvm::Intrinsic::nvvm_bar_warp_sync:
    case llvm::Intrinsic::nvvm_shfl_sync_idx_i32:
      return true;
    default:
      return false;
  }
}

/// Returns the operand that names lanes, or null. It is the first one of all these operations.
llvm::Use* lanes_of(llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && names_lanes(*call) ? &call->getArgOperandUse(0) : nullptr;
}

/// The lanes for which operations have waited since the last call, on all ways; nothing as long as there was no
/// call on any.
using Met = std::optional<llvm::SmallPtrSet<const Value*, 4>>;

bool has_met(const Met& met, const Value* lanes) { return !met || met->contains(lanes); }

Met on_both_ways(const Met& a, const Met& b) {
  if (!a || !b) return a ? a : b;
  Met both{std::in_place};
  for (const Value* lanes : *a)
    if (b->contains(lanes)) both->insert(lanes);
  return both;
}

class FunctionOfLanes {
 public:
  explicit FunctionOfLanes(llvm::Function& function) : function_(function) {}

  void run() {
    while (pass_through_blocks()) {
    }
    llvm::SmallVector<llvm::Use*, 8> found;
    for (BasicBlock& block : function_) walk(block, [&](llvm::Use& lanes) { found.push_back(&lanes); });
    for (llvm::Use* lanes : found) hide(*lanes);
  }

 private:
  Met at_begin_of(const BasicBlock& block) const {
    Met met;
    for (const BasicBlock* before : llvm::predecessors(&block)) met = on_both_ways(met, at_end_.lookup(before));
    return met;
  }

  /// Calls `first` for the lanes of each operation that is the first to wait for them.
  template <typename First>
  Met walk(BasicBlock& block, First first) {
    Met met = at_begin_of(block);
    for (llvm::Instruction& instruction : block) {
      if (is_real_call(instruction)) met.emplace();
      llvm::Use* lanes = lanes_of(instruction);
      if (!lanes || has_met(met, lanes->get())) continue;
      first(*lanes);
      met->insert(lanes->get());
    }
    return met;
  }

  /// True if something has changed. Sets only become smaller, except that none becomes one.
  bool pass_through_blocks() {
    bool changed = false;
    for (BasicBlock* block : llvm::ReversePostOrderTraversal(&function_)) {
      Met met = walk(*block, [](llvm::Use&) {});
      Met& known = at_end_[block];
      if (met.has_value() == known.has_value() && (!met || met->size() == known->size())) continue;
      known = std::move(met);
      changed = true;
    }
    return changed;
  }

  /// Names the same lanes by a value that is not known before the kernel runs: adds this lane, which is one of
  /// them, if the clock says so.
  static void hide(llvm::Use& lanes) {
    llvm::IRBuilder<> ir(llvm::cast<llvm::Instruction>(lanes.getUser()));
    Value* own = ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_eq, llvm::ArrayRef<Value*>());
    Value* time = ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_clock, llvm::ArrayRef<Value*>());
    lanes.set(ir.CreateOr(lanes.get(), ir.CreateAnd(own, time)));
  }

  llvm::Function& function_;
  llvm::DenseMap<const BasicBlock*, Met> at_end_;
};

}  // namespace

void wait_for_lanes_after_calls(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (llvm::any_of(llvm::instructions(function), is_real_call)) FunctionOfLanes(function).run();
}

}  // namespace heddle::finalizer::ptx
