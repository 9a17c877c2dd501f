// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations among lanes whose outcome is known when code is compiled.
#include "finalizer/ptx/known_ballots.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

/// Returns the instructions of a function behind the pass. Its lanes are %m.
std::string behind_pass(const std::string& body) {
  const std::string text = fmt::format(R"(
    declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
    declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
    declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
    define i32 @f(i32 %m, i1 %p, i32 %x) {{
    {}
    }})",
                                       body);
  return text_behind(text, [](llvm::Module& module) {
    llvm::FunctionAnalysisManager none;
    FoldKnownBallots().run(*module.getFunction("f"), none);
  });
}

TEST(KnownBallots, AreAllLanesOrNone) {
  EXPECT_EQ(behind_pass("%r = call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 true)\nret i32 %r"),
            "  ret i32 %m\n");
  EXPECT_EQ(behind_pass("%r = call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 false)\nret i32 %r"),
            "  ret i32 0\n");
}

TEST(KnownBallots, AreNotThoseOfVariables) {
  for (const char* operation : {"call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 %p)",
                                "call i32 @llvm.nvvm.match.any.sync.i32(i32 %m, i32 %x)",
                                "call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 %x, i32 1, i32 31)"})
    EXPECT_EQ(behind_pass(fmt::format("%r = {}\nret i32 %r", operation)),
              fmt::format("  %r = {}\n  ret i32 %r\n", operation));
}

TEST(KnownBallots, AreMatchesAndReadsOfConstants) {
  EXPECT_EQ(behind_pass("%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 %m, i32 7)\nret i32 %r"),
            "  ret i32 %m\n");
  EXPECT_EQ(
      behind_pass("%r = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %m, i32 7, i32 %x, i32 31)\nret i32 %r"),
      "  ret i32 7\n");
}

/// As in the iterations of an unrolled loop.
TEST(KnownBallots, MakeOthersKnown) {
  EXPECT_EQ(behind_pass("%a = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)\n"
                        "%all = icmp eq i32 %a, -1\n"
                        "%b = call i32 @llvm.nvvm.vote.ballot.sync(i32 %a, i1 %all)\n"
                        "ret i32 %b"),
            "  ret i32 -1\n");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
