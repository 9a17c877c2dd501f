// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/vector_pressure.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace heddle::finalizer::x86 {
namespace {

unsigned pressure(const char* text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module ? vector_pressure(*module->getFunction("f"), 256) : 0;
}

TEST(VectorPressure, CountsWhatIsLiveAtTheSameTime) {
  EXPECT_EQ(pressure(R"(
    define void @f(ptr %p) {
      %a = load <8 x float>, ptr %p
      %b = load <8 x float>, ptr %p
      %c = load <8 x float>, ptr %p
      %ab = fadd <8 x float> %a, %b
      %abc = fadd <8 x float> %ab, %c
      store <8 x float> %abc, ptr %p
      ret void
    })"),
            3u);
}

TEST(VectorPressure, WeighsLongVectorsAndMasksByTheirRegisters) {
  EXPECT_EQ(pressure(R"(
    define void @f(ptr %p) {
      %a = load <8 x i64>, ptr %p
      %pointers = inttoptr <8 x i64> %a to <8 x ptr>
      %m = icmp eq <8 x i64> %a, zeroinitializer
      call void @use(<8 x ptr> %pointers, <8 x i1> %m)
      ret void
    }
    declare void @use(<8 x ptr>, <8 x i1>))"),
            4u);
}

/// What the loop does not change is live in all of it, and scalars are not counted.
TEST(VectorPressure, FollowsValuesThroughLoops) {
  EXPECT_EQ(pressure(R"(
    define void @f(ptr %p, i32 %n) {
    entry:
      %unchanged = load <8 x float>, ptr %p
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
      %part = load <8 x float>, ptr %p
      %product = fmul <8 x float> %part, %unchanged
      %more = fadd <8 x float> %sum, %product
      %next = add i32 %i, 1
      %again = icmp ult i32 %next, %n
      br i1 %again, label %loop, label %done
    done:
      store <8 x float> %more, ptr %p
      ret void
    })"),
            3u);
}

}  // namespace
}  // namespace heddle::finalizer::x86
