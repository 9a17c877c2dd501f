// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole kernels, compiled and run.
#include <numeric>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

const char* const vector_add = R"(
prog kernel &vadd(kernarg_u64 %a, kernarg_u64 %b, kernarg_u64 %c)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 2;
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  ld_kernarg_align(8)_u64 $d3, [%c];
  add_u64 $d1, $d1, $d0;
  add_u64 $d2, $d2, $d0;
  add_u64 $d3, $d3, $d0;
  ld_global_align(4)_f32 $s1, [$d1];
  ld_global_align(4)_f32 $s2, [$d2];
  add_f32 $s1, $s1, $s2;
  st_global_align(4)_f32 $s1, [$d3];
};
)";

class Kernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  LoadedCode load(const std::string& text, const char* options = nullptr) {
    Compiled compiled = compile(module_header + text, GetParam(), options);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, Kernels, ::testing::ValuesIn(compiled_isas));

TEST_P(Kernels, VectorAddAtEveryEffort) {
  for (const char* effort : {"-O0", "-O1", "-O2", "-O3"}) {
    LoadedCode code = load(vector_add, effort);
    constexpr size_t n = 1000;
    std::vector<float> a(n), b(n), c(n + 1, -1.0f);
    std::iota(a.begin(), a.end(), 0.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    const void* kernarg[] = {a.data(), b.data(), c.data()};
    // 1000 is no multiple of 64: the last group is partial.
    for (bool waves : {false, true}) {
      std::fill(c.begin(), c.end(), -1.0f);
      LoadedCode::RunOptions options;
      options.wave_entry = waves;
      EXPECT_FALSE(code.run("&vadd", kernarg, {{n, 1, 1}, {64, 1, 1}, 1}, options).taken);
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i << " " << effort;
      EXPECT_EQ(c[n], -1.0f);
    }
  }
}

}  // namespace
}  // namespace heddle::testing
