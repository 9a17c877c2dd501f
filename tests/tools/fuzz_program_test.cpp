// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generator of programs and the shrinker. That the programs run is what `heddle fuzz-exec` shows.
#include <gtest/gtest.h>

#include "tools/fuzz/generate.h"
#include "tools/fuzz/operations.h"
#include "tools/fuzz/shrink.h"

namespace heddle::tools::fuzz {
namespace {

TEST(FuzzProgram, IsTheSameForTheSameSeed) {
  EXPECT_EQ(generate(7).text(), generate(7).text());
  EXPECT_NE(generate(7).text(), generate(8).text());
}

TEST(FuzzProgram, CoversAllControlFlowAndSegments) {
  std::string all;
  for (uint64_t seed = 1; seed <= 200; ++seed) all += generate(seed).text();
  for (const char* part : {"cbr_b1",
                           "sbr_u32",
                           "call &f",
                           "scall_u32",
                           "icall_u64",
                           "barrier;",
                           "alloca_u32",
                           "_private_",
                           "_spill_",
                           "_group_",
                           "_readonly_",
                           "_kernarg_",
                           "_arg_",
                           "stof_private",
                           "atomicnoret_",
                           "%r2",
                           "memfence_scacq_wave",
                           "memfence_screl_system",
                           "memfence_scar_wg",
                           "wavebarrier",
                           "initfbar",
                           "waitfbar"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
  for (const Operation& operation : operations()) {
    const std::string pattern = operation.pattern;
    const std::string mnemonic = pattern.substr(0, pattern.find_first_of(" %"));
    EXPECT_NE(all.find(mnemonic), std::string::npos) << mnemonic;
  }
}

TEST(FuzzProgram, LeavesFunctionsOutThatNobodyCalls) {
  Program program = generate(1);
  program.kernel.body.clear();
  EXPECT_EQ(program.text().find("function &f"), std::string::npos);
}

TEST(FuzzProgram, ShrinksToWhatFails) {
  Program program = generate(2);
  Block inside = program.kernel.body;
  inside.insert(inside.begin() + static_cast<ptrdiff_t>(inside.size() / 2), Statement{{"  // wrong\n"}, {}});
  program.kernel.body = {Statement{{"  // before\n", "  // after\n"}, {inside}}};
  program.launch.grid[0] = 40;
  auto fails = [](const Program& candidate) {
    return candidate.text().find("// wrong") != std::string::npos && candidate.launch.grid[0] >= 10;
  };
  Program small = shrink(program, fails, 10000);
  EXPECT_EQ(small.statements(), 1u);
  EXPECT_EQ(small.text().find("// before"), std::string::npos);
  EXPECT_GE(small.launch.grid[0], 10u);
  EXPECT_LT(small.launch.grid[0], 20u);
  EXPECT_EQ(small.launch.group[1], 1u);
}

TEST(FuzzProgram, ShrinkingAsksNoMoreThanItMay) {
  unsigned asked = 0;
  Program program = generate(3);
  shrink(program, [&](const Program&) { return ++asked, false; }, 5);
  EXPECT_EQ(asked, 5u);
}

}  // namespace
}  // namespace heddle::tools::fuzz
