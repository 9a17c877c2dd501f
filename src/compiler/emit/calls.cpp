// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions (PRM 10.2): an arg block for each, with variables for the arguments and the result.
#include <fmt/format.h>

#include "compiler/emit/argument_variables.h"
#include "compiler/emit/handlers.h"
#include "compiler/emit/memory.h"

namespace heddle::compiler {

namespace {

void line(Builder& builder, const std::string& text) { builder.append(text, {}, Instruction::Form::line); }

Address argument_place(FunctionEmitter& emitter, unsigned index) {
  return {Address::Segment::arg, false, emitter.context().text.keep(fmt::format("%actual{}.", index)),
          no_register, 0};
}

constexpr std::string_view actual_result = "%returned.";

// The names of the actual arguments in parentheses.
std::string actuals(const llvm::CallInst& call) {
  std::string text = call.getType()->isVoidTy() ? "()(" : fmt::format("({})(", actual_result);
  for (unsigned i = 0; i < call.arg_size(); ++i) text += fmt::format("{}%actual{}.", i == 0 ? "" : ", ", i);
  return text + ")";
}

void store_arguments(FunctionEmitter& emitter, const llvm::CallInst& call) {
  Builder& builder = emitter.builder();
  // Values first: what they need is no part of the arg block.
  std::vector<Parts> values;
  for (const llvm::Value* argument : call.args()) values.push_back(emitter.parts(*argument));
  line(builder, "{");
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    line(builder, argument_variable(call.getArgOperand(i)->getType(), "arg", fmt::format("%actual{}.", i),
                                    emitter.context()) +
                      ";");
  }
  if (!call.getType()->isVoidTy()) {
    line(builder, argument_variable(call.getType(), "arg", actual_result, emitter.context()) + ";");
  }
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Type* type = call.getArgOperand(i)->getType();
    store_value(builder, argument_place(emitter, i), values[i], emitter.layout(type), emitter.data(),
                {.align = emitter.data().getABITypeAlign(type)});
  }
}

void load_result(FunctionEmitter& emitter, const llvm::CallInst& call) {
  if (!call.getType()->isVoidTy()) {
    const Address place{Address::Segment::arg, false, llvm::StringRef(actual_result), no_register, 0};
    emitter.set(call, load_value(emitter.builder(), place, emitter.layout(call), emitter.data(),
                                 {.align = emitter.data().getABITypeAlign(call.getType())}));
  }
  line(emitter.builder(), "}");
}

// Returns what cannot be translated of a call of this function, which is null if the call is indirect; an
// empty text if nothing is in the way.
std::string obstacle(FunctionEmitter& emitter, const llvm::CallInst& call, const llvm::Function* target) {
  // A call with another type than the function has is indirect in effect.
  if (target != nullptr && target->getFunctionType() != call.getFunctionType()) {
    return fmt::format("a call of {} with other arguments than it has", target->getName().str());
  }
  if (target != nullptr && is_kernel(*target))
    return fmt::format("a call of the kernel {}", target->getName().str());
  const auto can_pass = [&](llvm::Type* type) {
    return type->isVoidTy() || can_be_passed(*type, emitter.layout(type), false);
  };
  if (!can_pass(call.getType()) || !llvm::all_of(call.getFunctionType()->params(), can_pass))
    return "a call with a structure of vectors whose elements share bytes";
  return {};
}

void emit_function_call(FunctionEmitter& emitter, const llvm::CallInst& call) {
  Builder& builder = emitter.builder();
  const auto* target = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (const std::string reason = obstacle(emitter, call, target); !reason.empty()) {
    emitter.unsupported(call, reason);
    return;
  }
  RegisterId address = no_register;
  if (target == nullptr) address = builder.in_register(emitter.scalar(*call.getCalledOperand()), Type::u64);
  store_arguments(emitter, call);
  if (target != nullptr) {
    builder.append(fmt::format("call {}{}", emitter.context().name(*target).str(), actuals(call)), {},
                   Instruction::Form::call);
  } else {
    const llvm::StringRef signature = emitter.context().signature(*call.getFunctionType());
    builder.append(fmt::format("icall_u64 %0{} {}", actuals(call), signature.str()),
                   {Operand::use(address, Type::u64)}, Instruction::Form::call);
  }
  load_result(emitter, call);
}

}  // namespace

void emit_call(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& call = llvm::cast<llvm::CallInst>(instruction);
  const llvm::Function* target = call.getCalledFunction();
  if (call.isInlineAsm()) {
    emitter.unsupported(call, "inline assembly");
  } else if (target != nullptr && target->isIntrinsic()) {
    emit_intrinsic(emitter, call);
  } else if (target != nullptr && is_sampler_function(*target)) {
    emit_sampler(emitter, call);
  } else if (target != nullptr && target->isDeclaration() && target->getName().starts_with(hsail_prefix)) {
    emit_hsail_call(emitter, call);
  } else if (call.getFunctionType()->isVarArg()) {
    emitter.unsupported(call, "a call with a variable number of arguments");
  } else {
    emit_function_call(emitter, call);
  }
}

}  // namespace heddle::compiler
