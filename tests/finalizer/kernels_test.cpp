// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles and runs whole kernels.
#include <numeric>

#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

const char* const vector_add = R"(
prog kernel &vadd(kernarg_u64 %a, kernarg_u64 %b, kernarg_u64 %c)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 2;
  ld_kernarg_align(8)_u64 $d1, [%a];
  ld_kernarg_align(8)_u64 $d2, [%b];
  ld_kernarg_align(8)_u64 $d3, [%c];
  add_u64 $d1, $d1, $d0;
  add_u64 $d2, $d2, $d0;
  add_u64 $d3, $d3, $d0;
  ld_global_align(4)_f32 $s1, [$d1];
  ld_global_align(4)_f32 $s2, [$d2];
  add_f32 $s1, $s1, $s2;
  st_global_align(4)_f32 $s1, [$d3];
};
)";

class Kernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  LoadedCode load(const std::string& text, const char* options = nullptr) {
    Compiled compiled = compile(module_header + text, GetParam(), options);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, Kernels, ::testing::ValuesIn(compiled_isas));

TEST_P(Kernels, VectorAddAtEveryOptLevel) {
  for (const char* opt_level : {"-O0", "-O1", "-O2", "-O3"}) {
    LoadedCode code = load(vector_add, opt_level);
    constexpr size_t n = 1000;
    std::vector<float> a(n), b(n), c(n + 1, -1.0f);
    std::iota(a.begin(), a.end(), 0.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    const void* kernarg[] = {a.data(), b.data(), c.data()};
    // 1000 is no multiple of 64: the last group is partial.
    EXPECT_FALSE(code.run("&vadd", kernarg, {{n, 1, 1}, {64, 1, 1}, 1}).taken);
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i << " " << opt_level;
    EXPECT_EQ(c[n], -1.0f);
  }
}

/// Checks every identification instruction against its definition (PRM 2.1, 11.1), with partial groups in all
/// dimensions and with both kinds of entries: the barrier at the end makes the entry one call for each wave.
TEST_P(Kernels, KnowWhoTheyAre) {
  const char* const queries[] = {
      "workitemid_u32 $s0, 0;",
      "workitemid_u32 $s0, 1;",
      "workitemid_u32 $s0, 2;",
      "workgroupid_u32 $s0, 0;",
      "workgroupid_u32 $s0, 1;",
      "workgroupid_u32 $s0, 2;",
      "workitemabsid_u32 $s0, 0;",
      "workitemabsid_u32 $s0, 1;",
      "workitemabsid_u32 $s0, 2;",
      "currentworkgroupsize_u32 $s0, 0;",
      "currentworkgroupsize_u32 $s0, 1;",
      "currentworkgroupsize_u32 $s0, 2;",
      "workgroupsize_u32 $s0, 1;",
      "gridsize_u32 $s0, 2;",
      "gridgroups_u32 $s0, 0;",
      "dim_u32 $s0;",
      "workitemflatid_u32 $s0;",
      "currentworkitemflatid_u32 $s0;",
      "workitemflatabsid_u32 $s0;",
      "laneid_u32 $s0;",
      "cuid_u32 $s0;",
      "maxcuid_u32 $s0;",
      "groupstaticsize_u32 $s0;",
      "grouptotalsize_u32 $s0;",
      "packetid_u64 $d0; cvt_u32_u64 $s0, $d0;",
      "packetcompletionsig_sig64 $d0; cvt_u32_u64 $s0, $d0;",
  };
  constexpr uint32_t count = std::size(queries);
  std::string text =
      "prog kernel &who(kernarg_u64 %out)\n{\n  group_u32 %g[10];\n"
      "  workitemflatabsid_u64 $d1;\n  ld_kernarg_align(8)_u64 $d2, [%out];\n"
      "  mad_u64 $d1, $d1, " +
      std::to_string(count * 4) + ", $d2;\n  st_group_u32 1, [%g];\n";
  for (uint32_t i = 0; i < count; ++i)
    text += std::string("  ") + queries[i] + "\n  st_global_align(4)_u32 $s0, [$d1+" + std::to_string(4 * i) +
            "];\n";
  constexpr uint32_t grid[3] = {7, 5, 3}, group[3] = {4, 2, 2};
  for (const char* end : {"};\n", "  barrier;\n};\n"}) {
    LoadedCode code = load(text + end);
    std::vector<uint32_t> out(7 * 5 * 3 * count, 0xffffffff);
    const void* kernarg[] = {out.data()};
    LoadedCode::RunOptions options;
    options.dynamic_group_size = 24;
    code.run("&who", kernarg, {{7, 5, 3}, {4, 2, 2}, 3}, options);
    for (uint32_t z = 0; z < 3; ++z)
      for (uint32_t y = 0; y < 5; ++y)
        for (uint32_t x = 0; x < 7; ++x) {
          const uint32_t abs[3] = {x, y, z};
          uint32_t wi[3], wg[3], current[3];
          for (int k = 0; k < 3; ++k) {
            wg[k] = abs[k] / group[k];
            wi[k] = abs[k] % group[k];
            current[k] = std::min(group[k], grid[k] - wg[k] * group[k]);
          }
          const uint32_t flat = x + y * 7 + z * 35;
          const uint32_t current_flat = wi[0] + wi[1] * current[0] + wi[2] * current[0] * current[1];
          const uint32_t expected[count] = {wi[0],
                                            wi[1],
                                            wi[2],
                                            wg[0],
                                            wg[1],
                                            wg[2],
                                            x,
                                            y,
                                            z,
                                            current[0],
                                            current[1],
                                            current[2],
                                            2,
                                            3,
                                            2,
                                            3,
                                            wi[0] + wi[1] * 4 + wi[2] * 8,
                                            current_flat,
                                            flat,
                                            current_flat % code.kernel("&who").lanes,
                                            2,
                                            5,
                                            40,
                                            64,
                                            7,
                                            0x5160};
          for (uint32_t i = 0; i < count; ++i)
            ASSERT_EQ(out[flat * count + i], expected[i])
                << queries[i] << " of " << x << "," << y << "," << z;
        }
  }
}

/// The smallest kernels have loops of their own for groups that do not extend in x, or in x and y.
TEST_P(Kernels, TinyOnesKnowTheirShape) {
  LoadedCode code = load(R"(
prog kernel &tiny(kernarg_u64 %out)
{
  workitemflatabsid_u64 $d1;
  ld_kernarg_align(8)_u64 $d0, [%out];
  mad_u64 $d0, $d1, 16, $d0;
  workitemid_u32 $s0, 0;
  workitemid_u32 $s1, 1;
  workitemid_u32 $s2, 2;
  workgroupid_u32 $s3, 1;
  st_v4_global_align(4)_u32 ($s0, $s1, $s2, $s3), [$d0];
};
)");
  constexpr uint32_t groups[][3] = {{4, 1, 1}, {1, 4, 1}, {1, 1, 4}, {2, 3, 1},
                                    {2, 1, 3}, {1, 3, 2}, {3, 2, 2}};
  for (const auto& group : groups) {
    SCOPED_TRACE(fmt::format("groups of {}x{}x{}", group[0], group[1], group[2]));
    std::vector<uint32_t> out(7 * 5 * 6 * 4, 0xffffffff);
    const void* kernarg[] = {out.data()};
    EXPECT_FALSE(code.run("&tiny", kernarg, {{7, 5, 6}, {group[0], group[1], group[2]}, 3}).taken);
    for (uint32_t id = 0; id < 7 * 5 * 6; ++id) {
      const uint32_t x = id % 7, y = id / 7 % 5, z = id / 35;
      const uint32_t expected[] = {x % group[0], y % group[1], z % group[2], y / group[1]};
      for (int i = 0; i < 4; ++i) ASSERT_EQ(out[4 * id + i], expected[i]) << i << " of " << id;
    }
  }
}

/// Some of the code generator's slower passes are not run on blocks of this size.
TEST_P(Kernels, AreLong) {
  constexpr uint32_t steps = 8000;
  std::string text =
      "prog kernel &long(kernarg_u64 %out)\n{\n  workitemabsid_u32 $s0, 0;\n  mov_b32 $s1, $s0;\n";
  for (uint32_t i = 0; i < steps; ++i)
    text += fmt::format("  mul_u32 $s1, $s1, {};\n  xor_b32 $s1, $s1, {};\n", 2 * i + 3, i);
  text +=
      "  ld_kernarg_align(8)_u64 $d0, [%out];\n  cvt_u64_u32 $d1, $s0;\n  mad_u64 $d0, $d1, 4, $d0;\n"
      "  st_global_align(4)_u32 $s1, [$d0];\n};\n";
  LoadedCode code = load(text);
  std::vector<uint32_t> out(7);
  const void* kernarg[] = {out.data()};
  EXPECT_FALSE(code.run("&long", kernarg, {{7, 1, 1}, {4, 1, 1}, 1}).taken);
  for (uint32_t id = 0; id < out.size(); ++id) {
    uint32_t expected = id;
    for (uint32_t i = 0; i < steps; ++i) expected = expected * (2 * i + 3) ^ i;
    EXPECT_EQ(out[id], expected) << id;
  }
}

TEST_P(Kernels, BranchAnywhere) {
  // Each of two loops jumps into the middle of the other, so neither is a natural loop. The kernel counts the
  // steps.
  LoadedCode code = load(R"(
prog kernel &irreducible(kernarg_u64 %out, kernarg_u32 %n)
{
  ld_kernarg_align(4)_u32 $s1, [%n];
  mov_b32 $s0, 0;
  and_b32 $s2, $s1, 1;
  cmp_eq_b1_u32 $c0, $s2, 1;
  cbr_b1 $c0, @odd;
@even:
  add_u32 $s0, $s0, 1;
  cmp_eq_b1_u32 $c0, $s1, 0;
  cbr_b1 $c0, @done;
  sub_u32 $s1, $s1, 1;
@odd:
  add_u32 $s0, $s0, 100;
  sub_u32 $s1, $s1, 1;
  br @even;
@done:
  ld_kernarg_align(8)_u64 $d0, [%out];
  st_global_u32 $s0, [$d0];
};
prog kernel &choose(kernarg_u64 %out, kernarg_u32 %n)
{
  ld_kernarg_align(4)_u32 $s1, [%n];
  mov_b32 $s0, 0;
  sbr_u32 $s1 [@a, @b, @c, @a];
@a: add_u32 $s0, $s0, 1;
@b: add_u32 $s0, $s0, 10;
@c: add_u32 $s0, $s0, 100;
  ld_kernarg_align(8)_u64 $d0, [%out];
  st_global_u32 $s0, [$d0];
};
)");
  struct {
    uint32_t* out;
    uint32_t n;
  } kernarg;
  uint32_t out = 0;
  kernarg.out = &out;
  for (const auto& [n, expected] : {std::pair{0u, 1u}, {1u, 101u}, {5u, 303u}, {6u, 304u}}) {
    kernarg.n = n;
    code.run("&irreducible", &kernarg, {});
    EXPECT_EQ(out, expected) << n;
  }
  for (const auto& [n, expected] : {std::pair{0u, 111u}, {1u, 110u}, {2u, 100u}, {3u, 111u}}) {
    kernarg.n = n;
    code.run("&choose", &kernarg, {});
    EXPECT_EQ(out, expected) << n;
  }
}

const char* const functions = R"(
function &add3(arg_u32 %r)(arg_u32 %a[3])
{
  ld_arg_align(4)_u32 $s0, [%a];
  ld_arg_align(4)_u32 $s1, [%a][4];
  mov_b32 $s3, 8;
  ld_arg_align(4)_u32 $s2, [%a][$s3];
  add_u32 $s0, $s0, $s1;
  add_u32 $s0, $s0, $s2;
  st_arg_align(4)_u32 $s0, [%r];
};
function &fib(arg_u32 %r)(arg_u32 %n)
{
  private_u32 %saved[2];
  ld_arg_align(4)_u32 $s0, [%n];
  cmp_lt_b1_u32 $c0, $s0, 2;
  cbr_b1 $c0, @small;
  mov_b32 $s9, 0;
  st_private_align(4)_u32 $s0, [%saved][$s9];
  {
    arg_u32 %x; arg_u32 %y;
    sub_u32 $s1, $s0, 1;
    st_arg_align(4)_u32 $s1, [%x];
    call &fib(%y)(%x);
    ld_arg_align(4)_u32 $s2, [%y];
  }
  ld_private_align(4)_u32 $s3, [%saved][$s9];
  {
    arg_u32 %x; arg_u32 %y;
    sub_u32 $s1, $s3, 2;
    st_arg_align(4)_u32 $s1, [%x];
    call &fib(%y)(%x);
    ld_arg_align(4)_u32 $s4, [%y];
  }
  add_u32 $s0, $s2, $s4;
@small:
  st_arg_align(4)_u32 $s0, [%r];
};
indirect function &twice(arg_u32 %r)(arg_u32 %a)
{
  ld_arg_align(4)_u32 $s0, [%a];
  shl_u32 $s0, $s0, 1;
  st_arg_align(4)_u32 $s0, [%r];
};
indirect function &square(arg_u32 %r)(arg_u32 %a)
{
  ld_arg_align(4)_u32 $s0, [%a];
  mul_u32 $s0, $s0, $s0;
  st_arg_align(4)_u32 $s0, [%r];
};
signature &unary(arg_u32)(arg_u32);
prog kernel &calls(kernarg_u64 %out, kernarg_u32 %n)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(4)_u32 $s0, [%n];
  {
    arg_u32 %v[3]; arg_u32 %r;
    st_arg_align(4)_u32 $s0, [%v];
    st_arg_align(4)_u32 20, [%v][4];
    st_arg_align(4)_u32 300, [%v][8];
    call &add3(%r)(%v);
    ld_arg_align(4)_u32 $s1, [%r];
  }
  st_global_u32 $s1, [$d0];
  {
    arg_u32 %v; arg_u32 %r;
    st_arg_align(4)_u32 $s0, [%v];
    call &fib(%r)(%v);
    ld_arg_align(4)_u32 $s1, [%r];
  }
  st_global_u32 $s1, [$d0+4];
  and_b32 $s2, $s0, 1;
  {
    arg_u32 %v; arg_u32 %r;
    st_arg_align(4)_u32 $s0, [%v];
    scall_u32 $s2 (%r)(%v) [&twice, &square];
    ld_arg_align(4)_u32 $s1, [%r];
  }
  st_global_u32 $s1, [$d0+8];
  mov_b64 $d1, addr(&square);
  {
    arg_u32 %v; arg_u32 %r;
    st_arg_align(4)_u32 $s0, [%v];
    icall_u64 $d1 (%r)(%v) &unary;
    ld_arg_align(4)_u32 $s1, [%r];
  }
  st_global_u32 $s1, [$d0+12];
};
)";

