// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What finalization says of pragmas that trigger profile events (PRM 13.4.2.1.1).
// tests/runtime/kernel_events_test.cpp executes such kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compile.h"

namespace heddle::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string kernel(const std::string& operands) {
  return fmt::format(
      "{}prog kernel &k(kernarg_u64 %out) {{ pragma \"hsa.tools.profile.event.trigger\"{}; ret; }};\n",
      module_header, operands);
}

/// In each ISA, the module compiles, and there is a warning with these words.
void expect_warning(const std::string& text, const char* words) {
  for (const char* isa : compiled_isas) {
    const Compiled compiled = compile(text, isa);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_THAT(compiled.ids, SizeIs(1)) << compiled.diagnostics;
    EXPECT_THAT(compiled.ids, Each("FINALIZER-event-trigger"));
    EXPECT_THAT(compiled.diagnostics, HasSubstr(words));
  }
}

TEST(EventTriggers, ValuesOfAllKindsCompile) {
  for (const char* isa : compiled_isas) {
    const Compiled compiled =
        compile(kernel(", 7, $c0, $s0, $d0, 1, 1.5f, 2.5, s32(-1), u64(1), \"text\", WAVESIZE, "
                       "&__hsa.tools.profile.packetid, \"hsa.workitemflatabsid\""),
                isa);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_THAT(compiled.ids, IsEmpty()) << compiled.diagnostics;
  }
}

TEST(EventTriggers, OperandsThatTheyDoNotTakeAreWarnings) {
  constexpr const char* no_id = "the first operand of an event trigger is the ID of an event";
  expect_warning(kernel(""), no_id);
  expect_warning(kernel(", \"seven\""), no_id);
  expect_warning(kernel(", $s1"), no_id);
  expect_warning(kernel(", u32(7)"), no_id);
  expect_warning(kernel(", 1.5"), no_id);
  expect_warning(kernel(", 7, 1, u8(3)"), "value 2 of an event trigger has no type of metadata");
  expect_warning(kernel(", 7, $q0"), "value 1 of an event trigger has no type of metadata");
  expect_warning(kernel(", 7, &k"), "value 1 of an event trigger has no type of metadata");
  expect_warning(kernel(", 7, u8x4(1, 2, 3, 4)"), "value 1 of an event trigger has no type of metadata");
}

TEST(EventTriggers, BelongIntoCodeBlocks) {
  expect_warning(fmt::format("{}pragma \"hsa.tools.profile.event.trigger\", 7;\n"
                             "prog kernel &k(kernarg_u64 %out) {{ ret; }};\n",
                             module_header),
                 "an event trigger outside of kernels and functions");
}

}  // namespace
}  // namespace heddle::testing
