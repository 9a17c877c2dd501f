// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of HEDDLE_CPU_AS_GPU. Tests of the runtime look at their effects (runtime_amd_test).
#include "driver/shown_gpu.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle::driver::test {
namespace {

TEST(ShownGpu, TargetsOfAmd) {
  for (const char* target : {"gfx700", "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx900:xnack+",
                             "gfx906:sramecc-", "gfx90a:sramecc+:xnack-"})
    EXPECT_EQ(amd_isa_of(target), std::string("amdgcn-amd-amdhsa--") + target);
  for (const char* text : {"",
                           "1",
                           "gfx",
                           "gfx9",
                           "gfx90",
                           "gfx90g",
                           "gfx90A",
                           "gfx9a6",
                           "gfx006",
                           "gfx12345",
                           " gfx906",
                           "gfx906 ",
                           "GFX906",
                           "gfx906:",
                           "gfx906:xnack",
                           "gfx906:xnack+-",
                           "gfx906:xnack-:sramecc+",
                           "gfx906:xnack+:xnack+",
                           "gfx906:cumode+",
                           "amdgcn-amd-amdhsa--gfx906"})
    EXPECT_EQ(amd_isa_of(text), std::nullopt) << text;
}

ShownGpu shown_gpu(const char* value) {
  setenv("HEDDLE_CPU_AS_GPU", value, 1);
  const ShownGpu shown = shown_gpu_of_environment();
  unsetenv("HEDDLE_CPU_AS_GPU");
  return shown;
}

TEST(ShownGpu, ValuesOfTheSetting) {
  for (const char* off : {"", "0"}) EXPECT_FALSE(shown_gpu(off).is_on) << off;
  for (const char* on : {"1", "yes", "00"}) {
    EXPECT_TRUE(shown_gpu(on).is_on) << on;
    EXPECT_EQ(shown_gpu(on).isa, "") << on;
  }
  EXPECT_TRUE(shown_gpu("gfx").is_on);
  EXPECT_EQ(shown_gpu("gfx").isa, "");
  EXPECT_TRUE(shown_gpu("gfx906").is_on);
  EXPECT_EQ(shown_gpu("gfx906").isa, "amdgcn-amd-amdhsa--gfx906");
}

}  // namespace
}  // namespace heddle::driver::test
