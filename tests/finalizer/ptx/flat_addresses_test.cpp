// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat addresses that are calculated from kernel arguments, which are no addresses of global memory for that.
#include <gmock/gmock.h>

#include "ptxas.h"

namespace heddle::testing {
namespace {

std::string ptx_of(const std::string& variable, const std::string& base) {
  const auto program = finalize_ptx(R"(module &m:1:2:$full:$large:$near;
prog kernel &k(kernarg_u64 %offset) {
  )" + variable + R"(
  ld_kernarg_align(8)_u64 $d1, [%offset];
  )" + base + R"(
  add_u64 $d0, $d0, $d1;
  workitemid_u32 $s0, 0;
  st_align(4)_u32 $s0, [$d0];
  ret;
};
)",
                                    "flat.hsail", "heddle:nvptx-sm_90");
  EXPECT_TRUE(program.object) << program.diagnostics;
  if (has_ptxas()) EXPECT_EQ(run_ptxas(program.ptx, "sm_90"), "") << program.ptx;
  return program.ptx;
}

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FlatAddresses, OfGroupMemoryAtAnOffsetThatIsAnArgument) {
  const std::string ptx =
      ptx_of("align(16) group_u32 %v[64];", "lda_group_u32 $s1, [%v]; stof_group_u64_u32 $d0, $s1;");
  EXPECT_THAT(ptx, Not(HasSubstr("st.global"))) << ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("cvta.to.global"))) << ptx;
}

TEST(FlatAddresses, OfPrivateMemoryAtAnOffsetThatIsAnArgument) {
  const std::string ptx =
      ptx_of("align(16) private_u32 %v[64];", "lda_private_u32 $s1, [%v]; stof_private_u64_u32 $d0, $s1;");
  EXPECT_THAT(ptx, Not(HasSubstr("st.global"))) << ptx;
}

TEST(FlatAddresses, ThatAreArguments) {
  EXPECT_THAT(ptx_of("", "mov_b64 $d0, 64;"), Not(HasSubstr("st.global"))) << "which nobody has said";
}

}  // namespace
}  // namespace heddle::testing
