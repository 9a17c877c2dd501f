// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs in which every floating-point instruction has ftz run in the processor's mode for flushing: MXCSR
// is set once in each entry, and each HSAIL instruction becomes one instruction of the processor.
#include <gmock/gmock.h>
#include <xmmintrin.h>

#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"
#include "machine_code.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAreArray;

constexpr unsigned flushing = 0x8040;

/// Returns a module with a kernel whose operands come from memory. Because of the barrier at the end, the
/// code is for one work-item and has no loops over work-items.
std::string kernel_of(const std::string& instructions) {
  return module_header + R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %a, kernarg_u64 %b)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  ld_global_align(16)_b128 $q1, [$d1];
  ld_global_align(16)_b128 $q2, [$d2];
  ld_global_align(8)_u64 $d4, [$d1+16];
  ld_global_align(8)_u64 $d5, [$d2+16];
  ld_global_align(4)_u32 $s1, [$d1+24];
  ld_global_align(4)_u32 $s2, [$d2+24];
  )" + instructions +
         R"(
  st_global_align(16)_b128 $q0, [$d0];
  st_global_align(8)_u64 $d3, [$d0+16];
  st_global_align(4)_u32 $s0, [$d0+24];
  barrier;
};
)";
}

/// Returns the mnemonics of the instructions that compute, except those that set unused results to zero.
std::vector<std::string> computing(const codeobject::CodeObject& object) {
  std::vector<std::string> found = computing_mnemonics(object.text);
  std::erase_if(found, [](const std::string& mnemonic) { return mnemonic == "xorps" || mnemonic == "xorl"; });
  return found;
}

struct Case {
  const char* instruction;
  const char* isa;
  std::vector<std::string> code;  ///< all that compute between the two that set MXCSR
};

const Case cases[] = {
    {"add_ftz_f32 $s0, $s1, $s2;", "v2", {"addss"}},
    {"mul_ftz_f32 $s0, $s1, $s2;", "v2", {"mulss"}},
    {"mul_ftz_f32 $s0, $s1, $s2;", "v3", {"mulss"}},
    {"mul_ftz_f32 $s0, $s1, $s2;", "v4", {"mulss"}},
    {"mul_ftz_f32 $s0, $s1, 0.5f;", "v3", {"mulss"}},
    {"div_ftz_f64 $d3, $d4, $d5;", "v3", {"divsd"}},
    {"sqrt_ftz_f32 $s0, $s1;", "v3", {"sqrtss"}},
    {"fma_ftz_f64 $d3, $d4, $d5, $d4;", "v3", {"fmadd231sd"}},
    {"cvt_ftz_near_f32_f64 $s0, $d4;", "v3", {"cvtsd2ss"}},
    {"cvt_ftz_f64_f32 $d3, $s1;", "v3", {"cvtss2sd"}},
    {"floor_ftz_f32 $s0, $s1;", "v3", {"roundss"}},
    {"mul_ftz_f32 $s0, $s1, $s2; add_ftz_f32 $s0, $s0, $s1;", "v3", {"mulss", "addss"}},
    {"add_ftz_pp_f32x4 $q0, $q1, $q2;", "v3", {"addps"}},
    {"mul_ftz_pp_f32x2 $d3, $d4, $d5;", "v3", {"mulps"}},
    {"div_ftz_pp_f64x2 $q0, $q1, $q2;", "v3", {"divpd"}},
    {"cmp_lt_ftz_pp_u32x4_f32x4 $q0, $q1, $q2;", "v3", {"cmpltps"}},
    {"mul_ftz_zero_f32 $s0, $s1, $s2;", "v4", {"ldmxcsr", "mulss", "ldmxcsr"}},
    {"mul_ftz_zero_f32 $s0, $s1, $s2;", "v3", {"ldmxcsr", "mulss", "ldmxcsr"}},
};

TEST(FlushMode, OneInstructionForOne) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.isa + std::string(": ") + c.instruction);
    const std::string isa = std::string("heddle:x86-64-") + c.isa + ":w1";
    const Compiled compiled = compile(kernel_of(c.instruction), isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    std::vector<std::string> expected = {"ldmxcsr"};
    expected.insert(expected.end(), c.code.begin(), c.code.end());
    expected.emplace_back("ldmxcsr");
    EXPECT_THAT(computing(compiled.object), ElementsAreArray(expected));
  }
}

/// Returns how often the code of a program changes MXCSR.
ptrdiff_t switches(const std::string& text, const char* options = nullptr) {
  const Compiled compiled = compile(text, "heddle:x86-64-v3:w1", options);
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  return std::ranges::count(computing_mnemonics(compiled.object.text), std::string("ldmxcsr"));
}

