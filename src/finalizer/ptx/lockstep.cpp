// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/lockstep.h"

#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/lockstep.h"
#include "finalizer/spmd/vectorise.h"

namespace heddle::finalizer::ptx {
namespace {

bool is_atomic(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  return operation == TargetOperation::atomic32 || operation == TargetOperation::atomic64;
}

void keep_atomics_in_order(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 16> atomics;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (is_atomic(instruction)) atomics.push_back(&instruction);
  if (atomics.empty()) return;
  llvm::Function* wavebarrier = declare(*function.getParent(), TargetOperation::wavebarrier);
  for (llvm::Instruction* atomic : atomics) {
    llvm::IRBuilder<> ir(atomic);
    ir.CreateCall(wavebarrier);
    ir.SetInsertPoint(atomic->getNextNode());
    ir.CreateCall(wavebarrier);
  }
}

}  // namespace

void keep_lockstep(SpmdProgram& spmd) {
  llvm::SmallVector<llvm::Function*, 8> roots;
  for (const SpmdKernel& kernel : spmd.kernels)
    if (kernel.lockstep) roots.push_back(kernel.body);
  for (const SpmdIndirectFunction& indirect : spmd.functions)
    if (indirect.lockstep) roots.push_back(indirect.function);
  for (llvm::Function* function : spmd::called_functions(roots)) {
    spmd::keep_stores_in_order(*function);
    keep_atomics_in_order(*function);
  }
}

}  // namespace heddle::finalizer::ptx
