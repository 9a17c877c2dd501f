// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libhsastd.
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_library.h"

namespace heddle::testing {
namespace {

const std::string header = R"(
module &test:1:0:$full:$large:$default;
decl prog function &memcpy(arg_u64 %r)(arg_u64 %to, arg_u64 %from, arg_u64 %n);
decl prog function &mempcpy(arg_u64 %r)(arg_u64 %to, arg_u64 %from, arg_u64 %n);
decl prog function &memmove(arg_u64 %r)(arg_u64 %to, arg_u64 %from, arg_u64 %n);
decl prog function &memset(arg_u64 %r)(arg_u64 %to, arg_s32 %v, arg_u64 %n);
decl prog function &abort()();
decl prog function &malloc(arg_u64 %r)(arg_u64 %n);
decl prog function &free()(arg_u64 %p);
)";

/// A kernel whose work-item i calls the function for n = i bytes from offset i modulo 16 in its own 256 bytes
/// of the target, and stores what it returns.
std::string copy_kernel(const std::string& function) {
  return header + R"(
prog kernel &k(kernarg_u64 %to, kernarg_u64 %from, kernarg_u64 %results)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d1, $d0, 8;
  and_b64 $d2, $d0, 15;
  add_u64 $d1, $d1, $d2;
  ld_kernarg_u64 $d3, [%to];
  add_u64 $d3, $d3, $d1;
  ld_kernarg_u64 $d4, [%from];
  add_u64 $d4, $d4, $d1;
  {
    arg_u64 %r;
    arg_u64 %t;
    arg_u64 %f;
    arg_u64 %n;
    st_arg_u64 $d3, [%t];
    st_arg_u64 $d4, [%f];
    st_arg_u64 $d0, [%n];
    call &)" +
         function + R"((%r)(%t, %f, %n);
    ld_arg_u64 $d5, [%r];
  }
  ld_kernarg_u64 $d6, [%results];
  shl_u64 $d0, $d0, 3;
  add_u64 $d6, $d6, $d0;
  st_u64 $d5, [$d6];
};
)";
}

constexpr uint32_t items = 200;
constexpr size_t room = 256;

std::vector<uint8_t> numbered() {
  std::vector<uint8_t> bytes(items * room);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 + i / 251);
  return bytes;
}

TEST(Memory, CopiesGoToTheTargetOnly) {
  for (const tools::KernelAgent& agent : kernel_agents())
    for (const char* name : {"memcpy", "mempcpy", "memmove"}) {
      const std::vector<uint8_t> from = numbered();
      std::vector<uint8_t> to(from.size(), 0xee), expected = to;
      std::vector<uint64_t> results(items);
      LinkedKernels kernels(agent, copy_kernel(name));
      ASSERT_TRUE(kernels.run("&k", {to.data(), from.data(), results.data()}, items));
      for (uint32_t i = 0; i < items; ++i) {
        const size_t at = i * room + i % 16;
        std::memcpy(&expected[at], &from[at], i);
        const uint64_t end = std::string(name) == "mempcpy" ? i : 0;
        EXPECT_EQ(results[i], reinterpret_cast<uint64_t>(&to[at]) + end) << name;
      }
      EXPECT_EQ(to, expected) << name << " on " << agent.name;
    }
}

TEST(Memory, MemmoveMovesWithinTheSource) {
  for (const tools::KernelAgent& agent : kernel_agents())
    for (const int distance : {-9, -8, -1, 0, 1, 8, 9}) {
      std::vector<uint8_t> bytes = numbered(), expected = bytes;
      std::vector<uint64_t> results(items);
      LinkedKernels kernels(agent, copy_kernel("memmove"));
      constexpr size_t start = 16;
      ASSERT_TRUE(kernels.run("&k", {&bytes[start + distance], &bytes[start], results.data()}, items - 16));
      for (uint32_t i = 0; i < items - 16; ++i) {
        const size_t at = start + i * room + i % 16;
        std::memmove(&expected[at + distance], &expected[at], i);
      }
      EXPECT_EQ(bytes, expected) << distance << " on " << agent.name;
    }
}

