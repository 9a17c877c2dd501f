// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pragma that asks for lock-step: where it can be obeyed, and what is said where it cannot.
// tests/differential/lockstep_differential_test.cpp executes such kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compile.h"

namespace heddle::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* pragma = "pragma \"heddle.lockstep\", 32;";

std::string kernel(const std::string& body) {
  return fmt::format("{}prog kernel &k(kernarg_u64 %out) {{ {} ret; }};\n", module_header, body);
}

/// Expects that a module is refused because of its only pragma, at its place, with these words.
void expect_refused(const std::string& text, const char* isa, const std::string& words) {
  const Compiled compiled = compile(text, isa);
  EXPECT_FALSE(compiled) << isa;
  EXPECT_THAT(compiled.ids, ElementsAre("FINALIZER-lockstep")) << compiled.diagnostics;
  EXPECT_THAT(compiled.diagnostics, HasSubstr(words));
  EXPECT_THAT(compiled.diagnostics, HasSubstr("hsa_code+0x")) << "the place of the pragma";
}

TEST(Lockstep, WavesHave32WorkItemsInEachIsaForWaves) {
  for (const char* isa : compiled_isas) {
    if (std::string_view(isa).ends_with(":w1")) continue;
    const Compiled compiled = compile(kernel(pragma), isa, "-v");
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_THAT(compiled.diagnostics, HasSubstr("&k: waves of 32 work-items in lock-step; bodies: "));
    EXPECT_EQ(compiled.object.kernels[0].lanes, 32u);
  }
}

TEST(Lockstep, OtherKernelsOfTheModuleKeepTheirWaves) {
  const Compiled compiled =
      compile(kernel(pragma) + "prog kernel &other() { laneid_u32 $s0; ret; };\n", "heddle:x86-64-v3:w8");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.object.kernels[0].lanes, 32u);
  EXPECT_EQ(compiled.object.kernels[1].lanes, 8u);
}

TEST(Lockstep, WavesOfOneWorkItemAreRefused) {
  for (const char* isa : {"heddle:x86-64-v2:w1", "heddle:x86-64-v3:w1", "heddle:x86-64-v4:w1"})
    expect_refused(kernel(pragma), isa,
                   "&k asks for waves of 32 work-items in lock-step: waves of this ISA have 1");
}

TEST(Lockstep, TheInterpreterHasToHaveWavesOf32) {
  EXPECT_TRUE(compile(kernel(pragma), "heddle:hsail:w32"));
  for (const char* isa : {"heddle:hsail:w1", "heddle:hsail:w16", "heddle:hsail:w64"})
    expect_refused(kernel(pragma), isa, "&k asks for waves of 32 work-items in lock-step");
}

TEST(Lockstep, KernelsThatCanTellTheLengthOfTheirWavesNeedAnIsaWithThatLength) {
  const std::string text = kernel(std::string(pragma) + "laneid_u32 $s0;");
  expect_refused(text, "heddle:x86-64-v3:w8", "it can tell by laneid that waves of this ISA have 8");
  const Compiled compiled = compile(text, "heddle:x86-64-v3:w32", "-v");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_THAT(compiled.diagnostics,
              HasSubstr("waves of 32 work-items in lock-step, which it can tell by laneid;"));
}

TEST(Lockstep, FunctionsThatAreNotInlinedAreForTheWavesOfTheIsa) {
  const std::string text = module_header + R"(
function &down()(arg_u32 %n) {
  ld_arg_u32 $s0, [%n]; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @done; sub_u32 $s0, $s0, 1;
  { arg_u32 %m; st_arg_u32 $s0, [%m]; call &down()(%m); }
@done: ret;
};
prog kernel &k() {
  pragma "heddle.lockstep", 32;
  workitemabsid_u32 $s0, 0; { arg_u32 %m; st_arg_u32 $s0, [%m]; call &down()(%m); }
};
)";
  expect_refused(text, "heddle:x86-64-v3:w8", "it calls functions that cannot be inlined");
  EXPECT_TRUE(compile(text, "heddle:x86-64-v3:w32"));
}

TEST(Lockstep, FunctionsAskForTheirCallers) {
  const std::string text = module_header +
                           "function &f()() { pragma \"heddle.lockstep\", 32; ret; };\n"
                           "function &g()() { { call &f()(); } ret; };\n"
                           "prog kernel &k() { { call &g()(); } ret; };\n";
  expect_refused(text, "heddle:x86-64-v3:w1", "&k asks for");
  const Compiled compiled = compile(text, "heddle:x86-64-v3:w8");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.object.kernels[0].lanes, 32u);
}

TEST(Lockstep, IndirectFunctionsAskForTheIsa) {
  const std::string text =
      module_header + "prog indirect function &f()() { pragma \"heddle.lockstep\", 32; ret; };\n";
  for (const char* isa : {"heddle:x86-64-v3:w1", "heddle:x86-64-v3:w8", "heddle:hsail:w8"})
    expect_refused(text, isa, "&f asks for waves of 32 work-items in lock-step");
  for (const char* isa : {"heddle:x86-64-v3:w32", "heddle:hsail:w32"}) EXPECT_TRUE(compile(text, isa)) << isa;
}

TEST(Lockstep, OperandsThatMeanNothing) {
  for (const char* operands : {"", ", 16", ", 64", ", \"32\"", ", WAVESIZE", ", 32, 32", ", 32.0"})
    expect_refused(kernel(fmt::format("pragma \"heddle.lockstep\"{};", operands)), "heddle:x86-64-v3:w32",
                   "the pragma heddle.lockstep has one operand, the number of work-items, which is 32");
}

TEST(Lockstep, ThePragmaBelongsIntoACodeBlock) {
  for (const std::string& text : {module_header + pragma + "\nprog kernel &k() { ret; };\n",
                                  module_header + "prog kernel &k() { ret; };\n" + pragma + "\n"})
    expect_refused(text, "heddle:x86-64-v3:w32", "belongs into the kernel or function");
}

TEST(Lockstep, OtherPragmasAreIgnored) {
  const Compiled compiled =
      compile(kernel("pragma \"heddle.lockstep.other\", 7; pragma \"lockstep\", 7;"), "heddle:x86-64-v3:w8");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.diagnostics, "");
}

}  // namespace
}  // namespace heddle::testing
