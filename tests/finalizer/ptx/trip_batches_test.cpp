// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops execute several trips at once, and how. What they compute is compared with the interpreter
// (tests/differential/unknown_trips_agents_test.cpp).
#include "finalizer/ptx/trip_batches.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "function_analyses.h"
#include "pass_text.h"

namespace heddle::finalizer::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A loop over words of global memory, in which %word is what a trip has loaded.
struct LoopText {
  std::string body;
  std::string next = "add i32 %i, %step";
  std::string again = "icmp ult i32 %i1, %n";
  std::string load = "load i32, ptr addrspace(1) %at";
  std::string metadata;
  std::string result = "%sum1";
};

constexpr const char* count_in_group =
    "call i32 asm sideeffect \"atom.relaxed.cta.shared.add.u32 $0, [$1], $2;\", \"=r,l,r,~{memory}\"(ptr "
    "addrspace(3) %shared, i32 %word)";

std::string text_of(const LoopText& loop) {
  return fmt::format(R"(
    declare void @called()
    declare void @together() memory(none) nounwind willreturn convergent
    define i32 @f(ptr addrspace(1) %p, ptr addrspace(3) %shared, i32 %n, i32 %step) {{
    entry:
      br label %next
    next:
      %i = phi i32 [ 0, %entry ], [ %i1, %next ]
      %sum = phi i32 [ 0, %entry ], [ %sum1, %next ]
      %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
      %word = {}
      {}
      %sum1 = add i32 %sum, %word
      %i1 = {}
      %again = {}
      br i1 %again, label %next, label %done {}
    done:
      ret i32 {}
    }}
    !1 = distinct !{{!1, !2}}
    !2 = !{{!"llvm.loop.unroll.disable"}})",
                     loop.load, loop.body, loop.next, loop.again, loop.metadata, loop.result);
}

/// The function behind the pass, or what is wrong with it.
std::string behind(const LoopText& loop) {
  FunctionAnalyses all;
  llvm::FunctionAnalysisManager& functions = all.get();
  std::string changed;
  const std::string entry = text_behind(text_of(loop), [&](llvm::Module& module) {
    TripBatches().run(*module.getFunction("f"), functions);
    llvm::raw_string_ostream out(changed);
    module.getFunction("f")->print(out);
  });
  return entry.find("br label") == std::string::npos ? entry : changed;
}

size_t loads_of(const LoopText& loop) {
  const std::string text = behind(loop);
  size_t count = 0;
  for (size_t at = text.find(" load "); at != std::string::npos; at = text.find(" load ", at + 1)) ++count;
  return count;
}

constexpr size_t changed = 5, unchanged = 1;  // loads

TEST(TripBatches, AreForLoopsThatCannotBeCounted) {
  EXPECT_EQ(loads_of({}), changed);
  EXPECT_EQ(loads_of({.next = "add i32 %step, %i"}), changed);
  EXPECT_EQ(loads_of({.next = "add i32 %i, 1"}), unchanged) << "LLVM unrolls it";
}

TEST(TripBatches, AreForComparisonsWithABound) {
  for (const char* again :
       {"icmp ult i32 %i1, %n", "icmp ugt i32 %n, %i1", "icmp slt i32 %i1, %n", "icmp sgt i32 %n, %i1"})
    EXPECT_EQ(loads_of({.again = again}), changed) << again;
  for (const char* again : {"icmp ule i32 %i1, %n", "icmp ne i32 %i1, %n", "icmp ugt i32 %i1, %n",
                            "icmp ult i32 %sum1, %n", "icmp ult i32 %i1, %word"})
    EXPECT_EQ(loads_of({.again = again}), unchanged) << again;
  EXPECT_EQ(loads_of({.next = "sub i32 %i, %step"}), unchanged);
  EXPECT_EQ(loads_of({.next = "add i32 %i, %word"}), unchanged);
}

