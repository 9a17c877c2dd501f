// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/known_ballots.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/ValueHandle.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;

/// Returns what the operation gives, or null if that is not known.
Value* known_result(const llvm::IntrinsicInst& operation) {
  const auto constant = [&](unsigned i) {
    return llvm::dyn_cast<llvm::ConstantInt>(operation.getArgOperand(i));
  };
  switch (operation.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_vote_ballot_sync: {
      const auto* condition = constant(1);
      if (!condition) return nullptr;
      return condition->isZero() ? llvm::Constant::getNullValue(operation.getType())
                                 : operation.getArgOperand(0);
    }
    case llvm::Intrinsic::nvvm_match_any_sync_i32:
      return constant(1) ? operation.getArgOperand(0) : nullptr;
    case llvm::Intrinsic::nvvm_shfl_sync_idx_i32:
      return constant(1);
    default:
      return nullptr;
  }
}

}  // namespace

llvm::PreservedAnalyses FoldKnownBallots::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  // Simplifying one operation may make the condition of another one constant, or delete it: hence the
  // handles.
  llvm::SmallVector<llvm::WeakVH, 16> operations;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (llvm::isa<llvm::IntrinsicInst>(instruction)) operations.emplace_back(&instruction);
  bool changed = false;
  for (const llvm::WeakVH& operation : operations) {
    auto* call = llvm::dyn_cast_or_null<llvm::IntrinsicInst>(static_cast<Value*>(operation));
    Value* known = call ? known_result(*call) : nullptr;
    if (!known) continue;
    llvm::replaceAndRecursivelySimplify(call, known);
    if (operation) call->eraseFromParent();
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace heddle::finalizer::ptx
