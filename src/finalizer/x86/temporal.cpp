// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/temporal.h"

#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::Instruction;
using llvm::LLVMContext;

/// Reports whether an operation may tell other work-items, or the host, of what was stored before.
bool communicates(TargetOperation operation) {
  switch (operation) {
    case TargetOperation::barrier:
    case TargetOperation::wavebarrier:
    case TargetOperation::memfence:
    case TargetOperation::atomic32:
    case TargetOperation::atomic64:
    case TargetOperation::fbarrier:
    case TargetOperation::signal:
    case TargetOperation::queue_index:
    case TargetOperation::image:
    case TargetOperation::yield:
      return true;
    default:
      return false;
  }
}

/// Reports whether nobody learns of a kernel's stores before its entry returns, as far as that is known.
/// Functions that it calls may do anything.
bool keeps_to_itself(const llvm::Function& body) {
  return llvm::none_of(llvm::instructions(body), [](const Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) return instruction.isAtomic();
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) return true;
    const auto operation = target_operation_of(*callee);
    return operation ? communicates(*operation) : !callee->isIntrinsic();
  });
}

}  // namespace

void drop_nontemporal_hints(llvm::Function& function) {
  for (Instruction& instruction : llvm::instructions(function))
    instruction.setMetadata(LLVMContext::MD_nontemporal, nullptr);
}

void drop_nontemporal_hints(SpmdProgram& program, unsigned lanes) {
  llvm::DenseSet<const llvm::Function*> streaming;
  for (const SpmdKernel& kernel : program.kernels)
    if (lanes > 1 && keeps_to_itself(*kernel.body)) streaming.insert(kernel.body);
  for (llvm::Function& function : *program.module) {
    if (!streaming.contains(&function)) drop_nontemporal_hints(function);
    for (Instruction& instruction : llvm::instructions(function))
      if (llvm::isa<llvm::LoadInst>(instruction))
        instruction.setMetadata(LLVMContext::MD_nontemporal, nullptr);
  }
}

bool has_streaming_stores(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const Instruction& instruction) {
    return instruction.hasMetadata(LLVMContext::MD_nontemporal);
  });
}

}  // namespace heddle::finalizer::x86