TEST_P(Kernels, CallFunctions) {
  for (const char* opt_level : {"-O0", "-O2"}) {
    LoadedCode code = load(functions, opt_level);
    EXPECT_TRUE(code.kernel("&calls").dynamic_call_stack);
    uint32_t out[4] = {};
    const struct {
      uint32_t* out;
      uint32_t n;
    } kernarg = {out, 10};
    EXPECT_FALSE(code.run("&calls", &kernarg, {}).taken);
    EXPECT_EQ(out[0], 330u);
    EXPECT_EQ(out[1], 55u);
    EXPECT_EQ(out[2], 20u);
    EXPECT_EQ(out[3], 100u);
    // Here the private segment holds only a few activations of &fib.
    LoadedCode::RunOptions tight;
    tight.extra_private_size = 64;
    const Trap trap = code.run("&calls", &kernarg, {}, tight);
    EXPECT_TRUE(trap.taken);
    EXPECT_EQ(trap.reason, kernel_abi::trap_private_exhausted);
  }
}

/// Kernels that enter the same cycle of calls at different functions, and a chain of calls whose frames have
/// alignments. The frames of &a and &b have 4096 and 272 bytes.
const char* const framed = R"(
decl function &b()(arg_u32 %n, arg_u64 %out);
function &a()(arg_u32 %n, arg_u64 %out)
{
  private_u32 %room[1024];
  ld_arg_align(4)_u32 $s0, [%n];
  ld_arg_align(8)_u64 $d0, [%out];
  st_private_align(4)_u32 $s0, [%room][$s0];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  sub_u32 $s1, $s0, 1;
  {
    arg_u32 %m; arg_u64 %o;
    st_arg_align(4)_u32 $s1, [%m];
    st_arg_align(8)_u64 $d0, [%o];
    call &b()(%m, %o);
  }
@end:
  ld_private_align(4)_u32 $s1, [%room][$s0];
  atomicnoret_add_global_rlx_system_u32 [$d0], $s1;
};
function &b()(arg_u32 %n, arg_u64 %out)
{
  private_u32 %room[68];
  ld_arg_align(4)_u32 $s0, [%n];
  ld_arg_align(8)_u64 $d0, [%out];
  st_private_align(4)_u32 $s0, [%room][$s0];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  sub_u32 $s1, $s0, 1;
  {
    arg_u32 %m; arg_u64 %o;
    st_arg_align(4)_u32 $s1, [%m];
    st_arg_align(8)_u64 $d0, [%o];
    call &a()(%m, %o);
  }
@end:
  ld_private_align(4)_u32 $s1, [%room][$s0];
  atomicnoret_add_global_rlx_system_u32 [$d0], $s1;
};
prog kernel &begins_at_a(kernarg_u64 %out, kernarg_u32 %n)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(4)_u32 $s0, [%n];
  {
    arg_u32 %m; arg_u64 %o;
    st_arg_align(4)_u32 $s0, [%m];
    st_arg_align(8)_u64 $d0, [%o];
    call &a()(%m, %o);
  }
};
prog kernel &begins_at_b(kernarg_u64 %out, kernarg_u32 %n)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(4)_u32 $s0, [%n];
  {
    arg_u32 %m; arg_u64 %o;
    st_arg_align(4)_u32 $s0, [%m];
    st_arg_align(8)_u64 $d0, [%o];
    call &b()(%m, %o);
  }
};
function &leaf()(arg_u64 %out)
{
  align(64) private_u8 %byte;
  ld_arg_align(8)_u64 $d0, [%out];
  lda_private_u32 $s0, [%byte];
  and_b32 $s0, $s0, 63;
  st_global_align(4)_u32 $s0, [$d0];
};
prog kernel &chain(kernarg_u64 %out)
{
  align(128) private_u32 %room[4];
  ld_kernarg_align(8)_u64 $d0, [%out];
  lda_private_u32 $s0, [%room];
  st_private_u32 1, [$s0];
  {
    arg_u64 %o;
    st_arg_align(8)_u64 $d0, [%o];
    call &leaf()(%o);
  }
};
)";

