// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that ask for lock-step and read what other work-items of their wave have stored, without a barrier:
// compiled code of every wave ISA against the interpreter with waves of 32.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "../finalizer/jit_runner.h"
#include "both.h"
#include "harness.h"

namespace heddle::testing {
namespace {

constexpr uint32_t lanes = 32;         ///< of a wave in lock-step
constexpr uint32_t most_items = 4096;  ///< of a grid

/// The memory of a dispatch, with an element for each work-item, by its flattened absolute ID.
struct Data {
  uint32_t in[most_items];
  uint32_t partner[most_items];           ///< the absolute ID of another work-item of the same wave
  uint32_t partner_in_group[most_items];  ///< the flattened ID in the group of this work-item
  uint32_t shared[2 * most_items];        ///< for stores that others read
  uint32_t out[most_items];
};
static_assert(offsetof(Data, partner) == 16384 && offsetof(Data, partner_in_group) == 32768 &&
              offsetof(Data, shared) == 49152 && offsetof(Data, out) == 81920);

/// Loads $s0 the absolute ID, $s10 the input, $s11 and $s12 the IDs of the partner. $d1 is the address of the
/// work-item's element of `in`, $d2 that of its partner.
const char* const prologue = R"(
  ld_kernarg_align(8)_width(all)_u64 $d0, [%data];
  workitemflatabsid_u32 $s0;
  shl_u32 $s3, $s0, 2; cvt_u64_u32 $d1, $s3; add_u64 $d1, $d0, $d1;
  ld_global_u32 $s10, [$d1]; ld_global_u32 $s11, [$d1+16384]; ld_global_u32 $s12, [$d1+32768];
  shl_u32 $s3, $s11, 2; cvt_u64_u32 $d2, $s3; add_u64 $d2, $d0, $d2;
)";

/// Loads $s1 the ID in the group and $s2 the number in a wave of 32.
#define IDS_IN_GROUP "currentworkitemflatid_u32 $s1; and_b32 $s2, $s1, 31;"

struct Kernel {
  const char* name;
  const char* body;         ///< between prologue and epilogue, which stores $s20
  const char* before = "";  ///< functions
  bool has_pragma = true;
};

const Kernel kernels[] = {
    // Kernels that do not ask for their group. Without the pragma, groups could be executed as one.
    {"exchange_in_global_memory", R"(
  st_global_u32 $s10, [$d1+49152]; ld_global_u32 $s13, [$d2+49152];
  mad_u32 $s13, $s13, 3, $s0;
  st_global_u32 $s13, [$d1+49152]; ld_global_u32 $s14, [$d2+49152]; add_u32 $s20, $s14, $s13;
)"},
    {"exchange_in_group_memory", IDS_IN_GROUP R"(
  shl_u32 $s4, $s1, 2; shl_u32 $s5, $s12, 2;
  st_group_u32 $s10, [%tile][$s4]; ld_group_u32 $s13, [%tile][$s5];
  mad_u32 $s13, $s13, 3, $s0;
  st_group_u32 $s13, [%tile][$s4]; ld_group_u32 $s14, [%tile][$s5]; add_u32 $s20, $s14, $s13;
)"},
    // What a work-item has stored is overwritten by its neighbour before it looks.
    {"overlapping_stores_of_bytes", IDS_IN_GROUP R"(
  shr_u32 $s5, $s1, 5; add_u32 $s4, $s5, $s1;
  and_b32 $s6, $s10, 255;
  st_group_u8 $s6, [%tile][$s4]; st_group_u8 $s6, [%tile][$s4+1];
  ld_group_u8 $s7, [%tile][$s4]; st_group_u8 $s2, [%tile][$s4];
  ld_group_u8 $s8, [%tile][$s4+1]; mad_u32 $s20, $s8, 256, $s7;
)"},
    {"overlapping_stores", IDS_IN_GROUP R"(
  shr_u32 $s5, $s1, 5; add_u32 $s4, $s5, $s1; shl_u32 $s4, $s4, 2;
  st_group_u32 $s10, [%tile][$s4]; mul_u32 $s6, $s10, 7; st_group_u32 $s6, [%tile][$s4+4];
  ld_group_u32 $s20, [%tile][$s4];
)"},
    // All read before the first one writes, in a loop that could be unrolled and in one that could not.
    {"rotation", IDS_IN_GROUP R"(
  shl_u32 $s4, $s1, 2; shl_u32 $s5, $s12, 2; st_group_u32 $s10, [%tile][$s4];
  mov_b32 $s6, 0; mov_b32 $s20, 0;
@few:
  ld_group_u32 $s7, [%tile][$s5]; st_group_u32 $s7, [%tile][$s4]; mad_u32 $s20, $s20, 3, $s7;
  add_u32 $s6, $s6, 1; cmp_lt_b1_u32 $c0, $s6, 5; cbr_width(all)_b1 $c0, @few;
@many:
  ld_group_u32 $s7, [%tile][$s5]; add_u32 $s7, $s7, $s6; st_group_u32 $s7, [%tile][$s4];
  mad_u32 $s20, $s20, 3, $s7;
  add_u32 $s6, $s6, 1; cmp_lt_b1_u32 $c0, $s6, 100; cbr_width(all)_b1 $c0, @many;
)"},
    // A prefix sum, of which fewer and fewer work-items execute the steps.
    {"prefix_sum", IDS_IN_GROUP R"(
  shl_u32 $s4, $s1, 2; st_group_u32 $s10, [%tile][$s4]; mov_b32 $s6, 1;
@step:
  cmp_lt_b1_u32 $c0, $s2, $s6; cbr_b1 $c0, @next;
  sub_u32 $s7, $s1, $s6; shl_u32 $s7, $s7, 2; ld_group_u32 $s8, [%tile][$s7];
  ld_group_u32 $s9, [%tile][$s4]; add_u32 $s9, $s9, $s8; st_group_u32 $s9, [%tile][$s4];
@next:
  shl_u32 $s6, $s6, 1; cmp_lt_b1_u32 $c0, $s6, 32; cbr_width(all)_b1 $c0, @step;
  ld_group_u32 $s20, [%tile][$s4];
)"},
    // The waves of a group take turns at barriers.
    {"exchange_between_barriers", IDS_IN_GROUP R"(
  shl_u32 $s4, $s1, 2; shl_u32 $s5, $s12, 2;
  barrier;
  st_group_u32 $s10, [%tile][$s4]; ld_group_u32 $s13, [%tile][$s5];
  mad_u32 $s13, $s13, 3, $s0;
  st_group_u32 $s13, [%tile][$s4]; ld_group_u32 $s14, [%tile][$s5]; add_u32 $s20, $s14, $s13;
  barrier;
)"},
    // Atomic operations are in order with other accesses.
    {"atomic_stores", R"(
  atomicnoret_st_global_rlx_wg_b32 [$d1+49152], $s10; ld_global_u32 $s13, [$d2+49152];
  atomic_exch_global_rlx_wg_b32 $s14, [$d1+49152], $s13; ld_global_u32 $s15, [$d2+49152];
  mad_u32 $s20, $s14, 3, $s15;
)"},
    // The function asks for lock-step, so that its callers get it.
    {"exchange_in_a_function", R"(
  { arg_u32 %r; arg_u64 %a; arg_u64 %b; arg_u32 %v;
    st_arg_u64 $d1, [%a]; st_arg_u64 $d2, [%b]; st_arg_u32 $s10, [%v];
    call &exchange(%r)(%a, %b, %v);
    ld_arg_u32 $s20, [%r]; }
)",
     R"(
function &exchange(arg_u32 %r)(arg_u64 %mine, arg_u64 %other, arg_u32 %value) {
  pragma "heddle.lockstep", 32;
  ld_arg_u64 $d1, [%mine]; ld_arg_u64 $d2, [%other]; ld_arg_u32 $s1, [%value];
  st_global_u32 $s1, [$d1+49152]; ld_global_u32 $s2, [$d2+49152];
  mad_u32 $s2, $s2, 3, $s1;
  st_global_u32 $s2, [$d1+49152]; ld_global_u32 $s3, [$d2+49152]; add_u32 $s3, $s3, $s2;
  st_arg_u32 $s3, [%r];
};
)",
     false},
};

