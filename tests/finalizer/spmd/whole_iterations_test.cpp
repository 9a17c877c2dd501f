// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops get copies for the iterations that all lanes take, and that waves with such loops do what
// work-items do, next to the limits of the counter's type, too.
#include "finalizer/spmd/whole_iterations.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/shape_analysis.h"
#include "spmd_function.h"
#include "widen_fixture.h"

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;

struct LoopText {
  std::string first = "%id";  ///< of the counter
  std::string step = "8";
  std::string stays = "ult i32 %i, %limit";
  std::string begin = "%leaves = icmp eq i32 0, 1";  ///< defines what the loop's end depends on
};

/// A function that counts its iterations, and xors a table's elements at most 64 times.
std::string body(const LoopText& text) {
  return fmt::format(R"(
  {3}
  br label %head
head:
  %i = phi i32 [{0}, %0], [%i.next, %more]
  %n = phi i32 [0, %0], [%n.next, %more]
  %sum = phi i32 [0, %0], [%sum.next, %more]
  %stays = icmp {2}
  br i1 %stays, label %loop, label %end
loop:
  %index = and i32 %i, 255
  %wide = zext i32 %index to i64
  %place = getelementptr i32, ptr %in, i64 %wide
  %loaded = load i32, ptr %place
  %sum.next = xor i32 %sum, %loaded
  %n.next = add i32 %n, 1
  %i.next = add i32 %i, {1}
  br label %more
more:
  br label %head
end:
  %count = phi i32 [%n, %head]
  %total = phi i32 [%sum, %head]
  store i32 %count, ptr %dst
  %second = getelementptr i8, ptr %dst, i64 4
  store i32 %total, ptr %second
)",
                     text.first, text.step, text.stays, text.begin);
}

/// A loop that tests its counter at the end, as compilers write them. `work` is done in each iteration.
/// `first` and `limit` belong to the counter; `test` compares it with the limit.
std::string tested_at_the_end(
    const std::string& work, const std::string& test = "icmp ult i32 %i.next, %limit",
    const std::string& begin = "%first = add i32 %id, 0\n  %limit = and i32 %u, 127",
    const std::string& targets = "label %loop, label %end") {
  return fmt::format(R"(
  {2}
  br label %loop
loop:
  %i = phi i32 [%first, %0], [%i.next, %more]
  %sum = phi i32 [0, %0], [%sum.next, %more]
  %before = phi i32 [7, %0], [%sum, %more]
  %index = and i32 %i, 255
  %wide = zext i32 %index to i64
  %place = getelementptr i32, ptr %in, i64 %wide
  %loaded = load i32, ptr %place
  %sum.next = xor i32 %sum, %loaded
  {0}
  br label %more
more:
  %i.next = add i32 %i, 8
  %stays = {1}
  br i1 %stays, {3}
end:
  store i32 %sum.next, ptr %dst
  %second = getelementptr i8, ptr %dst, i64 4
  %old.sum = load i32, ptr %second
  %mixed = add i32 %old.sum, %before
  store i32 %mixed, ptr %second
)",
                     work, test, begin, targets);
}

/// Adds the counter to what the work-item keeps in its memory.
const std::string adds_to_memory = R"(%kept.place = getelementptr i8, ptr %dst, i64 4
  %kept = load i32, ptr %kept.place
  %grown = add i32 %kept, %i
  store i32 %grown, ptr %kept.place)";

/// Returns how many loops a function has afterwards.
size_t loops_of_body(const std::string& body) {
  SpmdModule module(std::string(wave_function_head) + own_memory(8) + body + "  ret void\n}\n");
  llvm::Function& function = module.function();
  make_canonical(function);
  ShapeRequest request;
  request.lanes = 8;
  request.body = Body::row;
  request.all_active = true;
  request.arguments = {Shape::uniform(), Shape::uniform(), Shape::uniform(), Shape::strided(1, 8),
                       Shape::varying(), Shape::varying(), Shape::varying(), Shape::uniform()};
  TestedInstructions tested;
  const bool changed = separate_whole_iterations(function, compute_shapes(function, request), 8, tested);
  std::string wrong;
  llvm::raw_string_ostream out(wrong);
  EXPECT_FALSE(llvm::verifyFunction(function, &out)) << wrong;
  EXPECT_TRUE(is_canonical(function));
  const llvm::DominatorTree dominators(function);
  const size_t loops = llvm::LoopInfo(dominators).getLoopsInPreorder().size();
  EXPECT_EQ(changed, loops != 1);
  return loops;
}

