// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reader of BRIG says of kernels.
#include "brigfile/signature.h"

#include <gtest/gtest.h>

#include <hsail/hsail.hpp>
#include <string>
#include <vector>

namespace heddle {
namespace {

constexpr std::string_view text = R"(module &m:1:0:$full:$large:$default;
decl prog kernel &declared(kernarg_u64 %only);
decl prog kernel &limited(kernarg_u32 %first, align(16) kernarg_f32 %second[3]);
prog kernel &plain() { ret; };
prog function &helper(arg_u32 %result)(arg_u32 %value) { ret; };
prog kernel &limited(
  kernarg_u32 %first,  // between the arguments
  align(16) kernarg_f32 %second[3]) {
  maxflatworkgroupsize 96;
  ret;
};
)";

hsail::Blob module() {
  auto brig = hsail::assemble(text, "test.hsail");
  EXPECT_TRUE(brig) << brig.diagnostics();
  return brig ? std::move(*brig) : hsail::Blob();
}

void expect_arguments_of_limited(const std::vector<Formal>& formals) {
  ASSERT_EQ(formals.size(), 2U);
  EXPECT_EQ(formals[0].name, "%first");
  EXPECT_EQ(formals[0].type, "u32");
  EXPECT_EQ(formals[0].size, 4U);
  EXPECT_EQ(formals[0].alignment, 4U);
  EXPECT_EQ(formals[1].name, "%second");
  EXPECT_EQ(formals[1].type, "f32[3]");
  EXPECT_EQ(formals[1].size, 12U);
  EXPECT_EQ(formals[1].alignment, 16U);
}

TEST(Signature, OfEachKernelThatIsDefined) {
  const hsail::Blob brig = module();
  std::vector<KernelSignature> found;
  for_each_kernel(brig.bytes(), [&](const KernelSignature& signature) { found.push_back(signature); });
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "&plain");
  EXPECT_TRUE(found[0].formals.empty());
  EXPECT_EQ(found[0].largest_group, 0U);
  EXPECT_EQ(found[1].name, "&limited");
  EXPECT_EQ(found[1].largest_group, 96U);
  expect_arguments_of_limited(found[1].formals);
}

TEST(Signature, OfOneKernelByItsName) {
  const hsail::Blob brig = module();
  const auto limited = kernel_formals(brig.bytes(), "&limited");
  ASSERT_TRUE(limited);
  expect_arguments_of_limited(*limited);
  const auto declared = kernel_formals(brig.bytes(), "&declared");
  ASSERT_TRUE(declared);
  EXPECT_EQ(declared->size(), 1U);
  EXPECT_EQ(kernel_formals(brig.bytes(), "&plain")->size(), 0U);
  EXPECT_FALSE(kernel_formals(brig.bytes(), "&helper"));
  EXPECT_FALSE(kernel_formals(brig.bytes(), "&lim"));
}

TEST(Signature, IsNotReadFromOtherBytes) {
  const std::vector<std::byte> bytes(100);
  for_each_kernel(bytes, [](const KernelSignature&) { ADD_FAILURE(); });
  for_each_kernel({}, [](const KernelSignature&) { ADD_FAILURE(); });
  EXPECT_FALSE(kernel_formals(bytes, "&plain"));
}

}  // namespace
}  // namespace heddle
