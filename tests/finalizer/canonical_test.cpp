// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/canonical.h"

#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace heddle::finalizer {
namespace {

/// How many calls of llvm.canonicalize the module has after mark_canonical(), and after settle_canonical().
struct Counts {
  size_t marked = 0, settled = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.marked << ", then " << counts.settled;
}

size_t count(const llvm::Module& module) {
  size_t found = 0;
  for (const llvm::Function& function : module)
    if (function.getIntrinsicID() == llvm::Intrinsic::canonicalize) found += function.getNumUses();
  return found;
}

Counts counts_in(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module) return {};
  Counts counts;
  mark_canonical(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  counts.marked = count(*module);
  settle_canonical(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  counts.settled = count(*module);
  return counts;
}

std::string storing(const std::string& operation) {
  return "define void @f(float %x, float %y, ptr %to) {\n  %r = " + operation +
         "\n  store float %r, ptr %to\n  ret void\n}\n"
         "declare float @llvm.sqrt.f32(float)\n";
}

TEST(Canonical, ResultsThatMemoryGetsAreMarkedUntilItIsSureThatTheyAreComputed) {
  EXPECT_EQ(counts_in(storing("fadd float %x, %y")), (Counts{1, 0}));
  EXPECT_EQ(counts_in(storing("call float @llvm.sqrt.f32(float %x)")), (Counts{1, 0}));
  for (const char* identity : {"fmul float %x, 1.0", "fmul float -1.0, %x", "fadd float %x, -0.0",
                               "fsub float %x, 0.0", "fdiv float %x, 1.0"})
    EXPECT_EQ(counts_in(storing(identity)), (Counts{1, 1})) << identity;
}

TEST(Canonical, WhatOnlyPassesOnIsNotMarked) {
  for (const char* move : {"fneg float %x", "select i1 true, float %x, float %y", "freeze float %x"})
    EXPECT_EQ(counts_in(storing(move)), (Counts{0, 0})) << move;
}

TEST(Canonical, OperationsNeedNoMarkOfTheirOperands) {
  EXPECT_EQ(counts_in(R"(define i1 @f(float %x) {
  %product = fmul float %x, 1.0
  %sum = fadd float %product, %product
  %less = fcmp olt float %sum, 2.0
  ret i1 %less
})"),
            (Counts{0, 0}));
}

/// Several edges of a switch lead to one block, whose phis must then have the same value for each.
TEST(Canonical, EdgesOfASwitchBringOneValue) {
  EXPECT_EQ(counts_in(R"(define void @f(float %x, i32 %n, i1 %early, ptr %to) {
entry:
  br i1 %early, label %store, label %choose
choose:
  %product = fmul float %x, 1.0
  %bits = bitcast float %product to i32
  switch i32 %n, label %store [ i32 0, label %store
                                i32 1, label %store
                                i32 2, label %other ]
other:
  br label %store
store:
  %a = phi i32 [ 7, %entry ], [ %bits, %choose ], [ %bits, %choose ], [ %bits, %choose ], [ 3, %other ]
  %b = phi i32 [ 3, %entry ], [ %bits, %choose ], [ %bits, %choose ], [ %bits, %choose ], [ %bits, %other ]
  store volatile i32 %a, ptr %to
  store volatile i32 %b, ptr %to
  ret void
})"),
            (Counts{2, 2}));
}

}  // namespace
}  // namespace heddle::finalizer