/// A number that all work-items of a wave share becomes a vector of equal elements before it is used.
TEST(FlushMode, SharedNumbersAreNotFlushedBeforehand) {
  const Compiled compiled = compile(module_header + std::string(R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %in)
{
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  ld_kernarg_align(8)_width(all)_u64 $d1, [%in];
  ld_global_align(4)_width(all)_f32 $s1, [$d1];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 2;
  add_u64 $d1, $d1, $d2;
  add_u64 $d0, $d0, $d2;
  ld_global_align(4)_f32 $s2, [$d1+4];
  fma_ftz_f32 $s2, $s1, $s2, $s2;
  st_global_align(4)_f32 $s2, [$d0];
};
)"),
                                    "heddle:x86-64-v3:w8", nullptr);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  const auto mnemonics = computing_mnemonics(compiled.object.text);
  EXPECT_THAT(mnemonics, ::testing::Contains(::testing::StartsWith("fmadd")));
  EXPECT_THAT(mnemonics, ::testing::Not(::testing::Contains(::testing::StartsWith("mul"))));
}

/// One instruction that keeps subnormal numbers, or code that may contain one, is enough for the whole
/// program to run without the mode. Instructions that promise nothing about subnormal numbers, or have
/// nothing to do with them, do not count.
TEST(FlushMode, IsOfProgramsThatFlushThroughout) {
  const std::string flushing_instruction = "mul_ftz_f32 $s0, $s1, $s2; ";
  EXPECT_EQ(switches(kernel_of(flushing_instruction)), 2);
  EXPECT_EQ(switches(kernel_of(flushing_instruction), "-O0"), 0);
  EXPECT_EQ(switches(kernel_of("mul_f32 $s0, $s1, $s2;")), 0);
  EXPECT_EQ(switches(kernel_of("add_u32 $s0, $s1, $s2;")), 0);
  for (const char* other :
       {"nsin_f32 $s3, $s1;", "neg_f32 $s3, $s1;", "class_b1_f32 $c0, $s1, 3;", "cvt_near_f32_s32 $s3, $s1;",
        "add_f16 $s3, $s1, $s2;", "cvt_f32_f16 $s3, $s1;", "cmp_eq_b1_b32 $c0, $s1, $s2;"})
    EXPECT_GE(switches(kernel_of(flushing_instruction + other)), 2) << other;
  for (const char* other : {"add_f32 $s3, $s1, $s2;", "cmp_lt_b1_f32 $c0, $s1, $s2;",
                            "cvt_upi_s32_f32 $s3, $s1;", "cvt_near_f16_f32 $s3, $s1;",
                            "max_f64 $d6, $d4, $d5;", "rint_f32 $s3, $s1;", "add_pp_f32x2 $d6, $d4, $d5;"})
    EXPECT_EQ(switches(kernel_of(flushing_instruction + other)), 0) << other;
  EXPECT_EQ(switches(kernel_of(flushing_instruction) + "prog kernel &other(kernarg_u64 %p) {\n"
                                                       "  ld_kernarg_u64 $d0, [%p];\n"
                                                       "  ld_global_f32 $s0, [$d0];\n"
                                                       "  add_f32 $s0, $s0, $s0;\n"
                                                       "  st_global_f32 $s0, [$d0];\n};\n"),
            0);
  EXPECT_EQ(switches(kernel_of(flushing_instruction) + "prog indirect function &f()() {};\n"), 0);
}

class FlushModeRuns : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  LoadedCode load(const std::string& text) {
    Compiled compiled = compile(text, GetParam());
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, FlushModeRuns, ::testing::ValuesIn(compiled_isas));

/// A barrier switches to another wave in the middle of a kernel, when the mode of the kernel is set. The mode
/// of the host is the same before and after the kernel.
TEST_P(FlushModeRuns, TheModeIsTheKernelsAlone) {
  alignas(16) uint32_t out[8] = {}, a[8] = {}, b[8] = {};
  a[6] = 0x00800000;  // 2^-126
  b[6] = 0x3f000000;  // 0.5
  const void* kernarg[] = {out, a, b};
  for (const bool flushes : {true, false}) {
    LoadedCode code = load(kernel_of(flushes ? "mul_ftz_f32 $s0, $s1, $s2;" : "mul_f32 $s0, $s1, $s2;"));
    LoadedCode::RunOptions options;
    unsigned inside = 0;
    options.barrier = [&] { inside = _mm_getcsr(); };
    const unsigned before = _mm_getcsr();
    out[6] = 1;
    ASSERT_FALSE(code.run("&k", kernarg, {}, options).taken);
    EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
    // Only fibers call the agent at barriers.
    if (code.kernel("&k").wave_entry != codeobject::no_entry)
      EXPECT_EQ(inside & flushing, flushes ? flushing : 0);
    else
      EXPECT_GT(code.kernel("&k").lanes, 1u);
    EXPECT_EQ(out[6], flushes ? 0u : 0x00400000u);
  }
}