TEST_P(Kernels, OfOneCycleOfCallsNeedTheSamePrivateMemory) {
  LoadedCode code = load(framed);
  for (const char* kernel : {"&begins_at_a", "&begins_at_b"}) {
    EXPECT_EQ(code.kernel(kernel).private_size, 4096u + 272u) << kernel;
    EXPECT_TRUE(code.kernel(kernel).dynamic_call_stack) << kernel;
    LoadedCode::RunOptions tight;
    tight.extra_private_size = 0;
    // The kernel's private size holds one activation of each function, but not a third one.
    for (const uint32_t repeated : {1u, 2u}) {
      uint32_t sum = 0;
      const struct {
        uint32_t* out;
        uint32_t n;
      } kernarg = {&sum, repeated};
      const Trap trap = code.run(kernel, &kernarg, {}, tight);
      EXPECT_EQ(trap.taken, repeated == 2) << kernel;
      if (repeated == 1) EXPECT_EQ(sum, 1u) << kernel;
    }
  }
}

TEST_P(Kernels, NeedNoMorePrivateMemoryThanTheirFramesTake) {
  LoadedCode code = load(framed);
  // The frame of &chain has 16 bytes; that of &leaf has 16 bytes and starts at the next multiple of 64.
  EXPECT_EQ(code.kernel("&chain").private_size, 80u);
  EXPECT_FALSE(code.kernel("&chain").dynamic_call_stack);
  for (const int32_t missing : {0, 1}) {
    uint32_t out = 7;
    const uint32_t* kernarg[] = {&out};
    LoadedCode::RunOptions tight;
    tight.extra_private_size = static_cast<uint32_t>(-missing);
    const Trap trap = code.run("&chain", kernarg, {}, tight);
    EXPECT_EQ(trap.taken, missing != 0);
    EXPECT_EQ(out, missing != 0 ? 7u : 0u);
  }
}