std::string text_of(const Kernel& kernel) {
  return fmt::format(
      "{}{}prog kernel &k(kernarg_u64 %data) {{\n{}align(4) group_u8 %tile[4800];\n{}{}"
      "st_global_u32 $s20, [$d1+81920];\n}};\n",
      module_header, kernel.before, kernel.has_pragma ? "pragma \"heddle.lockstep\", 32;\n" : "", prologue,
      kernel.body);
}

struct Sizes {
  uint32_t grid[2];
  uint32_t group[2];
};
/// Groups of whole waves in one row or several, of partial waves, and groups that are partial themselves.
constexpr Sizes all_sizes[] = {{{256, 1}, {64, 1}}, {{250, 1}, {48, 1}},  {{32, 16}, {8, 8}},
                               {{70, 9}, {40, 4}},  {{300, 1}, {100, 1}}, {{96, 4}, {32, 4}}};

/// Fills in the inputs, and the partners, which are 13 work-items further in the wave if it is that long.
std::unique_ptr<Data> data_for(const Sizes& sizes) {
  auto data = std::make_unique<Data>();
  for (uint32_t i = 0; i < most_items; ++i) data->in[i] = i * 2654435761u + 12345;
  const auto [width, height] = sizes.grid;
  for (uint32_t y0 = 0; y0 < height; y0 += sizes.group[1]) {
    for (uint32_t x0 = 0; x0 < width; x0 += sizes.group[0]) {
      const uint32_t wide = std::min(sizes.group[0], width - x0),
                     high = std::min(sizes.group[1], height - y0);
      const auto absolute = [&](uint32_t flat) { return (y0 + flat / wide) * width + x0 + flat % wide; };
      for (uint32_t flat = 0; flat < wide * high; ++flat) {
        const uint32_t first = flat / lanes * lanes, count = std::min(lanes, wide * high - first);
        const uint32_t partner = first + (flat - first + (count > 13 ? 13 : 1)) % count;
        data->partner[absolute(flat)] = absolute(partner);
        data->partner_in_group[absolute(flat)] = partner;
      }
    }
  }
  return data;
}