/// Instructions on f16 flush if they have ftz themselves, whatever the mode of the processor is.
TEST_P(FlushModeRuns, HalfPrecisionHasSubnormalNumbersAsBefore) {
  const std::string half =
      "add_f16 $s3, $s1, $s2; mul_f16 $s4, $s1, $s2; div_f16 $s5, $s1, $s2;\n"
      "fma_f16 $s6, $s1, $s2, $s1; min_f16 $s7, $s1, $s2; add_ftz_f16 $s8, $s1, $s2;\n"
      "cvt_f32_f16 $s0, $s1; cvt_f64_f16 $d3, $s2;\n"
      "xor_b32 $s3, $s3, $s4; shl_u32 $s5, $s5, 16; xor_b32 $s3, $s3, $s5;\n"
      "shl_u32 $s7, $s7, 16; or_b32 $s6, $s6, $s7; combine_v4_b128_b32 $q0, ($s8, $s6, $s3, $s0);\n";
  LoadedCode flushing_code = load(kernel_of(half + "add_ftz_f32 $s9, $s1, $s2;"));
  LoadedCode keeping_code = load(kernel_of(half + "add_f32 $s9, $s1, $s2;"));
  const uint32_t values[] = {0,      1,      0x8001, 0x3ff,  0x400,  0x401,
                             0x8400, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0x7e01};
  for (const uint32_t x : values) {
    for (const uint32_t y : values) {
      alignas(16) uint32_t flushed[8] = {}, kept[8] = {}, a[8] = {}, b[8] = {};
      a[6] = x;
      b[6] = y;
      const void* to_flushed[] = {flushed, a, b};
      const void* to_kept[] = {kept, a, b};
      ASSERT_FALSE(flushing_code.run("&k", to_flushed, {}).taken);
      ASSERT_FALSE(keeping_code.run("&k", to_kept, {}).taken);
      EXPECT_THAT(flushed, ElementsAreArray(kept)) << fmt::format("{:#x} {:#x}", x, y);
    }
  }
}

/// LLVM computes operations whose operands become constants only after inlining or unrolling. It rounds to
/// the format before it flushes, and would keep a tiny result that is rounded up to the least normal number.
TEST_P(FlushModeRuns, ConstantsThatMeetLateAreRoundedAsTheProcessorRounds) {
  const std::string text = module_header + R"(
function &mul(arg_f32 %r)(arg_f32 %x, arg_f32 %y)
{
  ld_arg_f32 $s0, [%x];
  ld_arg_f32 $s1, [%y];
  mul_ftz_f32 $s0, $s0, $s1;
  st_arg_f32 $s0, [%r];
};
function &fma(arg_f32 %r)(arg_f32 %x, arg_f32 %y)
{
  ld_arg_f32 $s0, [%x];
  ld_arg_f32 $s1, [%y];
  fma_ftz_f32 $s0, $s0, $s1, 0.0f;
  st_arg_f32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %out)
{
  ld_kernarg_u64 $d0, [%out];
  { arg_f32 %r; arg_f32 %x; arg_f32 %y;
    st_arg_f32 0f00800000, [%x]; st_arg_f32 0f3f7fffff, [%y];
    call &mul(%r)(%x, %y); ld_arg_u32 $s0, [%r]; }
  st_global_u32 $s0, [$d0];
  { arg_f32 %r; arg_f32 %x; arg_f32 %y;
    st_arg_f32 0f80800000, [%x]; st_arg_f32 0f3f7fffff, [%y];
    call &fma(%r)(%x, %y); ld_arg_u32 $s0, [%r]; }
  st_global_u32 $s0, [$d0+4];
  { arg_f32 %r; arg_f32 %x; arg_f32 %y;
    st_arg_f32 0f00400000, [%x]; st_arg_f32 4.0f, [%y];
    call &fma(%r)(%x, %y); ld_arg_u32 $s0, [%r]; }
  st_global_u32 $s0, [$d0+8];
  mov_b32 $s1, 0f00800000;
  mov_b32 $s2, 0;
@next:
  mul_ftz_f32 $s1, $s1, 0f3f7fffff;
  add_u32 $s2, $s2, 1;
  cmp_lt_b1_u32 $c0, $s2, 1;
  cbr_b1 $c0, @next;
  st_global_u32 $s1, [$d0+12];
  mov_b32 $s1, 0f00800000;
  mov_b32 $s3, 0f3f7fffff;
  mul_ftz_f32 $s1, $s1, $s3;
  st_global_u32 $s1, [$d0+16];
};
)";
  LoadedCode code = load(text);
  uint32_t out[5] = {1, 1, 1, 1, 1};
  const void* kernarg[] = {out};
  ASSERT_FALSE(code.run("&k", kernarg, {}).taken);
  EXPECT_THAT(out, ::testing::ElementsAre(0u, 0x80000000u, 0u, 0u, 0u));
}

}  // namespace
}  // namespace heddle::testing
