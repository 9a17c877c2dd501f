// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose waves take turns at barriers: what waves know of themselves, and what they keep.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "compile.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

constexpr const char* wave_isas[] = {"heddle:x86-64-v3:w4", "heddle:x86-64-v3:w8", "heddle:x86-64-v3:w32",
                                     "heddle:x86-64-v4:w16", "heddle:x86-64-v4:w32"};

class InterleavedWaves : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << GetParam();
  }
  LoadedCode load(const std::string& text) {
    Compiled compiled = compile(module_header + text, GetParam(), nullptr);
    EXPECT_TRUE(compiled) << compiled.diagnostics;
    return LoadedCode(std::move(compiled.object));
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, InterleavedWaves, ::testing::ValuesIn(wave_isas));

/// Returns a kernel that stores the IDs of each work-item and its group before and behind a barrier.
std::string id_kernel(const std::string& directives) {
  std::string kernel = "prog kernel &ids(kernarg_u64 %out) {\n" + directives + R"(
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  workitemflatabsid_u32 $s0;
  cvt_u64_u32 $d1, $s0;
  mul_u64 $d1, $d1, 80;
  add_u64 $d0, $d0, $d1;
)";
  int offset = 0;
  for (const char* barrier : {"", "barrier;\n"}) {
    kernel += barrier;
    for (const char* id : {"workitemid", "workgroupid", "currentworkgroupsize"})
      for (int d = 0; d < 3; ++d, offset += 4)
        kernel += fmt::format("  {}_u32 $s1, {};\n  st_global_align(4)_u32 $s1, [$d0+{}];\n", id, d, offset);
  }
  return kernel + "};\n";
}

/// Calls `check` with each absolute ID of a grid.
void each_item(const Shape& shape, const std::function<void(const uint32_t (&)[3])>& check) {
  for (uint32_t z = 0; z < shape.grid[2]; ++z)
    for (uint32_t y = 0; y < shape.grid[1]; ++y)
      for (uint32_t x = 0; x < shape.grid[0]; ++x) check({x, y, z});
}

void expect_ids(LoadedCode& code, const Shape& shape) {
  const size_t items = size_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  std::vector<std::array<uint32_t, 20>> out(items);
  auto* data = out.data();
  ASSERT_FALSE(code.run("&ids", &data, shape).taken);
  size_t flat = 0;
  each_item(shape, [&](const uint32_t (&id)[3]) {
    const auto& got = out[flat++];
    for (int d = 0; d < 3; ++d) {
      const uint32_t group = id[d] / shape.group[d];
      const uint32_t expected[3] = {id[d] % shape.group[d], group,
                                    std::min(shape.group[d], shape.grid[d] - group * shape.group[d])};
      for (int i = 0; i < 6; ++i)
        ASSERT_EQ(got[static_cast<size_t>(3 * i + d)], expected[i % 3])
            << id[0] << " " << id[1] << " " << id[2] << ", dimension " << d << ", value " << i
            << ", groups of " << shape.group[0] << " " << shape.group[1] << " " << shape.group[2];
    }
  });
}

/// Waves begin anywhere in rows and planes, and partial groups have other rows.
TEST_P(InterleavedWaves, KnowTheirIds) {
  LoadedCode code = load(id_kernel(""));
  ASSERT_NE(code.kernel("&ids").frame_size, 0u) << "the kernel is executed as it should be";
  const Shape shapes[] = {
      {{150, 1, 1}, {64, 1, 1}, 1}, {{40, 20, 1}, {16, 16, 1}, 2}, {{17, 9, 5}, {5, 3, 2}, 3},
      {{3, 7, 11}, {1, 3, 7}, 3},   {{64, 10, 3}, {32, 2, 2}, 3},  {{9, 200, 1}, {2, 100, 1}, 2},
      {{70, 3, 4}, {33, 2, 3}, 3},  {{2, 2, 130}, {1, 1, 64}, 3},  {{100, 33, 2}, {8, 8, 1}, 3}};
  for (const Shape& shape : shapes) expect_ids(code, shape);
}

TEST_P(InterleavedWaves, KnowTheirIdsInGroupsOfKnownSize) {
  LoadedCode code = load(id_kernel("requireddim 3; requiredworkgroupsize 6, 5, 2;"));
  expect_ids(code, {{20, 13, 5}, {6, 5, 2}, 3});
  LoadedCode rows = load(id_kernel("requireddim 2; requiredworkgroupsize 32, 3, 1;"));
  expect_ids(rows, {{90, 10, 1}, {32, 3, 1}, 2});
}

