// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops behind the passes of LLVM's back end.
#include "finalizer/ptx/back_end_passes.h"

#include <gmock/gmock.h>
#include <llvm/Pass.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>

#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A loop over two arrays with one index, whose body is the first block.
constexpr const char* two_arrays = R"(
  target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
  target triple = "nvptx64-nvidia-cuda"
  define void @f(ptr %a, ptr %b, i32 %n) {
  entry:
    br label %next
  next:
    %i = phi i32 [ 0, %entry ], [ %i1, %next ]
    %wide = zext i32 %i to i64
    %from = getelementptr i32, ptr %a, i64 %wide
    %word = load i32, ptr %from
    %to = getelementptr i32, ptr %b, i64 %wide
    store i32 %word, ptr %to
    %i1 = add nuw i32 %i, 1
    %again = icmp ult i32 %i1, %n
    br i1 %again, label %next, label %done
  done:
    ret void
  })";

/// Returns the function behind the reduction of strength, if `Passes` has it.
template <typename Passes>
std::string behind_reduction() {
  std::string result;
  const std::string first = text_behind(two_arrays, [&](llvm::Module& module) {
    Passes passes;
    passes.add(llvm::createLoopSimplifyPass());
    passes.add(llvm::createLoopStrengthReducePass());
    passes.run(module);
    llvm::raw_string_ostream(result) << *module.getFunction("f");
  });
  return result.empty() ? first : result;
}

TEST(BackEndPasses, LeaveIndicesOfLoopsAlone) {
  EXPECT_THAT(behind_reduction<BackEndPasses>(), HasSubstr("zext i32 %i to i64"));
}

/// So there is something to be left out.
TEST(BackEndPasses, WouldHavePointersInsteadOfIndices) {
  EXPECT_THAT(behind_reduction<llvm::legacy::PassManager>(), Not(HasSubstr("zext i32 %i to i64")));
}

TEST(BackEndPasses, AreAllOthers) {
  constexpr const char* idle = "define i32 @f(i32 %n) {\n%unused = add i32 %n, 1\nret i32 %n\n}";
  EXPECT_EQ(text_behind(idle,
                        [](llvm::Module& module) {
                          BackEndPasses passes;
                          passes.add(llvm::createDeadCodeEliminationPass());
                          passes.run(module);
                        }),
            "  ret i32 %n\n");
}

}  // namespace
}  // namespace heddle::finalizer::ptx
