// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace heddle::finalizer::ptx {

/// Parses a module, changes it by `pass(module)` and returns the instructions of the first block of @f, a
/// line each, or says what is wrong with the module before or after that.
template <typename Pass>
std::string text_behind(const std::string& module_text, Pass pass) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(module_text, error, context);
  if (!module) return error.getMessage().str();
  pass(*module);
  if (llvm::verifyModule(*module, &llvm::errs())) return "the module is wrong";
  std::string result;
  llvm::raw_string_ostream out(result);
  for (const llvm::Instruction& instruction : module->getFunction("f")->getEntryBlock())
    out << instruction << '\n';
  return result;
}

}  // namespace heddle::finalizer::ptx
