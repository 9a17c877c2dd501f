// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/lockstep.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::spmd {
namespace {

/// Reports whether others may see what is stored: not in a variable of the function itself, such as a
/// register.
bool is_shared(const llvm::StoreInst& store) {
  return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store.getPointerOperand()));
}

}  // namespace

/// A wave executes each instruction for all of its lanes, so that it is enough to keep the instructions of
/// one work-item in order. Wavebarriers do that, as LLVM has to expect any access to memory from them, and
/// are no instructions in the end.
void keep_stores_in_order(llvm::Function& function) {
  llvm::SmallVector<llvm::StoreInst*, 16> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && is_shared(*store))
      stores.push_back(store);
  if (stores.empty()) return;
  llvm::Function* wavebarrier = declare(*function.getParent(), TargetOperation::wavebarrier);
  for (llvm::StoreInst* store : stores) {
    llvm::IRBuilder<> ir(store);
    ir.CreateCall(wavebarrier);
    ir.SetInsertPoint(store->getNextNode());
    ir.CreateCall(wavebarrier);
  }
  function.setConvergent();
}

}  // namespace heddle::finalizer::spmd
