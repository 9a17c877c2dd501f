// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/math_intrinsics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>
#include <vector>

namespace heddle::compiler {
namespace {

namespace ID = llvm::Intrinsic;

/// The function of OpenCL C that computes an intrinsic.
struct Row {
  ID::ID intrinsic;
  const char* mangled;           // the mangled name without the types of the arguments
  bool has_instruction = false;  // HSAIL has an inexact instruction for f32 (PRM 5.14)
};

constexpr Row rows[] = {
    {ID::acos, "_Z4acos"},   {ID::asin, "_Z4asin"},     {ID::atan, "_Z4atan"},
    {ID::atan2, "_Z5atan2"}, {ID::cos, "_Z3cos", true}, {ID::cosh, "_Z4cosh"},
    {ID::exp, "_Z3exp"},     {ID::exp10, "_Z5exp10"},   {ID::exp2, "_Z4exp2", true},
    {ID::log, "_Z3log"},     {ID::log10, "_Z5log10"},   {ID::log2, "_Z4log2", true},
    {ID::pow, "_Z3pow"},     {ID::powi, "_Z4pown"},     {ID::sin, "_Z3sin", true},
    {ID::sinh, "_Z4sinh"},   {ID::tan, "_Z3tan"},       {ID::tanh, "_Z4tanh"},
};

const Row* row_of(const llvm::IntrinsicInst& call) {
  for (const Row& row : rows)
    if (row.intrinsic == call.getIntrinsicID()) return &row;
  return nullptr;
}

/// The letters of a type in mangled names; "" if no function of OpenCL C takes it.
std::string_view letters(const llvm::Type* type) {
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  if (type->isHalfTy()) return "Dh";
  return type->isIntegerTy(32) ? "i" : "";
}

/// The name of the function for arguments of these types, which are vectors or scalars; "" if there is none.
std::string function_name(const Row& row, const llvm::IntrinsicInst& call) {
  std::string name = row.mangled;
  for (const llvm::Value* argument : call.args()) {
    const std::string_view type = letters(argument->getType()->getScalarType());
    if (type.empty()) return {};
    name += type;
  }
  return name;
}

llvm::FunctionCallee declare(llvm::Module& module, const std::string& name, llvm::FunctionType* type) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  if (auto* const function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
      function != nullptr && function->isDeclaration()) {
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);  // libraries define it, not other modules
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
  }
  return callee;
}

/// Calls the function for each element of the vectors; a number that is the same for all elements stays one.
llvm::Value* call_for_elements(llvm::IRBuilder<>& builder, const llvm::IntrinsicInst& call,
                               llvm::FunctionCallee function) {
  const auto arguments_of = [&](const unsigned* element) {
    std::vector<llvm::Value*> arguments;
    for (llvm::Value* argument : call.args())
      arguments.push_back(element != nullptr && argument->getType()->isVectorTy()
                              ? builder.CreateExtractElement(argument, *element)
                              : argument);
    return arguments;
  };
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
  if (vector == nullptr) return builder.CreateCall(function, arguments_of(nullptr));
  llvm::Value* result = llvm::PoisonValue::get(call.getType());
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    result = builder.CreateInsertElement(result, builder.CreateCall(function, arguments_of(&i)), i);
  return result;
}

void replace(llvm::IntrinsicInst& call, const Row& row) {
  const bool instruction_will_do =
      row.has_instruction && call.hasApproxFunc() && call.getType()->getScalarType()->isFloatTy();
  const std::string name = function_name(row, call);
  if (instruction_will_do || name.empty()) return;  // what HSAIL cannot say is reported when it is translated
  std::vector<llvm::Type*> types;
  for (const llvm::Value* argument : call.args()) types.push_back(argument->getType()->getScalarType());
  auto* const type = llvm::FunctionType::get(call.getType()->getScalarType(), types, false);
  const llvm::FunctionCallee function = declare(*call.getModule(), name, type);
  llvm::IRBuilder<> builder(&call);
  call.replaceAllUsesWith(call_for_elements(builder, call, function));
  call.eraseFromParent();
}

}  // namespace

void replace_math_intrinsics(llvm::Module& module) {
  std::vector<std::pair<llvm::IntrinsicInst*, const Row*>> found;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
          if (const Row* const row = row_of(*call)) found.emplace_back(call, row);
  for (const auto& [call, row] : found) replace(*call, *row);
}

}  // namespace heddle::compiler
