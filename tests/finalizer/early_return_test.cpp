// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pragma of kernels whose barriers do not wait for work-items that have ended.
// tests/differential/early_return_agents_test.cpp executes such kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "compile.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* pragma = "pragma \"heddle.early_return\";";

std::string kernel(const std::string& body) {
  return fmt::format("prog kernel &k() {{ {} barrier; }};\n", body);
}

bool is_marked(const std::string& text, const char* isa) {
  const Compiled compiled = compile(module_header + text, isa);
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  return compiled && (compiled.object.kernels[0].flags & codeobject::kernel_early_return) != 0;
}

TEST(EarlyReturn, MarksKernels) {
  for (const char* isa :
       {"heddle:x86-64-v2:w1", "heddle:x86-64-v3:w8", "heddle:hsail:w1", "heddle:hsail:w32"}) {
    EXPECT_FALSE(is_marked(kernel(""), isa)) << isa;
    EXPECT_TRUE(is_marked(kernel(pragma), isa)) << isa;
    const auto with_function = [](const char* in_function, const char* call) {
      return fmt::format("function &f()() {{ {} barrier; }};\n{}", in_function, kernel(call));
    };
    EXPECT_TRUE(is_marked(with_function(pragma, "{ call &f()(); }"), isa)) << isa;
    EXPECT_FALSE(is_marked(with_function(pragma, ""), isa)) << isa;
    EXPECT_FALSE(is_marked(with_function("", "{ call &f()(); }"), isa)) << isa;
  }
}

TEST(EarlyReturn, OtherKernelsOfTheModuleKeepTheirBarriers) {
  const Compiled compiled =
      compile(module_header + kernel(pragma) + "prog kernel &other() { barrier; };\n", "heddle:x86-64-v3:w8");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_NE(compiled.object.kernels[0].flags & codeobject::kernel_early_return, 0u);
  EXPECT_EQ(compiled.object.kernels[1].flags & codeobject::kernel_early_return, 0u);
}

void expect_refused(const std::string& text, const char* words) {
  const Compiled compiled = compile(module_header + text, "heddle:x86-64-v3:w8");
  EXPECT_FALSE(compiled) << text;
  EXPECT_THAT(compiled.ids, ElementsAre("FINALIZER-early-return")) << compiled.diagnostics;
  EXPECT_THAT(compiled.diagnostics, HasSubstr(words));
}

TEST(EarlyReturn, RefusesWhatMeansNothing) {
  expect_refused(kernel("pragma \"heddle.early_return\", 1;"), "has no operands");
  expect_refused(std::string(pragma) + "\n" + kernel(""), "belongs into the kernel or function");
}

}  // namespace
}  // namespace heddle::testing
