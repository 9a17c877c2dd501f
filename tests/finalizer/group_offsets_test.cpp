// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/group_offsets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <vector>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::finalizer::x86 {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned group = 3;

/// Returns the text of the function f after the rewriting, which must change it or not as `changes` says.
std::string rewritten(const std::string& text, bool changes) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module) return "";
  EXPECT_EQ(fold_group_offsets(*module->getFunction("f"), group), changes);
  EXPECT_FALSE(fold_group_offsets(*module->getFunction("f"), group)) << "must be done once";
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::string result;
  llvm::raw_string_ostream out(result);
  module->print(out, nullptr);
  return result;
}

std::string one_access(unsigned address_space, const char* index) {
  return fmt::format(R"(define float @f(ptr addrspace({0}) %base, i32 %x, i32 %y) {{
  %sum = add i32 %x, {1}
  %wide = zext i32 %sum to i64
  %address = getelementptr i8, ptr addrspace({0}) %base, i64 %wide
  %r = load float, ptr addrspace({0}) %address
  ret float %r
}}
)",
                     address_space, index);
}

TEST(GroupOffsets, ConstantsAreAddedToThePointer) {
  for (const char* constant : {"4", "-4", "1048576", "-1048576"}) {
    const std::string result = rewritten(one_access(group, constant), true);
    EXPECT_THAT(result, HasSubstr("sext i32 %x to i64"));
    EXPECT_THAT(result, HasSubstr(fmt::format("i64 {}\n", constant)));
    EXPECT_THAT(result, Not(HasSubstr("zext")));
  }
}

TEST(GroupOffsets, OtherAddressesAreAsTheyWere) {
  rewritten(one_access(1, "4"), false);
  rewritten(one_access(group, "1048577"), false);
  rewritten(one_access(group, "-1048577"), false);
  rewritten(one_access(group, "%y"), false);
}

TEST(GroupOffsets, ANumberIsExtendedOnce) {
  const std::string result = rewritten(R"(define float @f(ptr addrspace(3) %base, i1 %c) {
start:
  br label %loop
loop:
  %x = phi i32 [ 0, %start ], [ %next, %loop ]
  %other = phi i32 [ 7, %start ], [ %x, %loop ]
  %sum1 = add i32 %x, 4
  %wide1 = zext i32 %sum1 to i64
  %address1 = getelementptr i8, ptr addrspace(3) %base, i64 %wide1
  %a = load float, ptr addrspace(3) %address1
  %next = add i32 %x, 64
  br i1 %c, label %loop, label %end
end:
  %sum2 = add i32 %x, 8
  %wide2 = zext i32 %sum2 to i64
  %address2 = getelementptr i8, ptr addrspace(3) %base, i64 %wide2
  %b = load float, ptr addrspace(3) %address2
  %r = fadd float %a, %b
  ret float %r
}
)",
                                       true);
  const size_t first = result.find("sext");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(result.find("sext", first + 1), std::string::npos) << result;
}

class GroupOffsetsRun : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Isas, GroupOffsetsRun,
                         ::testing::Values("heddle:x86-64-v3:w1", "heddle:x86-64-v3:w8",
                                           "heddle:x86-64-v4:w16"));

/// The register of an address may be a number below 0, which only the constant of the address makes one that
/// is inside of the segment.
TEST_P(GroupOffsetsRun, NumbersBelowZero) {
  if (!heddle::testing::runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  auto compiled = heddle::testing::compile(std::string(heddle::testing::module_header) + R"(
prog kernel &sums(kernarg_u64 %out)
{
  group_u32 %values[256];
  workitemid_u32 $s0, 0;
  shl_u32 $s1, $s0, 4;
  st_group_u32 1, [%values][$s1];
  st_group_u32 10, [%values][$s1 + 4];
  st_group_u32 100, [%values][$s1 + 8];
  st_group_u32 $s0, [%values][$s1 + 12];
  sub_u32 $s2, $s1, 64;
  mov_b32 $s3, 0;
  add_u32 $s4, $s2, 16;
@next:
  ld_group_u32 $s5, [%values][$s2 + 64];
  add_u32 $s3, $s3, $s5;
  add_u32 $s2, $s2, 4;
  cmp_ne_b1_u32 $c0, $s2, $s4;
  cbr_b1 $c0, @next;
  shl_u32 $s1, $s0, 2;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  cvt_u64_u32 $d1, $s1;
  add_u64 $d0, $d0, $d1;
  st_global_u32 $s3, [$d0];
};
)",
                                           GetParam(), nullptr);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  heddle::testing::LoadedCode code(std::move(compiled.object));
  constexpr uint32_t n = 64;
  std::vector<uint32_t> out(n);
  const uint32_t* const kernarg = out.data();
  EXPECT_FALSE(code.run("&sums", &kernarg, {{n, 1, 1}, {n, 1, 1}, 1}).taken);
  for (uint32_t id = 0; id < n; ++id) EXPECT_EQ(out[id], id + 111) << id;
}

}  // namespace
}  // namespace heddle::finalizer::x86