/// Returns what the interpreter leaves in `out`.
std::vector<uint32_t> interpret(const std::string& text, const Sizes& sizes, uint32_t wave_size) {
  const auto data = data_for(sizes);
  const LoadedProgram program(text, wave_size);
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&k");
  dispatch.grid_size = {sizes.grid[0], sizes.grid[1], 1};
  dispatch.group_size = {sizes.group[0], sizes.group[1], 1};
  dispatch.dimensions = 2;
  const auto fault = program.run(dispatch, {address(data.get())});
  EXPECT_EQ(id(fault), "none") << message(fault);
  return {data->out, data->out + most_items};
}

struct Target {
  const char* isa;
  const char* options;
};

std::vector<Target> targets() {
  std::vector<Target> found;
  for (const WaveTarget& target : wave_targets()) found.push_back({target.isa, target.options});
  if (!found.empty()) found.push_back({found.front().isa, "-O0"});
  return found;
}

void expect_lockstep(const Kernel& kernel, const Target& target) {
  const std::string text = text_of(kernel);
  std::string why;
  auto object = compile(text, why, target.isa, target.options);
  ASSERT_TRUE(object) << why;
  LoadedCode compiled(std::move(*object));
  EXPECT_EQ(compiled.kernel("&k").lanes, lanes);
  for (const Sizes& sizes : all_sizes) {
    const auto expected = interpret(text, sizes, lanes);
    const auto data = data_for(sizes);
    const uint64_t kernarg = address(data.get());
    const Trap trap = compiled.run(
        "&k", &kernarg, {{sizes.grid[0], sizes.grid[1], 1}, {sizes.group[0], sizes.group[1], 1}, 2});
    ASSERT_FALSE(trap.taken) << trap.reason;
    for (uint32_t i = 0; i < most_items; ++i)
      ASSERT_EQ(data->out[i], expected[i])
          << fmt::format("work-item {} of {} x {} in groups of {} x {}", i, sizes.grid[0], sizes.grid[1],
                         sizes.group[0], sizes.group[1]);
  }
}

TEST(LockstepDifferential, WorkItemsOfAWaveSeeEachOthersStores) {
  for (const Kernel& kernel : kernels)
    for (const Target& target : targets()) {
      SCOPED_TRACE(fmt::format("{} {} {}", kernel.name, target.isa, target.options));
      expect_lockstep(kernel, target);
    }
}

/// The kernels would have other results in waves of another length, so that the test above can tell.
TEST(LockstepDifferential, ResultsDependOnTheLengthOfWaves) {
  for (const Kernel& kernel : kernels)
    for (const uint32_t other : {1u, 8u, 16u}) {
      const std::string text = text_of(kernel);
      EXPECT_NE(interpret(text, all_sizes[0], other), interpret(text, all_sizes[0], lanes))
          << kernel.name << " in waves of " << other;
    }
}

}  // namespace
}  // namespace heddle::testing
