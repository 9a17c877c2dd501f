// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of SPMD IR for tests.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace heddle::testing {

/// A module from LLVM's assembly language. Target operations are declared for it.
class SpmdModule {
 public:
  /// Throws if the text is not a valid module.
  explicit SpmdModule(const std::string& text);

  llvm::Module& module() { return *module_; }
  llvm::Function& function(const std::string& name = "f");
  /// Returns the instruction, argument or block of function `f` with this name.
  llvm::Value& value(const std::string& name);
  llvm::BasicBlock& block(const std::string& name);

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace heddle::testing
