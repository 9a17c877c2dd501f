// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops are replaced by their iterations.
#include "finalizer/spmd/unroll.h"

#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "spmd_function.h"

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;

/// A function `void f(ptr context, i32 n, ptr p)` after its small loops have been unrolled.
struct Unrolled {
  explicit Unrolled(const std::string& body)
      : module("declare void @meet() convergent\ndefine void @f(ptr %context, i32 %n, ptr %p) {\nentry:\n" +
               body + "}\n"),
        changed(unroll_small_loops(module.function())) {
    llvm::raw_string_ostream out(wrong);
    if (!llvm::verifyFunction(module.function(), &out)) wrong.clear();
    const llvm::DominatorTree dominators(module.function());
    const llvm::LoopInfo left(dominators);
    loops = left.getLoopsInPreorder().size();
    for (const llvm::BasicBlock& block : module.function())
      for (const llvm::Instruction& instruction : block) stores += llvm::isa<llvm::StoreInst>(instruction);
  }

  SpmdModule module;
  bool changed;
  std::string wrong;
  size_t loops = 0, stores = 0;
};

/// A loop that stores its counter, which goes from 0 up to a limit, with something else before the store.
std::string loop(const std::string& name, const std::string& before, const std::string& limit,
                 const std::string& content = "", const std::string& end = "") {
  const std::string header = content.empty() ? name : name + ".inner.end";
  return name + ":\n  %" + name + ".k = phi i32 [0, %" + before + "], [%" + name + ".next, %" + header +
         "]\n" + content + end + "  store volatile i32 %" + name + ".k, ptr %p\n  %" + name +
         ".next = add i32 %" + name + ".k, 1\n  %" + name + ".more = icmp ult i32 %" + name + ".next, " +
         limit + "\n  br i1 %" + name + ".more, label %" + name + ", label %" + name + ".end\n" + name +
         ".end:\n";
}

std::string whole(const std::string& loops) { return "  br label %a\n" + loops + "  ret void\n"; }

TEST(Unroll, SmallLoops) {
  const Unrolled f(whole(loop("a", "entry", "5")));
  EXPECT_EQ(f.wrong, "");
  EXPECT_TRUE(f.changed);
  EXPECT_EQ(f.loops, 0u);
  EXPECT_EQ(f.stores, 5u);
}

TEST(Unroll, LoopsAroundThem) {
  const std::string nested = loop("a", "entry", "3", "  br label %b\n" + loop("b", "a", "4"),
                                  "  br label %a.inner.end\na.inner.end:\n");
  const Unrolled f(whole(nested));
  EXPECT_EQ(f.wrong, "");
  EXPECT_EQ(f.loops, 0u);
  EXPECT_EQ(f.stores, 3u * 5);
}

/// What the inner loop computes is used behind the outer one, which stays.
TEST(Unroll, LoopsWhoseResultsAreUsedBehindThoseAround) {
  const Unrolled f(R"(
  br label %outer
outer:
  %y = phi i32 [0, %entry], [%y.next, %outer.end]
  %total = phi i32 [0, %entry], [%sum.next, %outer.end]
  br label %inner
inner:
  %x = phi i32 [0, %outer], [%x.next, %inner]
  %sum = phi i32 [%total, %outer], [%sum.next, %inner]
  %sum.next = add i32 %sum, %x
  %x.next = add i32 %x, 1
  %more = icmp ult i32 %x.next, 3
  br i1 %more, label %inner, label %outer.end
outer.end:
  %y.next = add i32 %y, 1
  %again = icmp ult i32 %y.next, %n
  br i1 %again, label %outer, label %end
end:
  store i32 %sum.next, ptr %p
  ret void
)");
  EXPECT_EQ(f.wrong, "");
  EXPECT_TRUE(f.changed);
  EXPECT_EQ(f.loops, 1u);
  EXPECT_EQ(f.stores, 1u);
}

TEST(Unroll, NotManyIterations) {
  for (const char* limit : {"17", "1000", "%n"}) {
    const Unrolled f(whole(loop("a", "entry", limit)));
    EXPECT_FALSE(f.changed) << limit;
    EXPECT_EQ(f.loops, 1u) << limit;
    EXPECT_EQ(f.stores, 1u) << limit;
  }
}

TEST(Unroll, NotManyInstructions) {
  std::string much;
  for (unsigned i = 0; i < 64; ++i) much += "  store volatile i32 1, ptr %p\n";
  EXPECT_FALSE(Unrolled(whole(loop("a", "entry", "8", "", much))).changed);
  EXPECT_TRUE(Unrolled(whole(loop("a", "entry", "4", "", much))).changed);
}

/// Code in which work-items meet is large.
TEST(Unroll, NotWhereWorkItemsMeet) {
  EXPECT_FALSE(Unrolled(whole(loop("a", "entry", "4", "", "  call void @meet() convergent\n"))).changed);
}

/// Work-items that leave the loop early would meet the others elsewhere.
TEST(Unroll, NotWithSeveralExits) {
  const Unrolled f(
      "  br label %a\na:\n  %k = phi i32 [0, %entry], [%next, %b]\n  %c = icmp eq i32 %k, %n\n"
      "  br i1 %c, label %end, label %b\nb:\n  %next = add i32 %k, 1\n  %more = icmp ult i32 %next, 4\n"
      "  br i1 %more, label %a, label %end\nend:\n  ret void\n");
  EXPECT_FALSE(f.changed);
}

/// LLVM would split such a loop into two.
TEST(Unroll, NotWithSeveralLatches) {
  const Unrolled f(
      "  br label %a\na:\n  %k = phi i32 [0, %entry], [%next, %b], [%next, %c]\n  %next = add i32 %k, 1\n"
      "  %t = icmp eq i32 %k, %n\n  %more = icmp ult i32 %next, 4\n  br i1 %more, label %s, label %end\n"
      "s:\n  br i1 %t, label %b, label %c\nb:\n  br label %a\nc:\n  br label %a\nend:\n  ret void\n");
  EXPECT_FALSE(f.changed);
  EXPECT_EQ(f.loops, 1u);
}

}  // namespace
}  // namespace heddle::testing
