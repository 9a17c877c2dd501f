// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people are told of kernels on ISAs with waves of several work-items.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile.h"
#include "finalizer/spmd/verify.h"
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

/// Returns what -v says of a kernel that takes the addresses %a and %b, of which the work-item with the ID
/// $s0 accesses something. `statements` begin in line 2 of k.src.
std::string report_on(const std::string& statements, const char* isa) {
  CompileRequest request;
  request.modules = {module_header + R"(
  prog kernel &k(kernarg_u64 %a, kernarg_u64 %b, kernarg_u32 %n) {
    loc 1 "k.src";
    ld_kernarg_align(8)_width(all)_u64 $d0, [%a];
    ld_kernarg_align(8)_width(all)_u64 $d1, [%b];
    ld_kernarg_align(4)_width(all)_u32 $s1, [%n];
    workitemabsid_u32 $s0, 0;
    cvt_u64_u32 $d2, $s0;
    shl_u64 $d3, $d2, 2;
    add_u64 $d1, $d1, $d3;
    loc 2 "k.src";
)" + statements + "\n    ret;\n  };"};
  request.isa = isa;
  request.options = "-v";
  const Compiled compiled = compile(request);
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  return compiled.diagnostics;
}

TEST(KernelReport, SaysWhyOperationsCostMuch) {
  const struct {
    const char* statements;
    const char* note;
    const char* isa = "heddle:x86-64-v3:w8";
  } cases[] = {
      {"shl_u64 $d4, $d2, 4; add_u64 $d4, $d0, $d4; ld_global_u32 $s2, [$d4]; st_global_u32 $s2, [$d1];",
       "note: gather at k.src:2: the addresses of neighbours are 16 bytes apart, of which each accesses 4\n"},
      {"shl_u64 $d4, $d2, 4; add_u64 $d4, $d0, $d4; st_global_u32 $s0, [$d4];",
       "note: lane by lane at k.src:2: AVX2 has no scatter, and the addresses of neighbours are 16 bytes "
       "apart"},
      {"shl_u64 $d4, $d2, 4; add_u64 $d4, $d0, $d4; st_global_u32 $s0, [$d4];",
       "note: scatter at k.src:2: the addresses of neighbours are 16 bytes apart", "heddle:x86-64-v4:w16"},
      {"ld_global_u32 $s2, [$d1]; loc 3 \"k.src\"; cvt_u64_u32 $d4, $s2; add_u64 $d4, $d0, $d4;"
       "ld_global_u32 $s2, [$d4]; st_global_u32 $s2, [$d1];",
       "note: gather at k.src:3: the address depends on a loaded value (line 2)\n"},
      {"mul_u32 $s2, $s0, $s1; cvt_u64_u32 $d4, $s2; add_u64 $d4, $d0, $d4;"
       "ld_global_u32 $s2, [$d4]; st_global_u32 $s2, [$d1];",
       "note: gather at k.src:2: what differs between work-items is multiplied by a number that is not"},
      {"div_u32 $s2, $s0, $s1; cvt_u64_u32 $d4, $s2; add_u64 $d4, $d0, $d4;"
       "ld_global_u32 $s2, [$d4]; st_global_u32 $s2, [$d1];",
       "note: gather at k.src:2: the address depends on a division of what differs between work-items\n"},
      {"cmp_lt_b1_f32 $c0, $s0, $s1; cmov_b64 $d4, $c0, $d0, $d1; ld_global_u32 $s2, [$d4];"
       "st_global_u32 $s2, [$d1];",
       "note: gather at k.src:2: the address depends on a condition on which work-items disagree\n"},
      {"shl_u64 $d4, $d2, 1; add_u64 $d4, $d0, $d4; ld_global_u8 $s2, [$d4]; st_global_u32 $s2, [$d1];",
       "note: lane by lane at k.src:2: there is no gather of 8 bits, and the addresses of neighbours are 2"},
      {"ld_global_u32 $s2, [$d1]; cmp_lt_b1_u32 $c0, $s2, 3; cbr_b1 $c0, @end; add_u64 $d4, $d0, $d2;"
       "st_global_u8 $s2, [$d4]; @end:",
       "note: lane by lane at k.src:2: there is no access to elements of 8 bits under a mask"},
      {"atomicnoret_add_global_rlx_agent_u32 [$d1], 1;",
       "note: lane by lane at k.src:2: atomic operations of the work-items have addresses of their own\n"},
      {"atomic_exch_global_rlx_agent_b32 $s2, [$d0], $s0; st_global_u32 $s2, [$d1];",
       "note: lane by lane at k.src:2: atomic operations on one address that cannot be combined into one\n"},
  };
  for (const auto& example : cases)
    EXPECT_THAT(report_on(example.statements, example.isa), HasSubstr(example.note)) << example.statements;
}

/// Rows are cut so that promises for slices hold, if they are for whole waves.
TEST(KernelReport, ShowsThatPromisesForSlicesAreUsed) {
  const auto load = [](const char* width) {
    return std::string(
               "div_u32 $s2, $s0, $s1; cvt_u64_u32 $d4, $s2; add_u64 $d4, $d0, $d4; ld_global_width(") +
           width + ")_u32 $s2, [$d4]; st_global_u32 $s2, [$d1];";
  };
  for (const char* used : {"8", "32", "128", "WAVESIZE"})
    EXPECT_THAT(report_on(load(used), "heddle:x86-64-v3:w8"), HasSubstr("for rows (0 gathers")) << used;
  EXPECT_THAT(report_on(load("32"), "heddle:x86-64-v3:w8"), HasSubstr("for rows of 32 (0 gathers"));
  EXPECT_THAT(report_on(load("8"), "heddle:x86-64-v3:w8"), HasSubstr("for rows of 32 (1 gathers"));
  for (const char* unused : {"1", "4"})
    EXPECT_THAT(report_on(load(unused), "heddle:x86-64-v3:w8"), HasSubstr("for rows (1 gathers")) << unused;
}

