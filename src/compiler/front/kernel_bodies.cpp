// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/kernel_bodies.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace heddle::compiler {
namespace {

constexpr llvm::StringLiteral body_prefix = "__clang_ocl_kern_imp_";

/// Returns the only call of a body if its caller does nothing else but to keep its arguments in variables, or
/// null.
llvm::CallInst* call_of_kernel(llvm::Function& body) {
  if (!body.hasOneUse()) return nullptr;
  auto* const call = llvm::dyn_cast<llvm::CallInst>(body.user_back());
  if (call == nullptr || call->getCalledFunction() != &body) return nullptr;
  llvm::Function& kernel = *call->getFunction();
  if (kernel.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL || kernel.size() != 1 ||
      kernel.getFunctionType() != body.getFunctionType())
    return nullptr;
  for (const llvm::Instruction& instruction : kernel.getEntryBlock()) {
    if (llvm::isa<llvm::AllocaInst, llvm::LoadInst, llvm::StoreInst, llvm::ReturnInst>(instruction)) continue;
    if (&instruction != call) return nullptr;
  }
  return call;
}

/// The arguments of the kernel are those of the body, in the same order.
void join(llvm::Function& kernel, llvm::Function& body) {
  kernel.getEntryBlock().eraseFromParent();
  kernel.splice(kernel.end(), &body);
  for (unsigned i = 0; i < kernel.arg_size(); ++i) body.getArg(i)->replaceAllUsesWith(kernel.getArg(i));
  kernel.setSubprogram(body.getSubprogram());
  body.eraseFromParent();
}

}  // namespace

void join_kernel_bodies(llvm::Module& module) {
  for (llvm::Function& body : llvm::make_early_inc_range(module)) {
    if (!body.getName().starts_with(body_prefix) || body.isDeclaration()) continue;
    llvm::CallInst* const call = call_of_kernel(body);
    if (call != nullptr) join(*call->getFunction(), body);
  }
}

}  // namespace heddle::compiler
