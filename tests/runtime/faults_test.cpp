// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that access memory that does not exist, on every kernel agent that executes.
#include "kernels.h"

namespace heddle::runtime::test {
namespace {

class Faults : public OnAgent {};
INSTANTIATE_TEST_SUITE_P(Agents, Faults, ::testing::Values("cpu", "interpreter"),
                         [](const auto& info) { return std::string(info.param); });

/// Address 0 is not special, even where a compiler sees it: the kernel faults there, and the compiler must
/// not make anything else of it.
TEST_P(Faults, NullIsAnAddressAsAnyOther) {
  const char* bodies[] = {
      "mov_b64 $d0, 0; st_global_align(4)_u32 1, [$d0];",
      "nullptr_u64 $d0; st_align(4)_u32 1, [$d0];",
      "st_global_align(4)_u32 1, [0];",
      ("mov_b64 $d0, 0; ld_global_align(4)_u32 $s0, [$d0]; ld_kernarg_align(8)_u64 $d1, [%out];"
       " st_global_align(4)_u32 $s0, [$d1];"),
      "mov_b64 $d0, 0; atomicnoret_add_global_rlx_agent_u32 [$d0], 1;",
  };
  for (const char* body : bodies) {
    const Kernels kernels(agent_, std::string("module &m:1:2:$full:$large:$near;\n") +
                                      "prog kernel &k(kernarg_u64 %out) { " + body + " };\n");
    uint32_t out = 0;
    hsa_status_t error = HSA_STATUS_SUCCESS;
    EXPECT_FALSE(run(kernels, "&k", 1, 1, {address_of(&out)}, &error, HSA_STATUS_ERROR_FATAL)) << body;
    EXPECT_EQ(error, HSA_STATUS_ERROR) << body;
  }
}

}  // namespace
}  // namespace heddle::runtime::test
