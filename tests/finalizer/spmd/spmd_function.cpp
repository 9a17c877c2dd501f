// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmd_function.h"

#include <stdexcept>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/ValueSymbolTable.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/lower/target_operations.h"

namespace heddle::testing {
namespace {

/// Declares the target operations that the text names and does not declare itself.
std::string declarations(llvm::LLVMContext& context, const std::string& text) {
  llvm::Module module("", context);
  std::string all;
  llvm::raw_string_ostream out(all);
  for (size_t i = 0; i < finalizer::target_operation_count; ++i) {
    const auto* function = finalizer::declare(module, static_cast<finalizer::TargetOperation>(i));
    const std::string name = function->getName().str();
    if (text.find("@" + name + "(") == std::string::npos) continue;
    out << "declare " << *function->getReturnType() << " @" << name << "(";
    for (const llvm::Argument& argument : function->args())
      out << (argument.getArgNo() ? ", " : "") << *argument.getType();
    out << ") " << function->getAttributes().getFnAttrs().getAsString() << "\n";
  }
  return all;
}

}  // namespace

SpmdModule::SpmdModule(const std::string& text) {
  const std::string layout = "target datalayout = \"e-m:e-p:64:64-i64:64-i128:128-n8:16:32:64-S128\"\n";
  llvm::SMDiagnostic error;
  module_ = llvm::parseAssemblyString(layout + declarations(context_, text) + text, error, context_);
  std::string why;
  llvm::raw_string_ostream out(why);
  if (!module_) error.print("", out);
  if (!module_ || llvm::verifyModule(*module_, &out)) throw std::runtime_error(why);
}

llvm::Function& SpmdModule::function(const std::string& name) {
  llvm::Function* found = module_->getFunction(name);
  if (!found) throw std::runtime_error("no function " + name);
  return *found;
}

llvm::Value& SpmdModule::value(const std::string& name) {
  llvm::Value* found = function().getValueSymbolTable()->lookup(name);
  if (!found) throw std::runtime_error("no value " + name);
  return *found;
}

llvm::BasicBlock& SpmdModule::block(const std::string& name) {
  return llvm::cast<llvm::BasicBlock>(value(name));
}

}  // namespace heddle::testing