TEST_P(Kernels, KeepPrivateMemoryApart) {
  LoadedCode code = load(R"(
private_u32 &shared[4];
prog kernel &mem(kernarg_u64 %out, kernarg_u32 %n)
{
  private_u32 %array[16];
  align(64) private_u8 %aligned;
  spill_u32 %kept;
  private_u64 %big[1000];
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_kernarg_align(4)_u32 $s0, [%n];
  st_spill_align(4)_u32 $s0, [%kept];
  // Dynamic index, flat address, and back.
  shl_u32 $s1, $s0, 2;
  st_private_align(4)_u32 111, [%array][$s1];
  lda_private_u32 $s2, [%array][$s1];
  stof_private_u64_u32 $d1, $s2;
  ld_align(4)_u32 $s3, [$d1];
  st_global_u32 $s3, [$d0];
  ftos_private_u32_u64 $s4, $d1;
  cmp_eq_u32_u32 $s4, $s4, $s2;
  st_global_u32 $s4, [$d0+4];
  segmentp_private_b1_u64 $c0, $d1;
  cvt_u32_b1 $s4, $c0;
  st_global_u32 $s4, [$d0+8];
  segmentp_global_b1_u64 $c0, $d0;
  cvt_u32_b1 $s4, $c0;
  st_global_u32 $s4, [$d0+12];
  lda_private_u32 $s5, [%aligned];
  and_b32 $s5, $s5, 63;
  st_global_u32 $s5, [$d0+16];
  ld_spill_align(4)_u32 $s6, [%kept];
  st_global_u32 $s6, [$d0+20];
  alloca_align(32)_u32 $s7, 40;
  alloca_u32 $s8, 8;
  st_private_u32 5, [$s7];
  st_private_u32 6, [$s8];
  ld_private_u32 $s9, [$s7];
  st_global_u32 $s9, [$d0+24];
  and_b32 $s7, $s7, 31;
  st_global_u32 $s7, [$d0+28];
  st_private_u32 77, [&shared][8];
  ld_private_u32 $s9, [&shared][8];
  st_global_u32 $s9, [$d0+32];
  st_private_u64 $d0, [%big][7992];
  nullptr_private_u32 $s10;
  stof_private_u64_u32 $d2, $s10;
  cvt_u32_u64 $s10, $d2;
  st_global_u32 $s10, [$d0+36];
  mov_b32 $s11, nullptr_group;
  st_global_u32 $s11, [$d0+40];
};
)");
  uint32_t out[11] = {};
  const struct {
    uint32_t* out;
    uint32_t n;
  } kernarg = {out, 9};
  EXPECT_GE(code.kernel("&mem").private_size, 8000u + 64u);
  EXPECT_TRUE(code.kernel("&mem").dynamic_call_stack);
  ASSERT_FALSE(code.run("&mem", &kernarg, {}).taken);
  const uint32_t expected[11] = {111, 0xffffffff, 1, 1, 0, 9, 5, 0, 77, 0, 0xffffffff};
  for (int i = 0; i < 11; ++i) EXPECT_EQ(out[i], expected[i]) << i;
  LoadedCode::RunOptions tight;
  tight.extra_private_size = 0;
  EXPECT_EQ(code.run("&mem", &kernarg, {}, tight).reason, kernel_abi::trap_private_exhausted);
}

