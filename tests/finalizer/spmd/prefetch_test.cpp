// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loads of a loop are prefetched.
#include "finalizer/spmd/prefetch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>

#include "spmd_function.h"

namespace heddle::testing {
namespace {

/// A loop that loads 8 elements from an index and adds `step` to it. %x and `step` are computed by `before`.
std::string loop(const std::string& before, const std::string& step, const std::string& index = "%i") {
  return fmt::format(R"(
    define void @f(ptr %p, i32 %n, ptr %out) {{
    entry:
      %x = call i32 @hsail.gridsize(i32 0)
      {}
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %left = sub i32 %n, %i
      %i.less = udiv i32 %x, %left
      %wide = zext i32 {} to i64
      %address = getelementptr float, ptr %p, i64 %wide
      %loaded = load <8 x float>, ptr %address
      store <8 x float> %loaded, ptr %out
      %next = add i32 %i, {}
      %again = icmp ult i32 %next, %n
      br i1 %again, label %loop, label %done
    done:
      ret void
    }})",
                     before, index, step);
}

/// Returns how many prefetches a function has after the pass.
unsigned prefetches(const std::string& text) {
  SpmdModule module(text);
  finalizer::spmd::prefetch_grid_strides(module.function());
  EXPECT_FALSE(llvm::verifyFunction(module.function(), &llvm::errs()));
  unsigned count = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(module.function())) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::prefetch) ++count;
  }
  return count;
}

TEST(Prefetch, WhatSizesOfTheGridLeadTo) {
  EXPECT_EQ(prefetches(loop("", "%x")), 1u);
  EXPECT_EQ(prefetches(loop("%four = shl i32 %x, 2", "%four")), 1u);
}

/// The divisor of an iteration that does not exist may be 0.
TEST(Prefetch, NothingThatDivisionsLeadTo) { EXPECT_EQ(prefetches(loop("", "%x", "%i.less")), 0u); }

TEST(Prefetch, NothingThatOtherStepsLeadTo) {
  EXPECT_EQ(prefetches(loop("", "8")), 0u);
  EXPECT_EQ(prefetches(loop("", "%n")), 0u);
}

TEST(Prefetch, NothingThatStaysTheSame) { EXPECT_EQ(prefetches(loop("", "%x", "%x")), 0u); }

/// The prefetched address is that of a later iteration.
TEST(Prefetch, Ahead) {
  SpmdModule module(loop("", "%x"));
  finalizer::spmd::prefetch_grid_strides(module.function());
  auto& loaded = llvm::cast<llvm::Instruction>(module.value("loaded"));
  auto* prefetch = llvm::cast<llvm::IntrinsicInst>(loaded.getPrevNode());
  auto* address = llvm::cast<llvm::GetElementPtrInst>(prefetch->getArgOperand(0));
  EXPECT_EQ(address->getPointerOperand(), &module.value("p"));
  auto* wide = llvm::cast<llvm::ZExtInst>(address->getOperand(1));
  auto* later = llvm::cast<llvm::BinaryOperator>(wide->getOperand(0));
  EXPECT_EQ(later->getOperand(0), &module.value("i"));
  auto* ahead = llvm::cast<llvm::BinaryOperator>(later->getOperand(1));
  EXPECT_EQ(ahead->getOperand(0), &module.value("x"));
  EXPECT_GT(llvm::cast<llvm::ConstantInt>(ahead->getOperand(1))->getZExtValue(), 1u);
}

}  // namespace
}  // namespace heddle::testing
