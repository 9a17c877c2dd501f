// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/masks.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Value;

constexpr const char* any_name = "hsail.any";

llvm::Function* declare_any(llvm::Module& module) {
  if (llvm::Function* known = module.getFunction(any_name)) return known;
  llvm::Type* i1 = llvm::Type::getInt1Ty(module.getContext());
  auto* any = llvm::Function::Create(llvm::FunctionType::get(i1, {i1}, false),
                                     llvm::Function::ExternalLinkage, any_name, module);
  any->setConvergent();
  any->setDoesNotAccessMemory();
  any->setDoesNotThrow();
  any->setWillReturn();
  return any;
}

/// Returns whether a value is one of several constants, with one comparison for each run of them.
Value* is_one_of(llvm::IRBuilderBase& ir, Value* value, llvm::SmallVectorImpl<llvm::APInt>& constants) {
  llvm::sort(constants, [](const llvm::APInt& a, const llvm::APInt& b) { return a.ult(b); });
  Value* found = nullptr;
  for (size_t begin = 0, end = 0; begin < constants.size(); begin = end) {
    end = begin + 1;
    while (end < constants.size() && constants[end] == constants[end - 1] + 1) ++end;
    Value* least = ir.getInt(constants[begin]);
    Value* in_run = end == begin + 1 ? ir.CreateICmpEQ(value, least)
                                     : ir.CreateICmpULE(ir.CreateSub(value, least),
                                                        ir.getInt(constants[end - 1] - constants[begin]));
    found = found ? ir.CreateOr(found, in_run) : in_run;
  }
  return found;
}

Value* switch_condition(llvm::IRBuilderBase& ir, llvm::SwitchInst& many, const llvm::BasicBlock& successor) {
  const bool is_default = many.getDefaultDest() == &successor;
  llvm::SmallVector<llvm::APInt, 8> constants;
  for (const auto& entry : many.cases())
    if ((entry.getCaseSuccessor() == &successor) != is_default)
      constants.push_back(entry.getCaseValue()->getValue());
  if (constants.empty()) return nullptr;
  Value* listed = is_one_of(ir, many.getCondition(), constants);
  return is_default ? ir.CreateNot(listed) : listed;
}

}  // namespace

llvm::CallInst* create_any(llvm::IRBuilderBase& ir, Value* mask) {
  return ir.CreateCall(declare_any(*ir.GetInsertBlock()->getModule()), {mask});
}

Value* tested_mask(const Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == any_name ? call->getArgOperand(0) : nullptr;
}

Value* edge_condition(llvm::IRBuilderBase& ir, llvm::Instruction& terminator,
                      const llvm::BasicBlock& successor) {
  if (auto* many = llvm::dyn_cast<llvm::SwitchInst>(&terminator))
    return switch_condition(ir, *many, successor);
  const auto& branch = llvm::cast<llvm::BranchInst>(terminator);
  if (branch.isUnconditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return nullptr;
  return branch.getSuccessor(0) == &successor ? branch.getCondition() : ir.CreateNot(branch.getCondition());
}

Value* create_restriction(llvm::IRBuilderBase& ir, Value* mask, Value* condition) {
  return llvm::SelectInst::Create(mask, condition, ir.getFalse(), "", ir.GetInsertPoint());
}

}  // namespace heddle::finalizer::spmd
