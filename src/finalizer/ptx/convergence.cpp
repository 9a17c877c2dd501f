// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/convergence.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace heddle::finalizer::ptx {
namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

/// A call of what is a function in PTX, too, and returns.
bool is_real_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call || call->isInlineAsm() || call->doesNotReturn()) return false;
  const llvm::Function* callee = call->getCalledFunction();
  return !callee || !callee->isDeclaration();
}

/// Returns a value that is always 0, although ptxas cannot infer that. If ptxas knew the mask of the
/// bar.warp.sync to be that of lanes that it believes to be converged, it would remove the barrier.
Value* hidden_zero(llvm::IRBuilder<>& ir) {
  const auto lanes = [&](ID id) { return ir.CreateIntrinsic(id, llvm::ArrayRef<Value*>()); };
  return ir.CreateAnd(lanes(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_eq),
                      lanes(llvm::Intrinsic::nvvm_read_ptx_sreg_lanemask_lt));
}

void meet_behind(llvm::Instruction& call) {
  llvm::IRBuilder<> ir(&call);
  Value* together = ir.CreateIntrinsic(llvm::Intrinsic::nvvm_activemask, llvm::ArrayRef<Value*>());
  ir.SetInsertPoint(call.getNextNode());
  ir.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {ir.CreateXor(together, hidden_zero(ir))});
}

}  // namespace

void meet_behind_calls(llvm::Module& module) {
  llvm::SmallVector<llvm::Instruction*, 16> calls;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (is_real_call(instruction)) calls.push_back(&instruction);
  for (llvm::Instruction* call : calls) meet_behind(*call);
}

}  // namespace heddle::finalizer::ptx
