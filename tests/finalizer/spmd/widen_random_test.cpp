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

/// Executes programs in two forms each, so that all forms come up.
void check_programs(bool with_calls, unsigned count) {
  const char* wanted = std::getenv("HEDDLE_TEST_SEEDS");  // "first:count"
  unsigned first = 1;
  if (wanted) std::sscanf(wanted, "%u:%u", &first, &count);
  const auto forms = all_forms();
  for (unsigned seed = first; seed < first + count; ++seed) {
    llvm::LLVMContext context;
    const auto module = random_wave_program(context, seed, with_calls);
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

TEST(WidenRandom, WavesDoWhatTheirWorkItemsDo) { check_programs(/*with_calls=*/false, 60); }

TEST(WidenRandom, CallsOfFunctions) { check_programs(/*with_calls=*/true, 25); }

}  // namespace
}  // namespace heddle::testing
