// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose waves take turns at barriers as coroutines: waves that miss a barrier, and names.
#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

struct WaveIsa {
  const char* name;
  uint32_t lanes;
};
std::ostream& operator<<(std::ostream& out, const WaveIsa& isa) { return out << isa.name; }

class Coroutines : public ::testing::TestWithParam<WaveIsa> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam().name)) GTEST_SKIP() << "this CPU does not run " << GetParam().name;
  }
  LoadedCode load(const std::string& text) {
    Compiled compiled = compile(module_header + text, GetParam().name, nullptr);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, Coroutines,
                         ::testing::Values(WaveIsa{"heddle:x86-64-v3:w4", 4},
                                           WaveIsa{"heddle:x86-64-v3:w8", 8},
                                           WaveIsa{"heddle:x86-64-v3:w32", 32},
                                           WaveIsa{"heddle:x86-64-v4:w16", 16},
                                           WaveIsa{"heddle:x86-64-v4:w32", 32}));

/// Only coroutines have frames.
void expect_coroutine(const codeobject::Kernel& kernel) {
  EXPECT_GT(kernel.frame_size, 0u);
  EXPECT_EQ(kernel.flags & codeobject::kernel_needs_fibers, 0u);
}

/// The only barrier is never reached, which is known only when the kernel has been simplified. In its loop,
/// the waves could take turns.
TEST_P(Coroutines, MayHaveNoBarrierLeft) {
  LoadedCode code = load(R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %in, kernarg_u32 %n)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%in];
  ld_kernarg_align(4)_width(all)_u32 $s1, [%n];
  workitemabsid_u32 $s0, 0;
  gridsize_u32 $s2, 0;
  mov_b32 $s3, $s0;
  mov_b32 $s4, 0;
  mov_b1 $c0, 1;
  cbr_b1 $c0, @next;
  barrier;
@next:
  cmp_ge_b1_u32 $c1, $s3, $s1;
  cbr_b1 $c1, @end;
  cvt_u64_u32 $d2, $s3;
  shl_u64 $d2, $d2, 2;
  add_u64 $d2, $d1, $d2;
  ld_global_align(4)_u32 $s5, [$d2];
  add_u32 $s4, $s4, $s5;
  add_u32 $s3, $s3, $s2;
  br @next;
@end:
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 2;
  add_u64 $d2, $d0, $d2;
  st_global_align(4)_u32 $s4, [$d2];
};
)");
  constexpr uint32_t n = 1000, items = 192;
  std::vector<uint32_t> in(n), out(items), expected(items);
  for (uint32_t i = 0; i < n; ++i) expected[i % items] += in[i] = i * i;
  struct {
    uint32_t *out, *in;
    uint32_t n;
  } const kernarg = {out.data(), in.data(), n};
  EXPECT_FALSE(code.run("&k", &kernarg, {{items, 1, 1}, {64, 1, 1}, 1}).taken);
  EXPECT_EQ(out, expected);
}

/// The greatest size that a directive can require is no limit.
TEST_P(Coroutines, MayRequireTheGreatestSize) {
  EXPECT_TRUE(compile(std::string(module_header) + R"(
prog kernel &k(kernarg_u64 %out)
{
  requiredworkgroupsize 4294967295, 1, 1;
  barrier;
};
)",
                      GetParam().name, nullptr));
}

/// A wave that has ended does not open the barrier that others wait at, whether it ends before the first
/// barrier or behind one.
TEST_P(Coroutines, WavesThatMissABarrierAreADeadlock) {
  constexpr uint32_t waves = 4;
  const uint32_t lanes = GetParam().lanes;
  for (const char* before : {"", "barrier;", "barrier; barrier;"}) {
    LoadedCode code = load(fmt::format(R"(
prog kernel &k(kernarg_u64 %out, kernarg_u32 %first, kernarg_u32 %last)
{{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(4)_u32 $s1, [%first];
  ld_kernarg_align(4)_u32 $s2, [%last];
  workitemid_u32 $s0, 0;
  {}
  atomicnoret_add_global_rlx_agent_u32 [$d0], 1;
  cmp_lt_b1_u32 $c0, $s0, $s1;
  cbr_b1 $c0, @end;
  cmp_ge_b1_u32 $c0, $s0, $s2;
  cbr_b1 $c0, @end;
  barrier;
  atomicnoret_add_global_rlx_agent_u32 [$d0], 0x10000;
@end:
  ret;
}};
)",
                                       before));
    expect_coroutine(code.kernel("&k"));
    for (uint32_t first = 0; first < waves; ++first) {
      for (uint32_t last = first; last <= waves; ++last) {
        SCOPED_TRACE(fmt::format("\"{}\": waves {} to {} wait", before, first, last));
        uint32_t count = 0;
        struct {
          uint32_t* out;
          uint32_t first, last;
        } const kernarg = {&count, first * lanes, last * lanes};
        const Trap trap = code.run("&k", &kernarg, {{waves * lanes, 1, 1}, {waves * lanes, 1, 1}, 1});
        const bool together = last - first == waves || last == first;
        EXPECT_EQ(trap.taken, !together);
        if (trap.taken) {
          EXPECT_EQ(trap.reason, uint32_t{kernel_abi::trap_deadlock});
          EXPECT_EQ(trap.detail, last - first) << "waves that wait";
        }
        const uint32_t gone_on = last - first == waves ? waves * lanes : 0;
        EXPECT_EQ(count, waves * lanes + 0x10000 * gone_on);
      }
    }
  }
}

