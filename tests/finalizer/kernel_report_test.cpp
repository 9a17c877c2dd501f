// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people are told of kernels on ISAs with waves of several work-items.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile.h"
#include "finalizer/x86/kernel_report.h"

namespace heddle::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Compiled compile_for_waves(const std::string& kernel, const char* options) {
  CompileRequest request;
  request.modules = {module_header + kernel};
  request.isa = "heddle:x86-64-v3:w8";
  request.options = options;
  return compile(request);
}

constexpr const char* increment = R"(
  prog kernel &increment(kernarg_u64 %data) {
    workitemabsid_u32 $s0, 0;
    cvt_u64_u32 $d1, $s0;
    shl_u64 $d1, $d1, 2;
    ld_kernarg_align(8)_u64 $d0, [%data];
    add_u64 $d0, $d0, $d1;
    ld_global_align(4)_u32 $s1, [$d0];
    add_u32 $s1, $s1, 1;
    st_global_align(4)_u32 $s1, [$d0];
    ret;
  };)";

TEST(KernelReport, SaysHowAKernelWasCompiled) {
  const Compiled compiled = compile_for_waves(increment, "-v");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_THAT(compiled.ids, Contains("FINALIZER-kernel"));
  EXPECT_THAT(compiled.diagnostics,
              HasSubstr("note: &increment: waves of 8 work-items; bodies: for rows of "
                        "32 (0 gathers, 0 scatters, 0 operations lane by lane), for rows "
                        "(0 gathers, 0 scatters, 0 operations lane by lane)"));
  EXPECT_EQ(compiled.object.kernels[0].lanes, 32u);
}

TEST(KernelReport, SaysNothingUnlessAsked) {
  const Compiled compiled = compile_for_waves(increment, nullptr);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.diagnostics, "");
}

/// Kernels that waves cannot execute. None is known, so that they are only described here.
struct Refused {
  explicit Refused(const char* observed_by) {
    finalizer::x86::KernelReport kernel;
    kernel.refusal = "something has no vectors";
    kernel.observed_by = observed_by;
    Diagnostics diagnostics;
    finalizer::x86::report(kernel, "&k", Location::binary("hsa_code", 4), /*verbose=*/true, diagnostics);
    has_errors = diagnostics.has_errors();
    text = diagnostics.print();
  }
  bool has_errors = false;
  std::string text;
};

TEST(KernelReport, WarnsOfKernelsWithoutWaves) {
  const Refused refused("");
  EXPECT_FALSE(refused.has_errors);
  EXPECT_THAT(refused.text,
              HasSubstr("warning: &k executes one work-item at a time: something has no vectors "
                        "[FINALIZER-spmd-scalar]"));
  EXPECT_THAT(refused.text, HasSubstr("&k: one work-item at a time [FINALIZER-kernel]"));
}

TEST(KernelReport, RefusesThemIfTheyCanTellTheLengthOfTheirWaves) {
  const Refused refused("laneid");
  EXPECT_TRUE(refused.has_errors);
  EXPECT_THAT(refused.text, HasSubstr("&k can tell the length of its waves by laneid"));
  EXPECT_THAT(refused.text, HasSubstr("[FINALIZER-spmd-refused]"));
}

/// The work-items of a wave wait for different values of a signal.
TEST(KernelReport, WorkItemsOfAWaveMayWaitForDifferentThings) {
  const Compiled compiled = compile_for_waves(R"(
  prog kernel &turns(kernarg_sig64 %signal) {
    laneid_u32 $s0;
    cvt_s64_u32 $d1, $s0;
    ld_kernarg_align(8)_sig64 $d0, [%signal];
    signal_wait_eq_rlx_s64_sig64 $d2, $d0, $d1;
    ret;
  };)",
                                              "-v");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_THAT(compiled.diagnostics, HasSubstr("1 operations lane by lane"));
  EXPECT_EQ(compiled.object.kernels[0].lanes, 8u);
}

}  // namespace
}  // namespace heddle::testing