size_t loops_of(const LoopText& text) { return loops_of_body(body(text)); }

const std::string uniform_limit = "%limit = and i32 %u, 127";

TEST(WholeIterations, OfLoopsWithACounterForEachLane) {
  EXPECT_EQ(loops_of({.begin = uniform_limit}), 2u);
  EXPECT_EQ(loops_of({.stays = "slt i32 %i, %limit", .begin = uniform_limit}), 2u);
  EXPECT_EQ(loops_of({.stays = "ugt i32 %limit, %i", .begin = uniform_limit}), 2u);
}

TEST(WholeIterations, NotOfOthers) {
  EXPECT_EQ(loops_of({.first = "0", .begin = uniform_limit}), 1u) << "all lanes leave together";
  EXPECT_EQ(loops_of({.begin = "%limit = and i32 %a, 127"}), 1u) << "each lane has its limit";
  EXPECT_EQ(loops_of({.first = "%a", .begin = uniform_limit}), 1u) << "each lane has any counter";
  EXPECT_EQ(loops_of({.stays = "ne i32 %i, %limit", .begin = uniform_limit}), 1u) << "another comparison";
}

/// Such a loop has written when it tests, and the work-items that stay begin the next iteration.
TEST(WholeIterations, OfLoopsThatWriteAndTestAtTheEnd) {
  EXPECT_EQ(loops_of_body(tested_at_the_end("")), 2u);
  EXPECT_EQ(loops_of_body(tested_at_the_end(adds_to_memory)), 2u);
  EXPECT_EQ(loops_of_body(tested_at_the_end("%old = atomicrmw add ptr %dst, i32 1 monotonic")), 2u);
}

/// The iteration with which the copy ends is begun again by the loop, up to the branch.
TEST(WholeIterations, NotIfWhatIsBegunAgainWrites) {
  LoopText text{.begin = uniform_limit};
  EXPECT_EQ(loops_of(text), 2u);
  text.stays = "ult i32 %i, %limit\n  store i32 %i, ptr %dst";
  EXPECT_EQ(loops_of(text), 1u);
}

class WholeIterationsOfWaves : public WidenFixture {};

/// Limits are near the least and the greatest number, without sign and with it. Counters never wrap around,
/// so that all loops end soon.
TEST_F(WholeIterationsOfWaves, DoWhatWorkItemsDo) {
  sparse_ = 3;
  for (const auto& [sign, base] : {std::pair{"ult", "0"},
                                   {"ult", "16"},
                                   {"ult", "-200000"},
                                   {"slt", "-40"},
                                   {"slt", "-2147483648"},
                                   {"slt", "-2147483632"},
                                   {"slt", "2147283648"}}) {
    const std::string begin = fmt::format(
        "%eighth = and i32 %u, 7\n  %distance = mul i32 %eighth, 16\n  %limit = add i32 %distance, {0}\n"
        "  %first = add i32 %id, {0}",
        base);
    check(body({.first = "%first", .stays = fmt::format("{} i32 %i, %limit", sign), .begin = begin}), 8);
  }
}

/// Each work-item writes in each of its iterations, the last one included, once.
TEST_F(WholeIterationsOfWaves, WriteOnceAndTestAtTheEnd) {
  sparse_ = 3;
  for (const auto& [sign, base] :
       {std::pair{"ult", "0"}, {"ult", "-200000"}, {"slt", "-40"}, {"slt", "2147283648"}}) {
    const std::string begin = fmt::format(
        "%eighth = and i32 %u, 7\n  %distance = mul i32 %eighth, 16\n  %limit = add i32 %distance, {0}\n"
        "  %first = add i32 %id, {0}",
        base);
    check(tested_at_the_end(adds_to_memory, fmt::format("icmp {} i32 %i.next, %limit", sign), begin), 8);
    const std::string leaves =
        fmt::format("icmp {} i32 %i.next, %limit", sign == std::string("ult") ? "uge" : "sge");
    check(tested_at_the_end(adds_to_memory, leaves, begin, "label %end, label %loop"), 8);
  }
}

}  // namespace
}  // namespace heddle::testing
