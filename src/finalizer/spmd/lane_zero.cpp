// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/lane_zero.h"

namespace heddle::finalizer::spmd {

using llvm::Value;

constexpr llvm::StringLiteral prefix = "hsail.lane0.";

llvm::CallInst* create_value_of_lane_0(llvm::IRBuilderBase& ir, Value* value) {
  llvm::Type* type = value->getType();
  assert(type->isIntegerTy());
  const std::string name = (prefix + "i" + llvm::Twine(type->getIntegerBitWidth())).str();
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  llvm::Function* function = module.getFunction(name);
  if (!function) {
    function = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false),
                                      llvm::Function::ExternalLinkage, name, module);
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setSpeculatable();
  }
  return ir.CreateCall(function, {value});
}

Value* value_of_lane_0(const Value& call) {
  const auto* made = llvm::dyn_cast<llvm::CallInst>(&call);
  const llvm::Function* callee = made ? made->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(prefix) ? made->getArgOperand(0) : nullptr;
}

}  // namespace heddle::finalizer::spmd