/// What a loop computes is there behind the barrier, in waves of which all, some or no lanes execute the
/// loop, one lane more often than another.
TEST_P(InterleavedWaves, KeepSumsOfLoops) {
  LoadedCode code = load(R"(
prog kernel &sums(kernarg_u64 %out, kernarg_u64 %in, kernarg_u32 %n)
{
  group_u32 %shared[256];
  ld_kernarg_align(4)_width(all)_u32 $s1, [%n];
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  gridsize_u32 $s2, 0;
  workitemabsid_u32 $s3, 0;
  mov_b32 $s4, 0;
  mov_b32 $s7, 0;
@next:
  cmp_ge_b1_u32 $c0, $s3, $s1;
  cbr_b1 $c0, @summed;
  cvt_u64_u32 $d1, $s3;
  shl_u64 $d1, $d1, 2;
  add_u64 $d1, $d0, $d1;
  ld_global_align(4)_u32 $s5, [$d1];
  add_u32 $s4, $s4, $s5;
  add_u32 $s7, $s7, 1;
  add_u32 $s3, $s3, $s2;
  br @next;
@summed:
  workitemid_u32 $s0, 0;
  shl_u32 $s6, $s0, 2;
  st_group_align(4)_u32 $s4, [%shared][$s6];
  barrier;
  currentworkgroupsize_u32 $s8, 0;
  sub_u32 $s8, $s8, 1;
  sub_u32 $s8, $s8, $s0;
  shl_u32 $s8, $s8, 2;
  ld_group_align(4)_u32 $s5, [%shared][$s8];
  barrier;
  workitemabsid_u32 $s3, 0;
  cvt_u64_u32 $d1, $s3;
  mul_u64 $d1, $d1, 12;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  add_u64 $d0, $d0, $d1;
  st_global_align(4)_u32 $s4, [$d0];
  st_global_align(4)_u32 $s5, [$d0+4];
  st_global_align(4)_u32 $s7, [$d0+8];
};
)");
  constexpr uint32_t grid = 150, group = 64;
  for (const uint32_t n : {0u, 1u, 63u, 64u, 100u, 149u, 150u, 151u, 777u, 1501u, 4000u}) {
    std::vector<uint32_t> in(n), sums(grid);
    std::iota(in.begin(), in.end(), 3u);
    for (uint32_t i = 0; i < n; ++i) sums[i % grid] += in[i];
    std::vector<std::array<uint32_t, 3>> out(grid);
    struct {
      void* out;
      const uint32_t* in;
      uint32_t n;
    } const kernarg = {out.data(), in.data(), n};
    ASSERT_FALSE(code.run("&sums", &kernarg, {{grid, 1, 1}, {group, 1, 1}, 1}).taken);
    for (uint32_t id = 0; id < grid; ++id) {
      const uint32_t first = id / group * group, items = std::min(group, grid - first);
      ASSERT_EQ(out[id][0], sums[id]) << id << " of " << n;
      ASSERT_EQ(out[id][1], sums[first + items - 1 - (id - first)]) << id << " of " << n;
      ASSERT_EQ(out[id][2], n / grid + (id < n % grid)) << id << " of " << n;
    }
  }
}

/// Returns how often work-item 0 finds that another part of its group has executed a loop since its own last
/// iteration. The loop reads an array with a stride in bytes, 40 times.
uint32_t turns_of_loop(LoadedCode& code, uint32_t stride) {
  constexpr uint32_t items = 64, iterations = 40;
  std::vector<uint32_t> in(iterations * stride / 4 + items, 1), out(items);
  uint32_t last = ~0u;
  struct {
    void* out;
    const uint32_t* in;
    void* last;
    uint32_t stride;
  } const kernarg = {out.data(), in.data(), &last, stride};
  EXPECT_FALSE(code.run("&turns", &kernarg, {{items, 1, 1}, {items, 1, 1}, 1}).taken);
  for (uint32_t id = 0; id < items; ++id) EXPECT_EQ(out[id] >> 16, iterations) << id;
  return out[0] & 0xffff;
}

std::string turns_kernel(const std::string& stride) {
  return R"(
prog kernel &turns(kernarg_u64 %out, kernarg_u64 %in, kernarg_u64 %last, kernarg_u32 %stride)
{
  requireddim 1;
  requiredworkgroupsize 64, 1, 1;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%in];
  ld_kernarg_align(8)_width(all)_u64 $d2, [%last];
  workitemid_u32 $s0, 0;
  shr_u32 $s1, $s0, 5;
  shl_u32 $s2, $s0, 2;
  cvt_u64_u32 $d1, $s2;
  add_u64 $d0, $d0, $d1;
  )" + stride +
         R"(
  mov_b32 $s4, 0;
  mov_b32 $s5, 0;
  mov_b32 $s6, 0;
@next:
  ld_global_align(4)_u32 $s7, [$d0];
  add_u32 $s4, $s4, $s7;
  atomic_ld_global_rlx_wg_b32 $s8, [$d2];
  cmp_ne_b1_u32 $c0, $s8, $s1;
  cmov_b32 $s9, $c0, 1, 0;
  add_u32 $s5, $s5, $s9;
  atomicnoret_st_global_rlx_wg_b32 [$d2], $s1;
  add_u64 $d0, $d0, $d3;
  add_u32 $s6, $s6, 1;
  cmp_lt_b1_u32 $c0, $s6, 40;
  cbr_width(all)_b1 $c0, @next;
  barrier;
  shl_u32 $s4, $s4, 16;
  or_b32 $s4, $s4, $s5;
  ld_kernarg_align(8)_width(all)_u64 $d0, [%out];
  add_u64 $d0, $d0, $d1;
  st_global_align(4)_u32 $s4, [$d0];
};
)";
}

/// In loops that stride through memory, all waves of a group go on together; in others, each on its own.
TEST_P(InterleavedWaves, TakeTurnsInStridingLoops) {
  LoadedCode unknown =
      load(turns_kernel("ld_kernarg_align(4)_width(all)_u32 $s3, [%stride]; cvt_u64_u32 $d3, $s3;"));
  EXPECT_GT(turns_of_loop(unknown, 4096), 2u);
  LoadedCode far = load(turns_kernel("mov_b64 $d3, 8192;"));
  EXPECT_GT(turns_of_loop(far, 8192), 2u);
  LoadedCode near = load(turns_kernel("mov_b64 $d3, 256;"));
  EXPECT_EQ(turns_of_loop(near, 256), 1u);
}

}  // namespace
}  // namespace heddle::testing