TEST_P(Kernels, AddressVariables) {
  LoadedCode code = load(R"(
prog align(16) global_u32 &counter = 40;
readonly_u16 &table[4] = u16[](1, 2, 3, 65535);
decl prog global_u64 &outside;
prog global_u64 &pointer = addr(&counter + 4);
prog kernel &vars(kernarg_u64 %out)
{
  global_u32 %mine = 7;
  group_u32 %g1;
  group_u64 %g2[2];
  ld_kernarg_align(8)_u64 $d0, [%out];
  ld_global_align(4)_u32 $s0, [&counter];
  add_u32 $s0, $s0, 2;
  st_global_align(4)_u32 $s0, [&counter];
  st_global_u32 $s0, [$d0];
  mov_b32 $s1, 6;
  cvt_u64_u32 $d1, $s1;
  ld_readonly_align(2)_u16 $s2, [&table][$d1];
  st_global_u32 $s2, [$d0+4];
  ld_global_align(8)_u64 $d2, [&outside];
  st_global_u64 $d2, [$d0+8];
  lda_global_u64 $d3, [&counter];
  ld_global_align(8)_u64 $d4, [&pointer];
  sub_u64 $d4, $d4, $d3;
  st_global_u64 $d4, [$d0+16];
  st_global_u64 addr(&vars), [$d0+24];
  ld_global_align(4)_u32 $s3, [%mine];
  st_global_u32 $s3, [$d0+32];
  st_group_u64 99, [%g2][8];
  st_group_u32 1, [%g1];
  lda_group_u32 $s4, [%g2][8];
  stof_group_u64_u32 $d5, $s4;
  ld_u64 $d6, [$d5];
  st_global_u64 $d6, [$d0+40];
};
)");
  uint64_t outside = 0x1234567890, out[6] = {};
  CompileRequest request;
  // The code is loaded again, with a definition of the variable that it only declares.
  codeobject::CodeObject object = code.object();
  LoadedCode bound(std::move(object), {{"&outside", &outside}});
  const void* kernarg[] = {out};
  ASSERT_FALSE(bound.run("&vars", kernarg, {}).taken);
  EXPECT_EQ(static_cast<uint32_t>(out[0]), 42u);
  EXPECT_EQ(out[0] >> 32, 65535u);
  EXPECT_EQ(out[1], outside);
  EXPECT_EQ(out[2], 4u);
  EXPECT_EQ(out[3], 0x4b00u);
  EXPECT_EQ(static_cast<uint32_t>(out[4]), 7u);
  EXPECT_EQ(out[5], 99u);
  EXPECT_EQ(*static_cast<uint32_t*>(bound.variable("&counter")), 42u);
  EXPECT_EQ(bound.kernel("&vars").group_size, 24u);
}