/// With the pragma, waves that have ended are not missed, whether they end before the first barrier or later.
TEST_P(Coroutines, MayEndBeforeABarrier) {
  constexpr uint32_t waves = 4;
  const uint32_t lanes = GetParam().lanes;
  LoadedCode code = load(R"(
prog kernel &k(kernarg_u64 %out, kernarg_u64 %barriers)
{
  pragma "heddle.early_return";
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(8)_u64 $d1, [%barriers];
  workitemid_u32 $s0, 0;
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d2, $s1;
  add_u64 $d1, $d1, $d2;
  ld_global_align(4)_u32 $s2, [$d1];
@next:
  cmp_eq_b1_u32 $c0, $s2, 0;
  cbr_b1 $c0, @end;
  sub_u32 $s2, $s2, 1;
  barrier;
  atomicnoret_add_global_rlx_agent_u32 [$d0], 1;
  br @next;
@end:
  ret;
};
)");
  expect_coroutine(code.kernel("&k"));
  for (uint32_t which = 0; which < 256; ++which) {
    uint32_t count = 0, expected = 0;
    std::vector<uint32_t> barriers(waves * lanes);
    for (uint32_t i = 0; i < barriers.size(); ++i) expected += barriers[i] = which >> i / lanes * 2 & 3;
    struct {
      uint32_t *out, *barriers;
    } const kernarg = {&count, barriers.data()};
    EXPECT_FALSE(code.run("&k", &kernarg, {{waves * lanes, 1, 1}, {waves * lanes, 1, 1}, 1}).taken) << which;
    EXPECT_EQ(count, expected) << which;
  }
}

/// LLVM splits a coroutine into parts with names of their own, some of which are removed. A function of the
/// program may have such a name. The one here calls itself, because it would be inlined otherwise.
TEST_P(Coroutines, LeaveFunctionsWithSimilarNamesAlone) {
  for (const char* name : {"&k.wave.destroy", "&k.wave.cleanup", "&kernel.0.wave.destroy"}) {
    LoadedCode code = load(fmt::format(R"(
function {0}(arg_u32 %r)(arg_u32 %n)
{{
  ld_arg_u32 $s0, [%n];
  mov_b32 $s1, 0;
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  sub_u32 $s2, $s0, 1;
  {{ arg_u32 %x; arg_u32 %m; st_arg_u32 $s2, [%m]; call {0}(%x)(%m); ld_arg_u32 $s1, [%x]; }}
  mad_u32 $s1, $s1, 3, $s0;
@end:
  st_arg_u32 $s1, [%r];
}};
prog kernel &meets(kernarg_u64 %out)
{{
  group_u32 %tile[64];
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  shl_u32 $s1, $s0, 2;
  st_group_u32 $s0, [%tile][$s1];
  barrier;
  sub_u32 $s1, 252, $s1;
  ld_group_u32 $s2, [%tile][$s1];
  cvt_u64_u32 $d1, $s0;
  mad_u64 $d0, $d1, 4, $d0;
  st_global_u32 $s2, [$d0];
}};
prog kernel &calls(kernarg_u64 %out)
{{
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  mad_u64 $d0, $d1, 4, $d0;
  {{ arg_u32 %x; arg_u32 %m; st_arg_u32 $s0, [%m]; call {0}(%x)(%m); ld_arg_u32 $s1, [%x]; }}
  st_global_u32 $s1, [$d0];
}};
)",
                                       name));
    expect_coroutine(code.kernel("&meets"));
    std::vector<uint32_t> met(64), called(64);
    const void* meets[] = {met.data()};
    EXPECT_FALSE(code.run("&meets", meets, {{64, 1, 1}, {64, 1, 1}, 1}).taken);
    const void* calls[] = {called.data()};
    EXPECT_FALSE(code.run("&calls", calls, {{64, 1, 1}, {64, 1, 1}, 1}).taken);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(met[i], 63 - i) << name;
      expected = expected * 3 + i;
      EXPECT_EQ(called[i], expected) << name;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
