// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What single instructions cannot show: barriers, calls of every kind, memory of every segment. The same
// kernel runs on the interpreter and as compiled code, on the agents themselves, and has to leave the same
// memory, byte for byte.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

struct Row {
  const char* name;
  const char* text;
  Extent extent;
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

/// All kernels are &k(kernarg_u64 %out, kernarg_u64 %in), with 8 words of output and of input for each
/// work-item. After the prologue, $s0 is the absolute ID, $d0 the address of the work-item's output and $d1
/// that of its input.
#define PROLOGUE                                                                 \
  "  ld_kernarg_align(8)_u64 $d0, [%out]; ld_kernarg_align(8)_u64 $d1, [%in];\n" \
  "  workitemflatabsid_u32 $s0; mul_u32 $s1, $s0, 32; cvt_u64_u32 $d2, $s1;\n"   \
  "  add_u64 $d0, $d0, $d2; add_u64 $d1, $d1, $d2;\n"
#define KERNEL "prog kernel &k(kernarg_u64 %out, kernarg_u64 %in)\n{\n"

const Row rows[] = {
    // Barriers: in the kernel, in partial work-groups, in functions, in loops, under recursion.
    {"barrier_reverses_tiles",
     KERNEL "  group_u32 %tile[16];\n" PROLOGUE R"(
  ld_global_u32 $s2, [$d1];
  currentworkitemflatid_u32 $s3; shl_u32 $s4, $s3, 2; st_group_u32 $s2, [%tile][$s4];
  barrier;
  currentworkgroupsize_u32 $s5, 0; currentworkgroupsize_u32 $s6, 1; mul_u32 $s5, $s5, $s6;
  sub_u32 $s5, $s5, $s3; shl_u32 $s5, $s5, 2; ld_group_u32 $s2, [%tile][$s5-4];
  st_global_u32 $s2, [$d0];
};
)",
     {{10, 7, 1}, {4, 4, 1}, 2}},
    {"barrier_in_functions_and_loops",
     R"(
group_u32 &sums[2];
function &sum(arg_u32 %r)(arg_u32 %x, arg_u32 %round) {
  ld_arg_u32 $s0, [%x]; ld_arg_u32 $s1, [%round]; and_b32 $s1, $s1, 1; shl_u32 $s1, $s1, 2;
  atomicnoret_add_group_rlx_wg_u32 [&sums][$s1], $s0;
  barrier;
  ld_group_u32 $s0, [&sums][$s1]; st_arg_u32 $s0, [%r];
  barrier;
};
)" KERNEL PROLOGUE R"(
  mov_b32 $s7, 0; st_group_u32 0, [&sums]; st_group_u32 0, [&sums][4]; barrier;
  ld_global_u32 $s2, [$d1];
@again:
  { arg_u32 %r; arg_u32 %x; arg_u32 %n;
    st_arg_u32 $s2, [%x]; st_arg_u32 $s7, [%n]; call &sum(%r)(%x, %n); ld_arg_u32 $s2, [%r]; }
  add_u32 $s2, $s2, $s0;
  add_u32 $s7, $s7, 1; cmp_lt_b1_u32 $c0, $s7, 5; cbr_b1 $c0, @again;
  st_global_u32 $s2, [$d0];
};
)",
     line(40, 16)},
    {"barrier_under_recursion",
     R"(
group_u32 &turn;
function &down(arg_u32 %r)(arg_u32 %n) {
  private_u32 %mine;
  ld_arg_u32 $s0, [%n]; st_private_u32 $s0, [%mine];
  atomicnoret_add_group_rlx_wg_u32 [&turn], $s0;
  barrier;
  ld_group_u32 $s1, [&turn];
  barrier;
  cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @bottom;
  sub_u32 $s2, $s0, 1;
  { arg_u32 %x; arg_u32 %m; st_arg_u32 $s2, [%m]; call &down(%x)(%m); ld_arg_u32 $s3, [%x]; }
  add_u32 $s1, $s1, $s3;
@bottom:
  ld_private_u32 $s0, [%mine]; mad_u32 $s1, $s1, 3, $s0; st_arg_u32 $s1, [%r];
};
)" KERNEL PROLOGUE R"(
  st_group_u32 0, [&turn]; barrier;
  { arg_u32 %x; arg_u32 %m; st_arg_u32 6, [%m]; call &down(%x)(%m); ld_arg_u32 $s3, [%x]; }
  st_global_u32 $s3, [$d0];
};
)",
     line(24, 8)},
    {"wavebarrier_and_memfence", KERNEL "  group_u32 %tile[8];\n" PROLOGUE R"(
  ld_global_u32 $s2, [$d1]; workitemid_u32 $s3, 0; shl_u32 $s4, $s3, 2;
  st_global_u32 $s2, [$d0]; memfence_screl_agent; wavebarrier; memfence_scacq_system;
  ld_global_u32 $s5, [$d0]; st_group_u32 $s5, [%tile][$s4];
  memfence_scar_wg; wavebarrier; barrier;
  xor_b32 $s4, $s4, 4; ld_group_u32 $s5, [%tile][$s4]; st_global_u32 $s5, [$d0+4];
};
)",
     line(32, 8)},
    {"barriers_with_early_leavers_of_a_loop",
     // Each work-item counts to another number, but all reach the barriers equally often.
     KERNEL "  group_u32 %best;\n" PROLOGUE R"(
  ld_global_u32 $s2, [$d1]; and_b32 $s2, $s2, 15; mov_b32 $s3, 0;
@round:
  st_group_u32 0, [%best]; barrier;
  mov_b32 $s4, 0;
@count:
  add_u32 $s4, $s4, 1; cmp_lt_b1_u32 $c0, $s4, $s2; cbr_b1 $c0, @count;
  atomicnoret_max_group_rlx_wg_u32 [%best], $s4; barrier;
  ld_group_u32 $s5, [%best]; barrier;
  add_u32 $s2, $s2, $s5; and_b32 $s2, $s2, 31;
  add_u32 $s3, $s3, 1; cmp_lt_b1_u32 $c0, $s3, 4; cbr_b1 $c0, @round;
  st_global_u32 $s2, [$d0];
};
)",
     line(24, 12)},
    // In the processor's mode for that, which has to follow the waves.
    {"flushing_across_barriers_and_calls",
     R"(
function &less(arg_f32 %r)(arg_f32 %x) {
  ld_arg_f32 $s0, [%x]; mul_ftz_f32 $s0, $s0, 0f3f7fffff; st_arg_f32 $s0, [%r];
};
)" KERNEL "  group_f32 %tile[16];\n" PROLOGUE R"(
  ld_global_u32 $s2, [$d1]; and_b32 $s2, $s2, 0x80ffffff;
  add_ftz_f32 $s3, $s2, $s2; max_ftz_f32 $s3, $s3, $s2; add_ftz_f32 $s4, $s2, 0.0f;
  currentworkitemflatid_u32 $s5; shl_u32 $s6, $s5, 2; st_group_f32 $s4, [%tile][$s6];
  barrier;
  currentworkgroupsize_u32 $s7, 0; sub_u32 $s7, $s7, $s5; shl_u32 $s7, $s7, 2;
  ld_group_f32 $s4, [%tile][$s7-4];
  { arg_f32 %r; arg_f32 %x; st_arg_f32 $s4, [%x]; call &less(%r)(%x); ld_arg_f32 $s4, [%r]; }
  barrier;
  mul_ftz_f32 $s5, $s4, 0.5f; neg_f32 $s6, $s2;
  st_global_u32 $s3, [$d0]; st_global_u32 $s4, [$d0+4]; st_global_u32 $s5, [$d0+8];
  st_global_u32 $s6, [$d0+12];
};
)",
     line(40, 16)},
    // Calls.
    {"recursion_with_private_variables",
     R"(
function &ackermann(arg_u32 %r)(arg_u32 %m, arg_u32 %n) {
  private_u32 %kept;
  ld_arg_u32 $s0, [%m]; ld_arg_u32 $s1, [%n]; st_private_u32 $s1, [%kept];
  cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @zero;
  sub_u32 $s2, $s0, 1; mov_b32 $s3, 1;
  cmp_eq_b1_u32 $c0, $s1, 0; cbr_b1 $c0, @outer;
  sub_u32 $s4, $s1, 1;
  { arg_u32 %x; arg_u32 %a; arg_u32 %b; st_arg_u32 $s0, [%a]; st_arg_u32 $s4, [%b];
    call &ackermann(%x)(%a, %b); ld_arg_u32 $s3, [%x]; }
@outer:
  { arg_u32 %x; arg_u32 %a; arg_u32 %b; st_arg_u32 $s2, [%a]; st_arg_u32 $s3, [%b];
    call &ackermann(%x)(%a, %b); ld_arg_u32 $s5, [%x]; }
  st_arg_u32 $s5, [%r]; ret;
@zero:
  ld_private_u32 $s1, [%kept]; add_u32 $s1, $s1, 1; st_arg_u32 $s1, [%r];
};
)" KERNEL PROLOGUE R"(
  and_b32 $s3, $s0, 1; add_u32 $s3, $s3, 1; shr_u32 $s4, $s0, 1;
  { arg_u32 %x; arg_u32 %a; arg_u32 %b; st_arg_u32 $s3, [%a]; st_arg_u32 $s4, [%b];
    call &ackermann(%x)(%a, %b); ld_arg_u32 $s5, [%x]; }
  st_global_u32 $s5, [$d0];
};
)",
     line(16, 4)},
    {"mutual_recursion_through_handles",
     R"(
signature &step(arg_u32)(arg_u32);
decl prog indirect function &odd(arg_u32 %r)(arg_u32 %n);
prog indirect function &even(arg_u32 %r)(arg_u32 %n) {
  ld_arg_u32 $s0, [%n]; mov_b32 $s1, 1; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @done;
  sub_u32 $s0, $s0, 1; mov_u64 $d0, addr(&odd);
  { arg_u32 %x; arg_u32 %a; st_arg_u32 $s0, [%a]; icall_u64 $d0(%x)(%a) &step; ld_arg_u32 $s1, [%x]; }
  mul_u32 $s1, $s1, 3;
@done: st_arg_u32 $s1, [%r];
};
prog indirect function &odd(arg_u32 %r)(arg_u32 %n) {
  ld_arg_u32 $s0, [%n]; mov_b32 $s1, 2; cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @done;
  sub_u32 $s0, $s0, 1; mov_u64 $d0, addr(&even);
  { arg_u32 %x; arg_u32 %a; st_arg_u32 $s0, [%a]; icall_u64 $d0(%x)(%a) &step; ld_arg_u32 $s1, [%x]; }
  add_u32 $s1, $s1, 7;
@done: st_arg_u32 $s1, [%r];
};
alloc(agent) global_u64 &table[2] = u64[](addr(&even), addr(&odd));
)" KERNEL PROLOGUE R"(
  and_b32 $s3, $s0, 1; shl_u32 $s3, $s3, 3; cvt_u64_u32 $d3, $s3; ld_global_u64 $d3, [&table][$d3];
  { arg_u32 %x; arg_u32 %a; st_arg_u32 $s0, [%a]; icall_u64 $d3(%x)(%a) &step; ld_arg_u32 $s5, [%x]; }
  st_global_u32 $s5, [$d0];
};
)",
     line(20, 5)},
    {"scall_by_work_item",
     R"(
function &a(arg_u64 %r)(arg_u64 %x) { ld_arg_u64 $d0, [%x]; add_u64 $d0, $d0, 11; st_arg_u64 $d0, [%r]; };
function &b(arg_u64 %r)(arg_u64 %x) { ld_arg_u64 $d0, [%x]; mul_u64 $d0, $d0, 13; st_arg_u64 $d0, [%r]; };
function &c(arg_u64 %r)(arg_u64 %x) {
  ld_arg_u64 $d0, [%x]; cvt_u32_u64 $s0, $d0; and_b32 $s0, $s0, 1;
  { arg_u64 %q; arg_u64 %y; st_arg_u64 $d0, [%y]; scall_u32 $s0(%q)(%y) [&a, &b]; ld_arg_u64 $d1, [%q]; }
  xor_b64 $d0, $d0, $d1; st_arg_u64 $d0, [%r];
};
)" KERNEL PROLOGUE R"(
  ld_global_u64 $d3, [$d1]; rem_u32 $s3, $s0, 3; cvt_u64_u32 $d4, $s3;
  { arg_u64 %q; arg_u64 %y; st_arg_u64 $d3, [%y]; scall_u64 $d4(%q)(%y) [&a, &b, &c]; ld_arg_u64 $d5, [%q]; }
  st_global_u64 $d5, [$d0];
};
)",
     line(21, 7)},
    {"arguments_of_every_size_and_arrays",
     R"(
function &mix(arg_u64 %r)(arg_u8 %a, arg_s16 %b, arg_f32 %c, align(16) arg_u32 %v[6], arg_b128 %q) {
  ld_arg_u8 $s0, [%a]; ld_arg_s16 $s1, [%b]; ld_arg_f32 $s2, [%c]; ld_arg_b128 $q0, [%q];
  mov_b32 $s3, 0; mov_b32 $s4, 0;
@sum:
  shl_u32 $s5, $s4, 2; ld_arg_u32 $s6, [%v][$s5]; mad_u32 $s3, $s3, 5, $s6;
  add_u32 $s4, $s4, 1; cmp_lt_b1_u32 $c0, $s4, 6; cbr_b1 $c0, @sum;
  cvt_s32_f32 $s2, $s2; add_u32 $s0, $s0, $s1; add_u32 $s0, $s0, $s2; add_u32 $s0, $s0, $s3;
  expand_v4_b32_b128 ($s1, $s2, $s3, $s4), $q0; xor_b32 $s1, $s1, $s4; combine_v2_b64_b32 $d0, ($s0, $s1);
  st_arg_u64 $d0, [%r];
};
)" KERNEL PROLOGUE R"(
  ld_v4_global_u32 ($s2, $s3, $s4, $s5), [$d1];
  { arg_u64 %r; arg_u8 %a; arg_s16 %b; arg_f32 %c; align(16) arg_u32 %v[6]; arg_b128 %q;
    st_arg_u8 $s2, [%a]; st_arg_s16 $s3, [%b]; st_arg_f32 42.75f, [%c];
    st_v4_arg_u32 ($s2, $s3, $s4, $s5), [%v]; st_v2_arg_u32 ($s5, $s4), [%v][16];
    combine_v4_b128_b32 $q1, ($s2, $s3, $s4, $s5); st_arg_b128 $q1, [%q];
    call &mix(%r)(%a, %b, %c, %v, %q);
    ld_arg_u64 $d3, [%r]; }
  st_global_u64 $d3, [$d0];
};
)",
     line(8, 4)},
    {"variadic_function",
     R"(
function &total(arg_u32 %r)(arg_u32 %count, arg_u32 %values[]) {
  ld_arg_u32 $s0, [%count]; mov_b32 $s1, 0; mov_b32 $s2, 0;
@next:
  cmp_ge_b1_u32 $c0, $s2, $s0; cbr_b1 $c0, @done;
  shl_u32 $s3, $s2, 2; ld_arg_u32 $s4, [%values][$s3]; mad_u32 $s1, $s1, 7, $s4;
  add_u32 $s2, $s2, 1; br @next;
@done: st_arg_u32 $s1, [%r];
};
)" KERNEL PROLOGUE R"(
  ld_v4_global_u32 ($s2, $s3, $s4, $s5), [$d1];
  { arg_u32 %r; arg_u32 %n; arg_u32 %v[4]; st_arg_u32 4, [%n]; st_v4_arg_u32 ($s2, $s3, $s4, $s5), [%v];
    call &total(%r)(%n, %v); ld_arg_u32 $s6, [%r]; }
  { arg_u32 %r; arg_u32 %n; arg_u32 %v[2]; st_arg_u32 2, [%n]; st_v2_arg_u32 ($s4, $s6), [%v];
    call &total(%r)(%n, %v); ld_arg_u32 $s7, [%r]; }
  st_v2_global_u32 ($s6, $s7), [$d0];
};
)",
     line(8, 4)},
    {"alloca_in_loops_and_functions",
     R"(
function &chain(arg_u32 %r)(arg_u32 %n, arg_u32 %previous) {
  ld_arg_u32 $s0, [%n]; ld_arg_u32 $s1, [%previous];
  shl_u32 $s2, $s0, 2; add_u32 $s2, $s2, 8; alloca_align(8)_u32 $s3, $s2;
  st_private_u32 $s1, [$s3]; st_private_u32 $s0, [$s3+4];
  cmp_eq_b1_u32 $c0, $s0, 0; cbr_b1 $c0, @walk;
  sub_u32 $s4, $s0, 1;
  { arg_u32 %x; arg_u32 %m; arg_u32 %p; st_arg_u32 $s4, [%m]; st_arg_u32 $s3, [%p];
    call &chain(%x)(%m, %p); ld_arg_u32 $s5, [%x]; }
  st_arg_u32 $s5, [%r]; ret;
@walk:
  mov_b32 $s5, 0;
@up:
  cmp_eq_b1_u32 $c0, $s3, 0xffffffff; cbr_b1 $c0, @done;
  ld_private_u32 $s6, [$s3+4]; mad_u32 $s5, $s5, 10, $s6; ld_private_u32 $s3, [$s3]; br @up;
@done: st_arg_u32 $s5, [%r];
};
)" KERNEL PROLOGUE R"(
  mov_b32 $s2, 0; mov_b32 $s3, 0xffffffff;
@more:
  alloca_align(16)_u32 $s4, 24; and_b32 $s5, $s4, 15; st_private_u32 $s3, [$s4]; st_private_u32 $s2, [$s4+20];
  mov_b32 $s3, $s4; add_u32 $s2, $s2, 1; add_u32 $s2, $s2, $s5;
  cmp_lt_b1_u32 $c0, $s2, 9; cbr_b1 $c0, @more;
  mov_b32 $s6, 0;
@sum:
  ld_private_u32 $s7, [$s3+20]; mad_u32 $s6, $s6, 3, $s7; ld_private_u32 $s3, [$s3];
  cmp_ne_b1_u32 $c0, $s3, 0xffffffff; cbr_b1 $c0, @sum;
  and_b32 $s8, $s0, 3;
  { arg_u32 %x; arg_u32 %m; arg_u32 %p; st_arg_u32 $s8, [%m]; st_arg_u32 0xffffffff, [%p];
    call &chain(%x)(%m, %p); ld_arg_u32 $s5, [%x]; }
  st_v2_global_u32 ($s6, $s5), [$d0];
};
)",
     {{16, 1, 1}, {4, 1, 1}, 1, 0, 4096}},
    // Segments.
    {"readonly_and_kernarg_of_every_width",
     R"(
readonly_u8 &bytes[8] = u8[](1, 2, 3, 4, 250, 251, 252, 253);
readonly_s16 &halves[4] = s16[](-1, -2, 3, 4);
readonly_u64 &words[2] = u64[](0x0123456789abcdef, 0xfedcba9876543210);
const global_f32 &factor = 1.5f;
)" KERNEL PROLOGUE R"(
  and_b32 $s2, $s0, 7; cvt_u64_u32 $d3, $s2; ld_readonly_u8 $s3, [&bytes][$d3];
  and_b64 $d4, $d3, 3; shl_u64 $d4, $d4, 1; ld_readonly_s16 $s4, [&halves][$d4];
  and_b64 $d4, $d3, 1; shl_u64 $d4, $d4, 3; ld_readonly_align(8)_u64 $d5, [&words][$d4];
  ld_global_const_f32 $s5, [&factor];
  ld_kernarg_u8 $s6, [%out][1]; ld_kernarg_u16 $s7, [%in][2]; ld_v2_kernarg_u32 ($s8, $s9), [%out];
  lda_readonly_u64 $d6, [&bytes]; add_u64 $d6, $d6, $d3; ld_u8 $s10, [$d6];
  cvt_u64_u32 $d7, $s8; cvt_u64_u32 $d8, $s9; shl_u64 $d8, $d8, 32; or_b64 $d7, $d7, $d8; ld_kernarg_u64 $d8, [%out];
  sub_u64 $d7, $d7, $d8; cvt_u32_u64 $s8, $d7;
  st_v4_global_u32 ($s3, $s4, $s5, $s10), [$d0]; st_global_u64 $d5, [$d0+16]; st_global_u32 $s8, [$d0+24];
};
)",
     line(16, 4)},
    {"spill_private_and_flat_pointers",
     R"(
function &store(arg_u32 %r)(arg_u64 %p, arg_u32 %v) {
  ld_arg_u64 $d0, [%p]; ld_arg_u32 $s0, [%v]; ld_u32 $s1, [$d0]; st_u32 $s0, [$d0]; st_u16 $s0, [$d0+4];
  st_arg_u32 $s1, [%r];
};
)" KERNEL "  align(8) group_u32 %shared[32]; align(8) private_u32 %mine[4]; align(8) spill_u64 "
     "%saved[2];\n" PROLOGUE R"(
  ld_v4_global_u32 ($s2, $s3, $s4, $s5), [$d1];
  workitemid_u32 $s6, 0; shl_u32 $s6, $s6, 3; lda_group_u32 $s7, [%shared][$s6];
  st_v2_group_u32 ($s2, $s3), [$s7]; st_v4_private_u32 ($s2, $s3, $s4, $s5), [%mine];
  combine_v2_b64_b32 $d3, ($s4, $s5); st_v2_spill_u64 ($d3, $d1), [%saved];
  stof_group_u64_u32 $d4, $s7;
  { arg_u32 %r; arg_u64 %p; arg_u32 %v; st_arg_u64 $d4, [%p]; st_arg_u32 $s4, [%v]; call &store(%r)(%p, %v);
    ld_arg_u32 $s8, [%r]; }
  lda_private_u32 $s9, [%mine][4]; stof_private_u64_u32 $d5, $s9;
  { arg_u32 %r; arg_u64 %p; arg_u32 %v; st_arg_u64 $d5, [%p]; st_arg_u32 $s5, [%v]; call &store(%r)(%p, %v);
    ld_arg_u32 $s10, [%r]; }
  barrier;
  ld_v2_group_u32 ($s2, $s3), [$s7]; ld_v4_private_u32 ($s4, $s5, $s6, $s7), [%mine]; ld_spill_u64 $d6, [%saved];
  add_u32 $s2, $s2, $s8; add_u32 $s3, $s3, $s10; expand_v2_b32_b64 ($s11, $s12), $d6; add_u32 $s7, $s7, $s11;
  st_v4_global_u32 ($s2, $s3, $s4, $s5), [$d0]; st_v3_global_u32 ($s6, $s7, $s12), [$d0+16];
};
)",
     line(32, 8)},
    {"histogram_in_dynamic_group_memory",
     KERNEL PROLOGUE R"(
  grouptotalsize_u32 $s2; groupstaticsize_u32 $s3; sub_u32 $s2, $s2, $s3;
  groupbaseptr_u32 $s4; add_u32 $s4, $s4, $s3;
  workitemflatid_u32 $s5; shl_u32 $s6, $s5, 2; add_u32 $s6, $s6, $s4; st_group_u32 0, [$s6];
  barrier;
  ld_global_u32 $s7, [$d1]; and_b32 $s7, $s7, 7; shl_u32 $s7, $s7, 2; add_u32 $s7, $s7, $s4;
  atomicnoret_add_group_rlx_wg_u32 [$s7], 1;
  barrier;
  ld_group_u32 $s8, [$s6]; st_v2_global_u32 ($s8, $s2), [$d0];
};
)",
     {{40, 1, 1}, {8, 1, 1}, 1, 32}},
    // The private size that the kernel's symbol reports is enough.
    {"half_a_megabyte_of_private_memory",
     R"(
function &fill(arg_u32 %r)(arg_u32 %x) {
  private_u32 %room[100000];
  ld_arg_u32 $s0, [%x];
  mov_b32 $s1, 0;
@again:
  st_private_u32 $s0, [%room][$s1]; add_u32 $s1, $s1, 40004; add_u32 $s0, $s0, 1;
  cmp_lt_b1_u32 $c0, $s1, 400000; cbr_b1 $c0, @again;
  ld_private_u32 $s2, [%room][40004]; ld_private_u32 $s3, [%room][360036]; mul_u32 $s2, $s2, $s3;
  st_arg_u32 $s2, [%r];
};
)" KERNEL "  private_u64 %more[20000];\n" PROLOGUE R"(
  and_b32 $s2, $s0, 15; shl_u32 $s2, $s2, 3; st_private_u64 $d2, [%more][$s2+159872];
  ld_global_u32 $s3, [$d1];
  { arg_u32 %r; arg_u32 %x; st_arg_u32 $s3, [%x]; call &fill(%r)(%x); ld_arg_u32 $s3, [%r]; }
  ld_private_u64 $d3, [%more][$s2+159872]; cvt_u32_u64 $s4, $d3;
  st_v2_global_u32 ($s3, $s4), [$d0];
};
)",
     line(8, 4)},
    // The halves have whole waves, as all work-items of a wave have to use the same fbarrier.
    {"fbarriers_by_half_groups",
     KERNEL "  fbarrier %first; fbarrier %second; group_u32 %cells[128];\n" PROLOGUE R"(
  workitemid_u32 $s2, 0; cmp_eq_b1_u32 $c0, $s2, 0; cbr_b1 $c0, @init; br @go;
@init: initfbar %first; initfbar %second;
@go: barrier;
  ld_global_u32 $s3, [$d1]; shl_u32 $s4, $s2, 2; xor_b32 $s5, $s4, 128;
  cmp_lt_b1_u32 $c1, $s2, 64; cbr_b1 $c1, @low;
  joinfbar %second; br @joined;
@low: joinfbar %first;
@joined: barrier;
  st_group_u32 $s3, [%cells][$s4]; memfence_screl_wg; cbr_b1 $c1, @low_waits;
  waitfbar %second; memfence_scacq_wg; ld_group_u32 $s6, [%cells][$s5]; leavefbar %second; br @meet;
@low_waits: waitfbar %first; memfence_scacq_wg; ld_group_u32 $s6, [%cells][$s5]; add_u32 $s6, $s6, 1;
  leavefbar %first;
@meet: barrier;
  cbr_b1 $c0, @release; br @end;
@release: releasefbar %first; releasefbar %second;
@end: st_global_u32 $s6, [$d0];
};
)",
     line(256, 128)},
};