TEST_P(Kernels, LoadAndStoreEveryType) {
  // The kernel copies unaligned values of every type and extends sub-word values.
  std::string text =
      "prog kernel &copy(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
      "  ld_kernarg_align(8)_u64 $d0, [%in];\n  ld_kernarg_align(8)_u64 $d1, [%out];\n"
      "  ld_global_u8 $s0, [$d0+1];  st_global_u32 $s0, [$d1];\n"
      "  ld_global_s8 $s0, [$d0+1];  st_global_u32 $s0, [$d1+4];\n"
      "  ld_global_u16 $s0, [$d0+1]; st_global_u32 $s0, [$d1+8];\n"
      "  ld_global_s16 $s0, [$d0+1]; st_global_u32 $s0, [$d1+12];\n"
      "  ld_global_f16 $s0, [$d0+1]; st_global_f16 $s0, [$d1+16];\n"
      "  ld_v3_global_u8 ($s1, $s2, $s3), [$d0+1]; st_v3_global_u8 ($s3, 7, $s1), [$d1+18];\n"
      "  ld_v4_u32 ($s1, $s2, $s3, $s4), [$d0+3]; st_v4_u32 ($s4, $s3, $s2, $s1), [$d1+21];\n"
      "  ld_global_b128 $q0, [$d0+5]; st_global_b128 $q0, [$d1+37];\n"
      "  ld_v2_f64 ($d2, $d3), [$d0]; st_v2_f64 ($d3, $d2), [$d1+53];\n};\n";
  LoadedCode code = load(text);
  std::vector<uint8_t> in(32), out(70);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(0x81 + i * 3);
  const void* kernarg[] = {in.data(), out.data()};
  code.run("&copy", kernarg, {});
  std::vector<uint8_t> expected;
  const auto add = [&](auto value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    expected.insert(expected.end(), bytes, bytes + sizeof value);
  };
  const auto add_bytes = [&](size_t at, size_t count) {
    expected.insert(expected.end(), in.begin() + static_cast<long>(at),
                    in.begin() + static_cast<long>(at + count));
  };
  add(uint32_t{in[1]});
  add(static_cast<int32_t>(static_cast<int8_t>(in[1])));
  const auto half = static_cast<uint16_t>(in[1] | in[2] << 8);
  add(uint32_t{half});
  add(static_cast<int32_t>(static_cast<int16_t>(half)));
  add_bytes(1, 2);
  add_bytes(3, 1);
  add(uint8_t{7});
  add_bytes(1, 1);
  for (size_t n : {3, 2, 1, 0}) add_bytes(3 + 4 * n, 4);
  add_bytes(5, 16);
  add_bytes(8, 8);
  add_bytes(0, 8);
  expected.push_back(0);
  EXPECT_EQ(out, expected);
}

