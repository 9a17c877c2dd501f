// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random functions, widened in all forms.
#include <cstdlib>

#include <gtest/gtest.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "wave_programs.h"
#include "widened.h"

namespace heddle::testing {
namespace {

/// Each function in two forms, so that all forms come up.
TEST(WidenRandom, WavesDoWhatTheirWorkItemsDo) {
  const char* wanted = std::getenv("HEDDLE_TEST_SEEDS");  // "first:count"
  unsigned first = 1, count = 60;
  if (wanted) std::sscanf(wanted, "%u:%u", &first, &count);
  const auto forms = all_forms();
  for (unsigned seed = first; seed < first + count; ++seed) {
    llvm::LLVMContext context;
    const auto module = random_wave_program(context, seed);
    std::string why;
    llvm::raw_string_ostream out(why);
    ASSERT_FALSE(llvm::verifyModule(*module, &out)) << why << "seed " << seed;
    std::mt19937 random(seed);
    for (unsigned n = 0; n < 2; ++n) {
      WideForm form = forms[(seed * 2 + n) * 7 % forms.size()];
      form.optimise = random() % 2 == 0;
      ASSERT_EQ(wave_difference({module.get(), random_lane_bytes}, form, random, 6), "")
          << form.name() << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
