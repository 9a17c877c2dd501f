// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WAVESIZE in the IR that targets of every width get (PRM 2.6.2).
#include <gtest/gtest.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compile.h"
#include "machine_code.h"

namespace heddle::testing {
namespace {

/// Replaces calls of `name` by a constant and folds the instructions that become constant.
void substitute(llvm::Module& module, const char* name, uint64_t value) {
  if (llvm::Function* function = module.getFunction(name)) {
    while (!function->use_empty()) {
      auto* call = llvm::cast<llvm::CallInst>(function->user_back());
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), value));
      call->eraseFromParent();
    }
  }
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (llvm::Value* simple = llvm::simplifyInstruction(&instruction, module.getDataLayout()))
        instruction.replaceAllUsesWith(simple);
}

TEST(Wavesize, IsTrueAsB1AtAnyWidth) {
  for (const uint64_t width : {1, 2, 64, 256}) {
    llvm::LLVMContext context;
    const auto module = spmd_module(module_header + R"(
prog kernel &k(kernarg_u64 %out)
{
  activelanecount_u32_b1 $s0, WAVESIZE;
};
)",
                                    context);
    ASSERT_TRUE(module);
    substitute(*module, "hsail.wavesize", width);
    const llvm::Function* count = module->getFunction("hsail.activelanecount");
    ASSERT_TRUE(count && count->hasOneUse());
    const auto* call = llvm::cast<llvm::CallInst>(count->user_back());
    const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
    ASSERT_TRUE(condition) << "the condition is not constant";
    EXPECT_TRUE(condition->isOne()) << "width " << width;
  }
}

}  // namespace
}  // namespace heddle::testing