TEST(Memory, MemsetSetsTheTargetOnly) {
  const std::string text = header + R"(
prog kernel &k(kernarg_u64 %to)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d1, $d0, 8;
  and_b64 $d2, $d0, 15;
  add_u64 $d1, $d1, $d2;
  ld_kernarg_u64 $d3, [%to];
  add_u64 $d3, $d3, $d1;
  or_b32 $s0, $s0, 0x7f00;
  {
    arg_u64 %r;
    arg_u64 %t;
    arg_s32 %v;
    arg_u64 %n;
    st_arg_u64 $d3, [%t];
    st_arg_s32 $s0, [%v];
    st_arg_u64 $d0, [%n];
    call &memset(%r)(%t, %v, %n);
  }
};
)";
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<uint8_t> to = numbered(), expected = to;
    LinkedKernels kernels(agent, text);
    ASSERT_TRUE(kernels.run("&k", {to.data()}, items));
    for (uint32_t i = 0; i < items; ++i) std::memset(&expected[i * room + i % 16], static_cast<int>(i), i);
    EXPECT_EQ(to, expected) << agent.name;
  }
}

TEST(Abort, EndsTheDispatch) {
  const std::string text = header + "prog kernel &k(kernarg_u64 %unused) { { call &abort()(); } };\n";
  for (const tools::KernelAgent& agent : kernel_agents()) {
    LinkedKernels kernels(agent, text);
    EXPECT_FALSE(kernels.run("&k", {nullptr}, 1)) << agent.name;
  }
}

/// Each work-item allocates 10 blocks of different sizes and fills them with its number, tests them all and
/// frees them, before it does so again. It counts what has changed meanwhile.
TEST(Heap, BlocksDoNotOverlap) {
  const std::string text = header + R"(
prog kernel &k(kernarg_u64 %errors)
{
  private_u64 %blocks[10];
  workitemabsid_u32 $s0, 0;
  mov_b32 $s5, 0;
  mov_b32 $s6, 0;
@round:
  mov_b32 $s1, 0;
@allocate:
  mad_u32 $s2, $s1, 24, $s6;
  add_u32 $s2, $s2, 8;
  cvt_u64_u32 $d1, $s2;
  {
    arg_u64 %r;
    arg_u64 %n;
    st_arg_u64 $d1, [%n];
    call &malloc(%r)(%n);
    ld_arg_u64 $d0, [%r];
  }
  shl_u32 $s3, $s1, 3;
  st_private_u64 $d0, [%blocks][$s3];
  and_b64 $d2, $d0, 15;
  cmp_ne_b1_u64 $c0, $d2, 0;
  cmp_eq_b1_u64 $c1, $d0, 0;
  or_b1 $c0, $c0, $c1;
  cbr_b1 $c0, @broken;
  {
    arg_u64 %r;
    arg_u64 %t;
    arg_s32 %v;
    arg_u64 %n;
    st_arg_u64 $d0, [%t];
    st_arg_s32 $s0, [%v];
    st_arg_u64 $d1, [%n];
    call &memset(%r)(%t, %v, %n);
  }
  add_u32 $s1, $s1, 1;
  cmp_lt_b1_u32 $c0, $s1, 10;
  cbr_b1 $c0, @allocate;
  mov_b32 $s1, 0;
@test:
  mad_u32 $s2, $s1, 24, $s6;
  add_u32 $s2, $s2, 8;
  shl_u32 $s3, $s1, 3;
  ld_private_u64 $d0, [%blocks][$s3];
  cvt_u64_u32 $d1, $s2;
  add_u64 $d1, $d1, $d0;
  mov_b64 $d2, $d0;
  and_b32 $s4, $s0, 255;
@byte:
  ld_u8 $s7, [$d2];
  cmp_ne_u32_u32 $s7, $s7, $s4;
  and_b32 $s7, $s7, 1;
  add_u32 $s5, $s5, $s7;
  add_u64 $d2, $d2, 1;
  cmp_lt_b1_u64 $c0, $d2, $d1;
  cbr_b1 $c0, @byte;
  {
    arg_u64 %p;
    st_arg_u64 $d0, [%p];
    call &free()(%p);
  }
  add_u32 $s1, $s1, 1;
  cmp_lt_b1_u32 $c0, $s1, 10;
  cbr_b1 $c0, @test;
  add_u32 $s6, $s6, 1;
  cmp_lt_b1_u32 $c0, $s6, 5;
  cbr_b1 $c0, @round;
  br @store;
@broken:
  mov_b32 $s5, 1000000;
@store:
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 2;
  ld_kernarg_u64 $d1, [%errors];
  add_u64 $d0, $d0, $d1;
  st_u32 $s5, [$d0];
};
)";
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<uint32_t> errors(512, 0xffffffff);
    LinkedKernels kernels(agent, text);
    ASSERT_TRUE(kernels.run("&k", {errors.data()}, static_cast<uint32_t>(errors.size())));
    EXPECT_EQ(std::accumulate(errors.begin(), errors.end(), uint64_t{0}), 0u) << agent.name;
  }
}