TEST(KernelReport, SaysItOnceForEachPlace) {
  const std::string access =
      "shl_u64 $d4, $d2, 4; add_u64 $d4, $d0, $d4; ld_global_u32 $s2, [$d4];"
      "ld_global_u32 $s3, [$d4+8]; add_u32 $s2, $s2, $s3; st_global_u32 $s2, [$d1];";
  const std::string report = report_on(access, "heddle:x86-64-v3:w8");
  EXPECT_THAT(report, HasSubstr("(2 gathers, 0 scatters"));
  EXPECT_EQ(report.find("note: gather"), report.rfind("note: gather")) << report;
}

TEST(KernelReport, SaysItForTheFirstPlacesOnly) {
  std::string statements = "shl_u64 $d4, $d2, 4; add_u64 $d4, $d0, $d4;";
  for (int line = 11; line <= 20; ++line)
    statements += "loc " + std::to_string(line) +
                  " \"k.src\"; ld_global_u32 $s2, [$d4]; st_global_u32 $s2, [$d1]; add_u64 $d4, $d4, 400;";
  const std::string report = report_on(statements, "heddle:x86-64-v3:w8");
  EXPECT_THAT(report, HasSubstr("k.src:11: "));
  EXPECT_THAT(report, HasSubstr("k.src:18: "));
  EXPECT_THAT(report, Not(HasSubstr("k.src:19: ")));
  EXPECT_THAT(report, HasSubstr("note: and 2 more\n"));
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
    kernel.missing = {
        {"for rows", "it is too large"},
        {"for partial rows", finalizer::spmd::mistake_found({"wave-mask: it has other lanes"}).message}};
    Diagnostics diagnostics;
    finalizer::x86::report(kernel, "&k", Location::binary("hsa_code", 4), /*verbose=*/true, diagnostics);
    has_errors = diagnostics.has_errors();
    text = diagnostics.print();
  }
  bool has(const std::string& id) const { return text.find("[" + id + "]") != std::string::npos; }

  bool has_errors = false;
  std::string text;
};

TEST(KernelReport, WarnsOfKernelsWithoutWaves) {
  const Refused refused("");
  EXPECT_FALSE(refused.has_errors);
  EXPECT_THAT(refused.text,
              HasSubstr("warning: &k executes one work-item at a time: something has no vectors "));
  EXPECT_TRUE(refused.has("FINALIZER-spmd-scalar"));
  EXPECT_THAT(refused.text, HasSubstr("&k: one work-item at a time [FINALIZER-kernel]"));
}

/// Nobody has to ask for what a verifier has found.
TEST(KernelReport, SaysWhichBodiesAreMissing) {
  const Refused refused("");
  EXPECT_THAT(refused.text, HasSubstr("note: no body for rows: it is too large\n"));
  EXPECT_THAT(refused.text,
              HasSubstr("warning: &k has no body for partial rows: the vectoriser has made a mistake: "
                        "wave-mask: it has other lanes "));
  EXPECT_TRUE(refused.has("FINALIZER-spmd-verify"));
}

/// A lane of these has vectors of eight bits itself, as many as a part of the wave has lanes.
TEST(KernelReport, PackedConversionsAreForWaves) {
  for (const char* conversion : {"cvt_pp_sat_u8x8_s8x8 $d4, $d3; st_global_u64 $d4, [$d1];",
                                 "cvt_pp_s16x8_s8x8 $q0, $d3; st_global_b128 $q0, [$d1];",
                                 "cvt_near_pp_f16x8_s8x8 $q0, $d3; st_global_b128 $q0, [$d1];"})
    EXPECT_THAT(report_on(std::string("ld_global_u64 $d3, [$d1]; ") + conversion, "heddle:x86-64-v3:w32"),
                HasSubstr("waves of 32 work-items"))
        << conversion;
}

/// LLVM's simplification makes something of these that has no form for vectors.
TEST(KernelReport, ProductsThatOverflowAndSingleBitsAreForWaves) {
  for (const char* statements :
       {"mulhi_u32 $s2, $s0, $s1; cvt_b1_u32 $c0, $s2; cvt_u32_b1 $s2, $c0; st_global_u32 $s2, [$d1];",
        "ld_global_u32 $s0, [$d1]; ld_global_u32 $s1, [$d1+4]; unpacklo_s16x2 $s2, $s0, $s1; and_b32 $s2, "
        "$s2, 1;"
        "cmp_eq_b1_u32 $c0, $s2, 0; cmov_b32 $s2, $c0, $s0, $s1; st_global_u32 $s2, [$d1];"})
    EXPECT_THAT(report_on(statements, "heddle:x86-64-v3:w4"), HasSubstr("waves of 4 work-items"))
        << statements;
}

TEST(KernelReport, LargeKernelsHaveNoBodyForRows) {
  std::string statements;
  for (int i = 0; i < 4100; ++i) statements += "mad_u32 $s2, $s2, $s0, $s1; ";
  EXPECT_THAT(report_on(statements + "st_global_u32 $s2, [$d1];", "heddle:x86-64-v3:w8"),
              HasSubstr("note: no body for rows: the kernel has "));
}

TEST(KernelReport, RefusesThemIfTheyCanTellTheLengthOfTheirWaves) {
  const Refused refused("laneid");
  EXPECT_TRUE(refused.has_errors);
  EXPECT_THAT(refused.text, HasSubstr("&k can tell the length of its waves by laneid"));
  EXPECT_TRUE(refused.has("FINALIZER-spmd-refused"));
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
