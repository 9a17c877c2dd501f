// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops are to be unrolled, and how often.
#include "finalizer/ptx/unroll_hints.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "function_analyses.h"
#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

/// Returns a word for each loop of @f behind the pass, the outer ones first: how often it is to be unrolled,
/// "never", or "-" if nothing is said.
template <typename Pass>
std::string counts_behind(Pass pass, const std::string& function) {
  FunctionAnalyses all;
  llvm::FunctionAnalysisManager& functions = all.get();
  std::string counts;
  const std::string text = "declare void @called()\n" + function;
  const std::string first = text_behind(text, [&](llvm::Module& module) {
    llvm::Function& changed = *module.getFunction("f");
    pass.run(changed, functions);
    for (llvm::Loop* loop : functions.getResult<llvm::LoopAnalysis>(changed).getLoopsInPreorder()) {
      const auto count = llvm::getOptionalIntLoopAttribute(loop, "llvm.loop.unroll.count");
      const bool never = llvm::findStringMetadataForLoop(loop, "llvm.loop.unroll.disable").has_value();
      counts += (counts.empty() ? "" : " ") + (count ? std::to_string(*count) : never ? "never" : "-");
    }
  });
  return counts.empty() ? first : counts;  // what is wrong with the module
}

constexpr const char* left_alone = ", !llvm.loop !1";

/// A loop over `trips` words with this body, in which %word is what it has loaded.
std::string loop(const std::string& trips, const std::string& body = "", const char* metadata = "",
                 const char* next = "add nuw nsw i32 %i, 1") {
  return fmt::format(R"(
    define void @f(ptr %p, ptr noalias %q, i32 %n, i32 %step) {{
    entry:
      br label %next
    next:
      %i = phi i32 [ 0, %entry ], [ %i1, %next ]
      %at = getelementptr i32, ptr %p, i32 %i
      %word = load i32, ptr %at
      {}
      store i32 %word, ptr %q
      %i1 = {}
      %again = icmp ult i32 %i1, {}
      br i1 %again, label %next, label %done {}
    done:
      ret void
    }}
    !1 = distinct !{{!1, !2}}
    !2 = !{{!"llvm.loop.unroll.disable"}}
    )",
                     body, next, trips, metadata);
}

const std::string gathering = "%a = getelementptr i32, ptr %p, i32 %word\n%b = load i32, ptr %a\n";

std::string hints(const std::string& function) { return counts_behind(UnrollHints(), function); }
std::string freed(const std::string& function) { return counts_behind(FreeGathers(), function); }

TEST(UnrollHints, AreForLoopsWithLoads) {
  EXPECT_EQ(hints(loop("%n")), "8");
  EXPECT_EQ(hints(loop("%n", gathering)), "4");
}

TEST(UnrollHints, AreNotForLoopsThatHaveOthers) { EXPECT_EQ(hints(loop("%n", "", left_alone)), "never"); }

TEST(UnrollHints, AreNotForCallsAndAtomicOperations) {
  EXPECT_EQ(hints(loop("%n", "call void @called()")), "-");
  EXPECT_EQ(hints(loop("%n", "%b = atomicrmw add ptr %p, i32 1 monotonic")), "-");
}

TEST(UnrollHints, AreNotForLoopsWithoutLoads) {
  EXPECT_EQ(hints(R"(
    define void @f(ptr %p, i32 %n) {
    entry:
      br label %next
    next:
      %i = phi i32 [ 0, %entry ], [ %i1, %next ]
      %at = getelementptr i32, ptr %p, i32 %i
      store i32 %i, ptr %at
      %i1 = add nuw nsw i32 %i, 1
      %again = icmp ult i32 %i1, %n
      br i1 %again, label %next, label %done
    done:
      ret void
    })"),
            "-");
}

TEST(UnrollHints, AreForInnerLoops) {
  EXPECT_EQ(hints(R"(
    define void @f(ptr %p, ptr %q, i32 %n) {
    entry:
      br label %tile
    tile:
      %t = phi i32 [ 0, %entry ], [ %t1, %tile_end ]
      br label %next
    next:
      %i = phi i32 [ 0, %tile ], [ %i1, %next ]
      %at = getelementptr i32, ptr %p, i32 %i
      %word = load i32, ptr %at
      store i32 %word, ptr %q
      %i1 = add nuw nsw i32 %i, 1
      %again = icmp ult i32 %i1, 16
      br i1 %again, label %next, label %tile_end
    tile_end:
      %t1 = add nuw nsw i32 %t, 1
      %more = icmp ult i32 %t1, %n
      br i1 %more, label %tile, label %done
    done:
      ret void
    })"),
            "- 8");
}

/// As in the example reduction: the index may wrap, so that nobody knows the number of trips beforehand.
constexpr const char* may_wrap = "add i32 %i, %step";

TEST(UnrollHints, AreTheSameWhateverIsKnownAboutTheTrips) {
  EXPECT_EQ(hints(loop("16")), "8");
  EXPECT_EQ(hints(loop("16", gathering)), "4");
  EXPECT_EQ(hints(loop("%n", "", "", may_wrap)), "8");
  EXPECT_EQ(hints(loop("%n", gathering, "", may_wrap)), "4");
}

TEST(FreeGathers, LetsPtxasUnrollThem) {
  EXPECT_EQ(freed(loop("%n", gathering, left_alone)), "-");
  EXPECT_EQ(freed(loop("%n", gathering, left_alone, may_wrap)), "-");
  EXPECT_EQ(freed(loop("%n", "", left_alone)), "never");
}

TEST(FreeGathers, KeepsTheTripsThatAreLeftOver) {
  EXPECT_EQ(freed(loop("3", gathering, left_alone)), "never");
  EXPECT_EQ(freed(loop("4", gathering, left_alone)), "-");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