TEST_P(Kernels, OperateAtomically) {
  const struct {
    const char* instruction;
    uint64_t before, operand, after;
  } operations[] = {
      {"atomic_add_global_scar_system_u64 $d3, [$d1], $d2;", 5, 7, 12},
      {"atomic_sub_global_rlx_agent_s64 $d3, [$d1], $d2;", 5, 7, ~uint64_t{1}},
      {"atomic_and_global_scacq_agent_b64 $d3, [$d1], $d2;", 6, 3, 2},
      {"atomic_or_global_screl_agent_b64 $d3, [$d1], $d2;", 6, 3, 7},
      {"atomic_xor_global_scar_wg_b64 $d3, [$d1], $d2;", 6, 3, 5},
      {"atomic_exch_global_scar_system_b64 $d3, [$d1], $d2;", 6, 3, 3},
      {"atomic_max_global_scar_system_s64 $d3, [$d1], $d2;", ~uint64_t{0}, 3, 3},
      {"atomic_max_global_scar_system_u64 $d3, [$d1], $d2;", ~uint64_t{0}, 3, ~uint64_t{0}},
      {"atomic_min_global_scar_system_s64 $d3, [$d1], $d2;", ~uint64_t{0}, 3, ~uint64_t{0}},
      {"atomic_min_global_scar_system_u64 $d3, [$d1], $d2;", ~uint64_t{0}, 3, 3},
      {"atomic_wrapinc_global_scar_system_u64 $d3, [$d1], $d2;", 3, 4, 4},
      {"atomic_wrapinc_global_scar_system_u64 $d3, [$d1], $d2;", 4, 4, 0},
      {"atomic_wrapdec_global_scar_system_u64 $d3, [$d1], $d2;", 0, 4, 4},
      {"atomic_wrapdec_global_scar_system_u64 $d3, [$d1], $d2;", 5, 4, 4},
      {"atomic_wrapdec_global_scar_system_u64 $d3, [$d1], $d2;", 4, 4, 3},
      {"atomic_cas_global_scar_system_b64 $d3, [$d1], 6, $d2;", 6, 3, 3},
      {"atomic_cas_global_scar_system_b64 $d3, [$d1], 5, $d2;", 6, 3, 6},
      {"atomic_ld_global_scacq_system_b64 $d3, [$d1];", 6, 3, 6},
      {"atomicnoret_st_global_screl_system_b64 [$d1], $d2; mov_b64 $d3, 9;", 9, 3, 3},
      {"atomicnoret_add_rlx_system_u64 [$d1], $d2; mov_b64 $d3, 9;", 9, 3, 12},
  };
  std::string text;
  for (size_t i = 0; i < std::size(operations); ++i)
    text += "prog kernel &k" + std::to_string(i) +
            "(kernarg_u64 %p, kernarg_u64 %v, kernarg_u64 %old)\n{\n"
            "  ld_kernarg_align(8)_u64 $d1, [%p];\n  ld_kernarg_align(8)_u64 $d2, [%v];\n  " +
            operations[i].instruction +
            "\n  ld_kernarg_align(8)_u64 $d4, [%old];\n  st_global_u64 $d3, [$d4];\n};\n";
  LoadedCode code = load(text);
  for (size_t i = 0; i < std::size(operations); ++i) {
    const auto& o = operations[i];
    uint64_t place = o.before, old = 0;
    const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(&place), o.operand,
                                reinterpret_cast<uint64_t>(&old)};
    code.run("&k" + std::to_string(i), kernarg, {});
    EXPECT_EQ(place, o.after) << o.instruction;
    EXPECT_EQ(old, o.before) << o.instruction;
  }
}