TEST(TripBatches, AreOnlyForLoadsThatMayPassWhatTheLoopWrites) {
  EXPECT_EQ(loads_of({.body = count_in_group}), changed);
  EXPECT_EQ(loads_of({.body = "%a = load i32, ptr addrspace(3) %shared"}), 2 * changed)
      << "nothing is written";
  EXPECT_EQ(loads_of({.body = std::string(count_in_group) + "\n%a = load i32, ptr addrspace(3) %shared"}),
            2 * unchanged);
  std::string ordered = count_in_group, global = count_in_group;
  ordered.replace(ordered.find("relaxed"), 7, "acq_rel");
  EXPECT_EQ(loads_of({.body = ordered}), unchanged);
  global.replace(global.find("addrspace(3) %shared"), 20, "addrspace(1) %p");
  EXPECT_EQ(loads_of({.body = global}), unchanged);
  EXPECT_EQ(loads_of({.body = fmt::format("%old = {}\n%b = add i32 %old, 1", count_in_group)}), unchanged)
      << "the next trip may use the result";
  EXPECT_EQ(loads_of({.body = "store i32 %word, ptr addrspace(3) %shared"}), unchanged);
  EXPECT_EQ(loads_of({.body = "call void @called()"}), unchanged);
  EXPECT_EQ(loads_of({.load = "load volatile i32, ptr addrspace(1) %at"}), unchanged);
  EXPECT_EQ(loads_of({.load = "load atomic i32, ptr addrspace(1) %at monotonic, align 4"}), unchanged);
}

TEST(TripBatches, LeaveLoopsAloneThatHaveHintsOrMuchToDo) {
  EXPECT_EQ(loads_of({.metadata = ", !llvm.loop !1"}), unchanged);
  std::string much;
  for (int i = 0; i < 50; ++i) much += fmt::format("%x{} = xor i32 %word, {}\n", i, i);
  EXPECT_EQ(loads_of({.body = much}), unchanged);
}

TEST(TripBatches, LoadBeforeTheyWrite) {
  const std::string text = behind({.body = count_in_group});
  const size_t batch = text.find("next.batch:"), first_write = text.find("atom.relaxed", batch);
  ASSERT_NE(batch, std::string::npos) << text;
  const std::string ahead = text.substr(batch, first_write - batch);
  size_t loads = 0;
  for (size_t at = ahead.find(" load "); at != std::string::npos; at = ahead.find(" load ", at + 1)) ++loads;
  EXPECT_EQ(loads, 4u) << text;
}

/// Behind the loop, %i is the index of the last trip, and not that of the next one.
TEST(TripBatches, EndWithTheValuesThatTheLastTripBeganWith) {
  const std::string text = behind({.result = "%i"});
  const size_t end = text.find("%i.lcssa = phi");
  ASSERT_NE(end, std::string::npos) << text;
  const size_t batch = text.find("next.batch:");
  std::vector<std::string> indices;
  for (size_t at = text.find(" = add i32 %i", batch); at != std::string::npos && at < end;
       at = text.find(" = add i32 ", at + 1)) {
    const size_t name = text.rfind('%', at);
    if (text.compare(at + 11, 2, "%i") == 0 || text.find(", %step", at) < text.find('\n', at))
      indices.push_back(text.substr(name, at - name));
  }
  ASSERT_GE(indices.size(), 4u) << text;
  const std::string line = text.substr(end, text.find('\n', end) - end);
  EXPECT_THAT(line, HasSubstr("[ " + indices[2] + ", %next.batch ]")) << text;
}

TEST(TripBatches, AreNotForCallsThatAreConvergent) {
  EXPECT_EQ(loads_of({.body = "call void @together()"}), unchanged);
}

/// The check is exact, because it has twice the bits. Negative steps are excluded, because the check of the
/// last trip alone would not do for them.
TEST(TripBatches, BeginIfTheLastTripTakesPlaceWithoutWrapping) {
  EXPECT_THAT(behind({}), HasSubstr("icmp ult i64"));
  EXPECT_THAT(behind({}), Not(HasSubstr("icmp sge")));
  const std::string text = behind({.again = "icmp slt i32 %i1, %n"});
  EXPECT_THAT(text, HasSubstr("icmp slt i64"));
  EXPECT_THAT(text, HasSubstr("icmp sge i32 %step, 0"));
}

}  // namespace
}  // namespace heddle::finalizer::ptx