class Kernels : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Kernels, LeaveTheSameMemory) {
  const Extent& extent = GetParam().extent;
  const size_t words = size_t{8} * extent.grid[0] * extent.grid[1] * extent.grid[2];
  SharedVector<uint32_t> in(words);
  for (size_t i = 0; i < words; ++i) in[i] = static_cast<uint32_t>(i * 2654435761u + 12345);
  std::vector<SharedVector<uint32_t>> results;
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(module_header + GetParam().text, agent.isa.c_str());
    ASSERT_TRUE(compiled) << agent.isa << "\n" << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    // Each kernel runs twice on the same input, because the remains of one dispatch must not affect the next.
    for (int run = 0; run < 2; ++run) {
      SharedVector<uint32_t> out(words, 0xabababab);
      EXPECT_EQ(code.run("&k", {address_of(out), address_of(in)}, extent), HSA_STATUS_SUCCESS) << agent.isa;
      EXPECT_NE(out, SharedVector<uint32_t>(words, 0xabababab)) << "nothing was written";
      results.push_back(std::move(out));
    }
  }
  for (size_t i = 1; i < results.size(); ++i) {
    for (size_t word = 0; word < words; ++word)
      ASSERT_EQ(results[i][word], results[0][word])
          << "work-item " << word / 8 << ", word " << word % 8 << ", run " << i;
  }
}

}  // namespace
}  // namespace heddle::testing