/// Of two neighbours one asks for as much as the heap has, which is never there, and the other one for 16
/// bytes.
TEST(Heap, RequestsThatFailTakeNothing) {
  const std::string text = header + R"(
prog kernel &k(kernarg_u64 %blocks)
{
  workitemabsid_u32 $s0, 0;
  and_b32 $s1, $s0, 1;
  cmp_eq_b1_u32 $c0, $s1, 0;
  cmov_b64 $d0, $c0, 16777216, 16;
  {
    arg_u64 %r;
    arg_u64 %n;
    st_arg_u64 $d0, [%n];
    call &malloc(%r)(%n);
    ld_arg_u64 $d1, [%r];
  }
  cvt_u64_u32 $d2, $s0;
  shl_u64 $d2, $d2, 3;
  ld_kernarg_u64 $d3, [%blocks];
  add_u64 $d2, $d2, $d3;
  st_u64 $d1, [$d2];
};
)";
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<uint64_t> blocks(4096, 1);
    LinkedKernels kernels(agent, text);
    ASSERT_TRUE(kernels.run("&k", {blocks.data()}, static_cast<uint32_t>(blocks.size())));
    std::set<uint64_t> small;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i % 2 == 0)
        EXPECT_EQ(blocks[i], 0u) << agent.name;
      else if (blocks[i] != 0)
        small.insert(blocks[i]);
    }
    EXPECT_EQ(small.size(), blocks.size() / 2) << agent.name;
  }
}

/// One work-item takes blocks of a size until there are no more, frees them, and finds the same number again.
TEST(Heap, EndsAndIsUsedAgain) {
  const std::string text = header + R"(
prog kernel &k(kernarg_u64 %counts)
{
  mov_b32 $s1, 0;
@round:
  mov_b32 $s0, 0;
  mov_b64 $d1, 0;
@more:
  {
    arg_u64 %r;
    arg_u64 %n;
    st_arg_u64 100000, [%n];
    call &malloc(%r)(%n);
    ld_arg_u64 $d0, [%r];
  }
  cmp_eq_b1_u64 $c0, $d0, 0;
  cbr_b1 $c0, @release;
  st_u64 $d1, [$d0];
  mov_b64 $d1, $d0;
  add_u32 $s0, $s0, 1;
  br @more;
@release:
  cmp_eq_b1_u64 $c0, $d1, 0;
  cbr_b1 $c0, @released;
  ld_u64 $d0, [$d1];
  {
    arg_u64 %p;
    st_arg_u64 $d1, [%p];
    call &free()(%p);
  }
  mov_b64 $d1, $d0;
  br @release;
@released:
  ld_kernarg_u64 $d2, [%counts];
  cvt_u64_u32 $d3, $s1;
  shl_u64 $d3, $d3, 2;
  add_u64 $d2, $d2, $d3;
  st_u32 $s0, [$d2];
  add_u32 $s1, $s1, 1;
  cmp_lt_b1_u32 $c0, $s1, 2;
  cbr_b1 $c0, @round;
};
)";
  for (const tools::KernelAgent& agent : kernel_agents()) {
    std::vector<uint32_t> counts(2);
    LinkedKernels kernels(agent, text);
    ASSERT_TRUE(kernels.run("&k", {counts.data()}, 1));
    EXPECT_EQ(counts[0], 127u) << "blocks of 128 KiB in 16 MiB, whose first unit is not used, on "
                               << agent.name;
    EXPECT_EQ(counts[1], counts[0]);
  }
}

}  // namespace
}  // namespace heddle::testing
