// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of several lanes NVIDIA's assembler must not think lanes have met for before.
#include "finalizer/ptx/convergence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::finalizer::ptx {
namespace {

/// The names of the operations of a function that name their lanes in another way behind the pass. Operations are
/// called %a, %b and so on; lanes are %m and %n.
std::string hidden(const std::string& body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::string text = fmt::format(R"(
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
    declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
    declare i32 @elsewhere()
    define void @called() {{ ret void }}
    define void @f(i32 %m, i32 %n, i1 %p, ptr %q) {{
    {}
      ret void
    }})", body);
  const auto module = llvm::parseAssemblyString(text, error, context);
  if (!module) return error.getMessage().str();
  wait_for_lanes_after_calls(*module);
  if (llvm::verifyModule(*module, &llvm::errs())) return "the module is wrong";
  std::string names;
  for (const llvm::Instruction& instruction : llvm::instructions(*module->getFunction("f"))) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->arg_size() >= 2 && llvm::isa<llvm::BinaryOperator>(call->getArgOperand(0))) names += call->getName().str();
  }
  return names;
}

std::string vote(const char* name, const char* lanes = "%m") {
  return fmt::format("%{} = call i32 @llvm.nvvm.vote.ballot.sync(i32 {}, i1 %p)\n", name, lanes);
}
const std::string call = "call void @called()\n";

TEST(Convergence, IsNotTakenForGrantedBehindACall) {
  EXPECT_EQ(hidden(vote("a") + call + vote("b") + vote("c")), "b") << "for the first operation only";
  EXPECT_EQ(hidden(call + vote("a")), "a");
  EXPECT_EQ(hidden(vote("a") + call + vote("b") + call + vote("c")), "bc");
  EXPECT_EQ(hidden(vote("a") + "call void %q()\n" + vote("b")), "b") << "an indirect call";
}

TEST(Convergence, IsOfEachSetOfLanes) {
  EXPECT_EQ(hidden(vote("a") + vote("b", "%n") + call + vote("c") + vote("d", "%n") + vote("e")), "cd");
}

TEST(Convergence, IsOfAllOperations) {
  EXPECT_EQ(hidden(call + "%a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 1, i32 2, i32 31)\n"), "a");
  EXPECT_EQ(hidden(call + "%a = call i32 @llvm.nvvm.match.any.sync.i32(i32 %m, i32 1)\n"), "a");
  EXPECT_EQ(hidden(call + R"(%a = call i32 asm sideeffect "vote.sync.ballot.b32 $0, p, $1;", "=r,r,r"(i32 %m, i32 1))" + "\n"), "a");
}

TEST(Convergence, StaysWithoutCalls) {
  EXPECT_EQ(hidden(vote("a") + vote("b")), "");
  EXPECT_EQ(hidden(vote("a") + "%x = call i32 @elsewhere()\n" + vote("b")), "") << "which is an instruction";
  EXPECT_EQ(hidden(vote("a") + "call void asm sideeffect \"fence.sc.sys;\", \"\"()\n" + vote("b")), "");
}

std::string fork(const std::string& left, const std::string& right, const std::string& behind) {
  return "br i1 %p, label %left, label %right\nleft:\n" + left + "br label %meet\nright:\n" + right +
         "br label %meet\nmeet:\n" + behind;
}

TEST(Convergence, DependsOnAllWays) {
  EXPECT_EQ(hidden(fork(call, "", vote("a"))), "a");
  EXPECT_EQ(hidden(fork(call + vote("a"), "", vote("b"))), "a");
  EXPECT_EQ(hidden(fork(call + vote("a"), call, vote("b"))), "ab");
  EXPECT_EQ(hidden(call + fork(vote("a"), vote("b", "%n"), vote("c") + vote("d", "%n"))), "abcd");
}

TEST(Convergence, GoesRoundLoops) {
  const std::string loop = "br label %loop\nloop:\n" + vote("a") + call +
                           "br i1 %p, label %loop, label %done\ndone:\n" + vote("b");
  EXPECT_EQ(hidden(loop), "ab");
  const std::string without = "br label %loop\nloop:\n" + vote("a") + "br i1 %p, label %loop, label %done\ndone:\n" + vote("b");
  EXPECT_EQ(hidden(call + without), "a");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
