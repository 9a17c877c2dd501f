// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behind which calls the lanes meet that made them together.
#include "finalizer/ptx/convergence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer::ptx {
namespace {

/// What a function consists of behind the pass: "c" for a call, "a" for a look at which lanes are active, "b"
/// for a barrier of those lanes, and "r" for the return.
std::string events(const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::string text = fmt::format(R"(
    declare i32 @elsewhere()
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    define i32 @called() {{ ret i32 0 }}
    define void @never() noreturn {{ unreachable }}
    define void @f(i1 %p, ptr %q) {{
    {}
      ret void
    }})",
                                       body);
  const auto module = llvm::parseAssemblyString(text, error, context);
  if (!module) return error.getMessage().str();
  meet_behind_calls(*module);
  if (llvm::verifyModule(*module, &llvm::errs())) return "the module is wrong";
  std::string found;
  const llvm::Value* active = nullptr;
  for (const llvm::Instruction& instruction : llvm::instructions(*module->getFunction("f"))) {
    if (llvm::isa<llvm::ReturnInst>(instruction)) found += 'r';
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_activemask) {
      active = call;
      found += 'a';
    } else if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_bar_warp_sync) {
      const auto* lanes = llvm::dyn_cast<llvm::BinaryOperator>(call->getArgOperand(0));
      found += lanes && lanes->getOperand(0) == active ? 'b' : '?';
    } else if (!call->getCalledFunction() || !call->getCalledFunction()->isIntrinsic()) {
      found += 'c';
    }
  }
  return found;
}

TEST(Convergence, ComesBehindCalls) {
  EXPECT_EQ(events("call i32 @called()"), "acbr");
  EXPECT_EQ(events("call i32 @called()\n call i32 @called()"), "acbacbr");
  EXPECT_EQ(events("call void %q()"), "acbr") << "an indirect call";
}

TEST(Convergence, ComesBeforeTheResultIsUsed) {
  EXPECT_EQ(events("%x = call i32 @called()\n br i1 %p, label %a, label %b\na:\n store i32 %x, ptr %q\n br "
                   "label %b\nb:"),
            "acbr");
}

TEST(Convergence, IsNotNeededElsewhere) {
  EXPECT_EQ(events("call i32 @elsewhere()"), "cr") << "which is no function of PTX";
  EXPECT_EQ(events("call i32 @llvm.nvvm.vote.ballot.sync(i32 1, i1 %p)"), "r");
  EXPECT_EQ(events("call void asm sideeffect \"fence.sc.sys;\", \"\"()"), "cr");
  EXPECT_EQ(events("br i1 %p, label %a, label %b\na:\n call void @never()\n unreachable\nb:"), "cr");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
