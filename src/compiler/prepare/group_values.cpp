// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/prepare/group_values.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace heddle::compiler {

namespace {

constexpr unsigned group_space = 3;
constexpr unsigned constant_space = 4;

bool has_value(const llvm::GlobalVariable& variable) {
  return variable.getAddressSpace() == group_space && variable.hasInitializer() &&
         !llvm::isa<llvm::UndefValue>(variable.getInitializer());
}

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
         function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
}

/// Returns the functions that name a value, in constants, too, and those that call or name such a function.
llvm::DenseSet<llvm::Function*> functions_that_reach(llvm::Value& value) {
  llvm::DenseSet<llvm::Function*> found;
  llvm::DenseSet<llvm::Value*> seen;
  llvm::SmallVector<llvm::Value*, 8> work{&value};
  while (!work.empty()) {
    llvm::Value* const named = work.pop_back_val();
    if (!seen.insert(named).second) continue;
    for (llvm::User* user : named->users()) {
      if (auto* const instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        found.insert(instruction->getFunction());
        work.push_back(instruction->getFunction());
      } else {
        work.push_back(user);
      }
    }
  }
  return found;
}

/// Stores the value at the place of the builder.
void store_value(llvm::IRBuilder<>& builder, llvm::GlobalVariable& variable) {
  llvm::Module& module = *variable.getParent();
  const llvm::DataLayout& data = module.getDataLayout();
  llvm::Constant* const value = variable.getInitializer();
  const uint64_t size = data.getTypeAllocSize(variable.getValueType());
  const llvm::MaybeAlign align = variable.getAlign();
  if (value->isNullValue()) {
    builder.CreateMemSet(&variable, builder.getInt8(0), size, align);
    return;
  }
  auto* const copy = new llvm::GlobalVariable(
      module, variable.getValueType(), true, llvm::GlobalValue::InternalLinkage, value,
      variable.getName() + ".value", nullptr, llvm::GlobalValue::NotThreadLocal, constant_space);
  copy->setAlignment(align);
  builder.CreateMemCpy(&variable, align, copy, align, size);
}

void call_instruction(llvm::IRBuilder<>& builder, llvm::StringRef name) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const llvm::FunctionCallee callee = module.getOrInsertFunction(name, builder.getVoidTy());
  builder.CreateCall(callee)->addFnAttr(llvm::Attribute::Convergent);
}

void store_first(llvm::Function& kernel, llvm::ArrayRef<llvm::GlobalVariable*> variables) {
  llvm::Instruction* const first = &*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  llvm::IRBuilder<> builder(first);
  const llvm::FunctionCallee id =
      kernel.getParent()->getOrInsertFunction("__hsail_currentworkitemflatid_u32", builder.getInt32Ty());
  llvm::Value* const is_first = builder.CreateICmpEQ(builder.CreateCall(id), builder.getInt32(0));
  builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_first, first->getIterator(), false));
  for (llvm::GlobalVariable* variable : variables) store_value(builder, *variable);
  builder.SetInsertPoint(first);
  for (const char* instruction :
       {"__hsail_memfence_screl_wg", "__hsail_barrier", "__hsail_memfence_scacq_wg"})
    call_instruction(builder, instruction);
}

}  // namespace

void store_group_values(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalVariable*, 4> variables;
  for (llvm::GlobalVariable& variable : module.globals())
    if (has_value(variable)) variables.push_back(&variable);
  if (variables.empty()) return;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !is_kernel(function)) continue;
    llvm::SmallVector<llvm::GlobalVariable*, 4> used;
    for (llvm::GlobalVariable* variable : variables)
      if (functions_that_reach(*variable).contains(&function)) used.push_back(variable);
    if (!used.empty()) store_first(function, used);
  }
  for (llvm::GlobalVariable* variable : variables)
    variable->setInitializer(llvm::UndefValue::get(variable->getValueType()));
}

}  // namespace heddle::compiler
