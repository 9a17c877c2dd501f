// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/debug_info.h"

#include <cassert>

#include "finalizer/debug/function_debug.h"
#include "finalizer/debug/program_debug.h"

namespace heddle::finalizer {

DebugInfo::DebugInfo(const link::Program& program, llvm::Module& module, bool variables,
                     Diagnostics& diagnostics)
    : program_(std::make_unique<ProgramDebug>(program, module, variables, diagnostics)) {}

DebugInfo::~DebugInfo() = default;

void DebugInfo::describe(llvm::Function& function, link::Reference executable) {
  program_->describe(function, executable);
}

void DebugInfo::begin_function(DebuggedFunction& function) {
  assert(!function_ && "functions are lowered one after the other");
  function_ = std::make_unique<FunctionDebug>(*program_, function);
}

void DebugInfo::end_prologue() {
  if (program_->has_variables()) function_->declare_variables();
}

void DebugInfo::declare_register(llvm::AllocaInst* storage, brig::Register reg) {
  if (program_->has_variables()) function_->declare_register(storage, reg);
}

void DebugInfo::reach(brig::Offset entry) { function_->reach(entry); }

void DebugInfo::end_function() { function_.reset(); }

std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> DebugInfo::describe_module_variables() {
  return program_->describe_module_variables();
}

void DebugInfo::finish() { program_->finish(); }

}  // namespace heddle::finalizer
