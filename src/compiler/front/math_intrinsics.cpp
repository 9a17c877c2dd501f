// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/math_intrinsics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>
#include <vector>

namespace heddle::compiler {
namespace {

namespace ID = llvm::Intrinsic;

/// The function of OpenCL C that computes an intrinsic or instruction.
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

/// The remainder of a division, which is an instruction of the IR.
constexpr Row remainder_row{ID::not_intrinsic, "_Z4fmod"};

const Row* row_of(const llvm::Instruction& instruction) {
  if (instruction.getOpcode() == llvm::Instruction::FRem) return &remainder_row;
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr) return nullptr;
  for (const Row& row : rows)
    if (row.intrinsic == call->getIntrinsicID()) return &row;
  return nullptr;
}

std::vector<llvm::Value*> arguments_of(llvm::Instruction& instruction) {
  if (auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return {call->arg_begin(), call->arg_end()};
  return {instruction.op_begin(), instruction.op_end()};
}

/// The letters of a type in mangled names; "" if no function of OpenCL C takes it.
std::string_view letters(const llvm::Type* type) {
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  if (type->isHalfTy()) return "Dh";
  return type->isIntegerTy(32) ? "i" : "";
}

/// The name of the function for arguments of these types, which are vectors or scalars; "" if there is none.
std::string function_name(const Row& row, const std::vector<llvm::Value*>& arguments) {
  std::string name = row.mangled;
  for (const llvm::Value* argument : arguments) {
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
llvm::Value* call_for_elements(llvm::IRBuilder<>& builder, llvm::Type* result_type,
                               const std::vector<llvm::Value*>& all, llvm::FunctionCallee function) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(result_type);
  if (vector == nullptr) return builder.CreateCall(function, all);
  llvm::Value* result = llvm::PoisonValue::get(result_type);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    std::vector<llvm::Value*> arguments;
    arguments.reserve(all.size());
    for (llvm::Value* argument : all)
      arguments.push_back(argument->getType()->isVectorTy() ? builder.CreateExtractElement(argument, i)
                                                            : argument);
    result = builder.CreateInsertElement(result, builder.CreateCall(function, arguments), i);
  }
  return result;
}

/// Makes a remainder of bfloat one of float, which is exact as every remainder is.
llvm::Value* widened_remainder(llvm::IRBuilder<>& builder, llvm::Instruction& remainder) {
  llvm::Type* const type = remainder.getType()->getWithNewType(builder.getFloatTy());
  llvm::Value* const a = builder.CreateFPExt(remainder.getOperand(0), type);
  llvm::Value* const b = builder.CreateFPExt(remainder.getOperand(1), type);
  return builder.CreateFPTrunc(builder.CreateFRem(a, b), remainder.getType());
}

void replace(llvm::Instruction& instruction, const Row& row) {
  const bool instruction_will_do = row.has_instruction && instruction.hasApproxFunc() &&
                                   instruction.getType()->getScalarType()->isFloatTy();
  const std::vector<llvm::Value*> arguments = arguments_of(instruction);
  const std::string name = function_name(row, arguments);
  if (instruction_will_do || name.empty()) return;  // what HSAIL cannot say is reported when it is translated
  std::vector<llvm::Type*> types;
  types.reserve(arguments.size());
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType()->getScalarType());
  auto* const type = llvm::FunctionType::get(instruction.getType()->getScalarType(), types, false);
  const llvm::FunctionCallee function = declare(*instruction.getModule(), name, type);
  llvm::IRBuilder<> builder(&instruction);
  instruction.replaceAllUsesWith(call_for_elements(builder, instruction.getType(), arguments, function));
  instruction.eraseFromParent();
}

template <typename Visit>
void for_instructions(llvm::Module& module, const Visit& visit) {
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) visit(instruction);
}

}  // namespace

void replace_math_intrinsics(llvm::Module& module) {
  for_instructions(module, [](llvm::Instruction& instruction) {
    if (instruction.getOpcode() != llvm::Instruction::FRem ||
        !instruction.getType()->getScalarType()->isBFloatTy())
      return;
    llvm::IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(widened_remainder(builder, instruction));
    instruction.eraseFromParent();
  });
  std::vector<std::pair<llvm::Instruction*, const Row*>> found;
  for_instructions(module, [&](llvm::Instruction& instruction) {
    if (const Row* const row = row_of(instruction)) found.emplace_back(&instruction, row);
  });
  for (const auto& [instruction, row] : found) replace(*instruction, *row);
}

}  // namespace heddle::compiler
