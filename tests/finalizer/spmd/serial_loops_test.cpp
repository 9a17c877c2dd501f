// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops work-items execute one after the other, and that waves with such loops do what work-items do.
#include "finalizer/spmd/serial_loops.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/shape_analysis.h"
#include "spmd_function.h"
#include "widen_fixture.h"

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;

/// What a loop is like. Each work-item reads the table from a place of its own on, as often as it wants.
struct LoopText {
  std::string limit = "%b.few";
  std::string address = "%k";  ///< index into the table
  std::string extra;           ///< code in the loop
  std::string arithmetic = "  %sum.next = add i32 %sum, %loaded\n";
  std::string result = "%sum";  ///< what is used behind the loop, besides %sum
};

/// The body of a function (wave_function_head) with such a loop.
std::string body(const LoopText& text) {
  return R"(
  %b.few = and i32 %b, 15
  %first = and i32 %a, 127
  br label %head
head:
  %i = phi i32 [0, %0], [%i.next, %loop]
  %sum = phi i32 [%u, %0], [%sum.next, %loop]
  %more = icmp ult i32 %i, )" +
         text.limit + R"(
  br i1 %more, label %loop, label %end
loop:
  %k = add i32 %first, %i
  %index = zext i32 )" +
         text.address + R"( to i64
  %place = getelementptr i32, ptr %in, i64 %index
  %loaded = load i32, ptr %place
)" + text.extra +
         text.arithmetic + R"(
  %i.next = add i32 %i, 1
  br label %head
end:
  %total = phi i32 [%sum, %head]
  %other = phi i32 [)" +
         text.result + ", %head]\n  %uses = mul i32 %total, %other\n  store i32 %uses, ptr %dst\n";
}

/// Returns how many loops of a function become functions, for waves of 8 with AVX2.
size_t outlined(const LoopText& text) {
  SpmdModule module("declare void @meet() convergent\n" + std::string(wave_function_head) + own_memory(4) +
                    body(text) + "  ret void\n}\n");
  llvm::Function& function = module.function();
  make_canonical(function);
  ShapeRequest request;
  request.lanes = 8;
  request.arguments = {Shape::uniform(), Shape::uniform(), Shape::uniform(), Shape::varying(),
                       Shape::varying(), Shape::varying(), Shape::varying(), Shape::uniform()};
  TestedInstructions tested;
  const auto made = outline_serial_loops(function, compute_shapes(function, request), {8, 8}, tested);
  std::string wrong;
  llvm::raw_string_ostream out(wrong);
  EXPECT_FALSE(llvm::verifyModule(module.module(), &out)) << wrong;
  EXPECT_TRUE(is_canonical(function));
  for (const llvm::Function* loop : made) EXPECT_TRUE(is_serial_loop(*loop));
  EXPECT_FALSE(is_serial_loop(function));
  for (llvm::Function* loop : made) inline_serial_loop(*loop);
  EXPECT_FALSE(llvm::verifyModule(module.module(), &out)) << wrong;
  return made.size();
}

TEST(SerialLoops, WhoseLanesReadPlacesOfTheirOwn) { EXPECT_EQ(outlined({}), 1u); }

/// Instructions with ftz are calls of target operations.
TEST(SerialLoops, WithOperationsThatOnlyCompute) {
  EXPECT_EQ(
      outlined({.extra = "  %behind = getelementptr i32, ptr %place, i64 9\n  %y = load i32, ptr %behind\n",
                .arithmetic = "  %number = bitcast i32 %loaded to float\n"
                              "  %flushed = call float @hsail.flush.f32(float %number)\n"
                              "  %bits = bitcast float %flushed to i32\n"
                              "  %both = add i32 %y, %bits\n"
                              "  %sum.next = add i32 %sum, %both\n"}),
      1u);
}

TEST(SerialLoops, NotIfTheWaveReadsOnePlace) { EXPECT_EQ(outlined({.address = "%i"}), 0u); }

TEST(SerialLoops, NotIfAllLanesStayEquallyLong) { EXPECT_EQ(outlined({.limit = "%u"}), 0u); }

/// Work-items could tell the order in which others have stored.
TEST(SerialLoops, NotIfTheyStore) { EXPECT_EQ(outlined({.extra = "  store i32 %loaded, ptr %dst\n"}), 0u); }

TEST(SerialLoops, NotIfWorkItemsMeetOrWatchMemory) {
  EXPECT_EQ(outlined({.extra = "  call void @meet() convergent\n"}), 0u);
  EXPECT_EQ(outlined({.extra = "  %now = load atomic i32, ptr %in monotonic, align 4\n"}), 0u);
  EXPECT_EQ(outlined({.extra = "  %now = load volatile i32, ptr %in\n"}), 0u);
}

TEST(SerialLoops, NotWithSeveralResults) { EXPECT_EQ(outlined({.result = "%i"}), 0u); }

/// Vectors are for arithmetic.
TEST(SerialLoops, NotWithMuchArithmetic) {
  std::string much = "  %m0 = mul i32 %loaded, %sum\n";
  for (unsigned i = 0; i < 20; ++i)
    much += "  %m" + std::to_string(i + 1) + " = xor i32 %m" + std::to_string(i) + ", " +
            std::to_string(i * 7 + 1) + "\n";
  EXPECT_EQ(outlined({.arithmetic = much + "  %sum.next = add i32 %sum, %m20\n"}), 0u);
}

class SerialLoopsOfWaves : public WidenFixture {};

TEST_F(SerialLoopsOfWaves, DoWhatWorkItemsDo) {
  sparse_ = 3;
  check(body({}));
}

/// The lanes that are not active in the middle of the function read nothing.
TEST_F(SerialLoopsOfWaves, AreOnlyForActiveLanes) {
  sparse_ = 3;
  check("  %some = icmp ult i32 %a, -2000000000\n  br i1 %some, label %part, label %leave\npart:\n" + [] {
    std::string text = body({});
    for (size_t at = 0; (at = text.find("%0]", at)) != std::string::npos; ++at) text.replace(at, 3, "%part]");
    return text;
  }() + "  br label %leave\nleave:\n");
}

}  // namespace
}  // namespace heddle::testing