TEST_P(Kernels, EndInTraps) {
  LoadedCode code = load(R"(
prog kernel &trap(kernarg_u64 %out)
{
  workitemabsid_u32 $s0, 0;
  cmp_eq_b1_u32 $c0, $s0, 3;
  cbr_b1 $c0, @stop;
  ret;
@stop:
  debugtrap_u32 $s0;
};
)");
  const void* kernarg[] = {nullptr};
  EXPECT_FALSE(code.run("&trap", kernarg, {{3, 1, 1}, {2, 1, 1}, 1}).taken);
  const Trap trap = code.run("&trap", kernarg, {{8, 1, 1}, {2, 1, 1}, 1});
  EXPECT_TRUE(trap.taken);
  EXPECT_EQ(trap.reason, kernel_abi::trap_debugtrap);
  EXPECT_EQ(trap.detail, 3u);
}

/// A group variable that several kernels reach through one function has its own offset in each kernel.
TEST_P(Kernels, PlaceGroupVariablesForEachKernel) {
  LoadedCode code = load(R"(
group_u32 &late;
function &where(arg_u32 %r)()
{
  lda_group_u32 $s0, [&late];
  st_arg_align(4)_u32 $s0, [%r];
};
prog kernel &alone(kernarg_u64 %out)
{
  { arg_u32 %r; call &where(%r)(); ld_arg_align(4)_u32 $s0, [%r]; }
  ld_kernarg_align(8)_u64 $d0, [%out];
  st_global_u32 $s0, [$d0];
  lda_group_u32 $s0, [&late];
  st_global_u32 $s0, [$d0+4];
};
prog kernel &second(kernarg_u64 %out)
{
  group_u32 %first[8];
  st_group_u32 5, [%first][4];
  { arg_u32 %r; call &where(%r)(); ld_arg_align(4)_u32 $s0, [%r]; }
  ld_kernarg_align(8)_u64 $d0, [%out];
  st_global_u32 $s0, [$d0];
  lda_group_u32 $s0, [&late];
  st_global_u32 $s0, [$d0+4];
};
)");
  for (const char* kernel : {"&alone", "&second"}) {
    uint32_t out[2] = {1, 2};
    const void* kernarg[] = {out};
    code.run(kernel, kernarg, {});
    EXPECT_EQ(out[0], out[1]) << kernel;
    EXPECT_LE(out[0] + 4, code.kernel(kernel).group_size) << kernel;
  }
}

}  // namespace
}  // namespace heddle::testing
