// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's verifier runs in builds with assertions, and does not run in others.
#include "finalizer/verify.h"

#include <gtest/gtest.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compile.h"

namespace heddle::testing {
namespace {

TEST(Verify, RefusesABrokenModuleAndNamesTheStage) {
  llvm::LLVMContext context;
  llvm::Module module("broken", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "open_end", module);
  llvm::BasicBlock::Create(context, "entry", function);  // invalid, because a block needs a terminator
  const auto verdict = finalizer::verify(module, "a test");
  EXPECT_EQ(verdict.ok(), !finalizer::verifies_modules);
  if (verdict.ok()) return;
  EXPECT_NE(verdict.error().message.find("a test"), std::string::npos) << verdict.error().message;
  EXPECT_NE(verdict.error().message.find("terminator"), std::string::npos) << verdict.error().message;
}

/// A module is verified after lowering, after the target's changes, and after the optimiser.
TEST(Verify, SeesEachModuleAtThreeStages) {
  const std::string kernel = module_header + "prog kernel &k() { nop; };\n";
  for (const char* isa : compiled_isas) {
    for (const char* options : {"-O0", "-O2", "-O0 -g", "-O2 -g"}) {
      const uint64_t before = finalizer::verified_modules();
      ASSERT_TRUE(compile(kernel, isa, options));
      EXPECT_EQ(finalizer::verified_modules() - before, finalizer::verifies_modules ? 3u : 0u)
          << isa << " " << options;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
