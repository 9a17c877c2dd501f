// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which comparisons and extensions row bodies test where they begin, and that functions without any stay as
// they are.
#include "finalizer/spmd/entry_tests.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/spmd/prepare.h"
#include "spmd_function.h"

namespace heddle::testing {
namespace {

using namespace finalizer::spmd;

constexpr unsigned lanes = 8;
constexpr uint64_t kernarg_size = 16;

/// A kernel that stores a byte for each work-item below a limit. `limit` and `index` define %limit and
/// %index, of 32 bits, and may use the work-item's number in the grid, %item.
std::string kernel(const std::string& limit, const std::string& index) {
  return fmt::format(R"(
    define void @f(ptr %context) {{
      %group = call i32 @hsail.workgroupid(i32 0)
      %begin = mul i32 %group, 64
      %local = call i32 @hsail.workitemid(i32 0)
      %item = add i32 %begin, %local
      %kernarg = call ptr @hsail.kernarg.base()
      %out = load ptr, ptr %kernarg, !invariant.load !0
      {}
      {}
      %inside = icmp ult i32 %item, %limit
      br i1 %inside, label %store, label %end
    store:
      %wide = zext i32 %index to i64
      %place = getelementptr i8, ptr %out, i64 %wide
      store i8 1, ptr %place
      br label %end
    end:
      ret void
    }}
    !0 = !{{}}
    )",
                     limit, index);
}

constexpr const char* limit_from_kernarg = R"(
      %at = getelementptr i8, ptr %kernarg, i64 8
      %limit = load i32, ptr %at, !invariant.load !0)";
constexpr const char* limit_behind_kernarg = R"(
      %at = getelementptr i8, ptr %kernarg, i64 16
      %limit = load i32, ptr %at, !invariant.load !0)";
constexpr const char* limit_from_memory = "%limit = load i32, ptr %out";
constexpr const char* index_behind_item = "%index = add i32 %item, 5";  // may wrap around
constexpr const char* index_from_limit = "%index = add i32 %item, %limit";

/// What the pass has made of a kernel.
struct Made {
  Made(const std::string& limit, const std::string& index, bool bounds = true)
      : module(kernel(limit, index)) {
    llvm::Function& function = module.function();
    make_canonical(function);
    ShapeRequest about;
    about.lanes = lanes;
    about.body = Body::row;
    about.all_active = true;
    about.first_id_alignment = lanes;
    const std::string original = text();
    const Shapes shapes = compute_shapes(function, about);
    about.tested =
        test_at_entry(function, shapes,
                      {lanes, bounds, kernarg_size, [&](llvm::IRBuilder<>&, llvm::Value*) { ++refusals; }});
    std::string wrong;
    llvm::raw_string_ostream out(wrong);
    EXPECT_FALSE(llvm::verifyFunction(function, &out)) << wrong;
    EXPECT_TRUE(is_canonical(function));
    is_unchanged = text() == original;
    tested = about.tested;
    with_tests = compute_shapes(function, about);
  }

  std::string text() {
    std::string text;
    llvm::raw_string_ostream(text) << module.function();
    return text;
  }
  bool tests(const std::string& name) {
    return tested.contains(llvm::cast<llvm::Instruction>(&module.value(name)));
  }
  Shape shape_of(const std::string& name) { return with_tests.of(module.value(name)); }

  SpmdModule module;
  TestedInstructions tested;
  Shapes with_tests;  ///< where all tests succeed
  unsigned refusals = 0;
  bool is_unchanged = false;
};

TEST(EntryTests, OfBoundsAndIndicesFromTheKernelsArguments) {
  Made made(limit_from_kernarg, index_behind_item);
  EXPECT_EQ(made.refusals, 1u);
  EXPECT_TRUE(made.tests("inside") && made.tests("wide"));
  EXPECT_TRUE(made.shape_of("inside").is_uniform());
  EXPECT_EQ(made.shape_of("place"), Shape::strided(1));
}

TEST(EntryTests, OfBoundsOnlyIfAsked) {
  Made made(limit_from_kernarg, index_behind_item, /*bounds=*/false);
  EXPECT_EQ(made.refusals, 1u);
  EXPECT_TRUE(made.tests("wide"));
  EXPECT_FALSE(made.tests("inside"));
}

/// The other tests are made all the same.
TEST(EntryTests, NotOfBoundsThatAreLoadedLater) {
  for (const char* limit : {limit_from_memory, limit_behind_kernarg}) {
    Made made(limit, index_behind_item);
    EXPECT_EQ(made.refusals, 1u);
    EXPECT_TRUE(made.tests("wide"));
    EXPECT_FALSE(made.tests("inside"));
    EXPECT_TRUE(made.shape_of("inside").is_varying());
  }
}

/// The shapes that are known of such a function are used further. Copies of what one side of the comparison
/// needs, without a test, would have none.
TEST(EntryTests, ChangeNothingIfNothingCanBeTested) {
  Made made(limit_from_memory, index_from_limit);
  EXPECT_TRUE(made.is_unchanged) << made.text();
  EXPECT_EQ(made.refusals, 0u);
  EXPECT_TRUE(made.tested.empty());
}

/// What was needed for a test that is not possible is not computed for those that are.
TEST(EntryTests, ComputeNothingInVain) {
  Made made(limit_from_memory, R"(%index = add i32 %item, 5
      %triple = mul i32 %item, 3
      %far = icmp ult i32 %triple, %limit)");
  size_t products = 0;
  for (const llvm::Instruction& instruction : made.module.function().getEntryBlock())
    products += instruction.getOpcode() == llvm::Instruction::Mul;
  EXPECT_TRUE(made.tests("wide"));
  EXPECT_FALSE(made.tests("far"));
  EXPECT_EQ(products, 1u) << made.text();
}

}  // namespace
}  // namespace heddle::testing
