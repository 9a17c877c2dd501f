// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves of several lanes: which lanes are active at each point (PRM 2.12), cross-lane instructions (PRM 9.4),
// waves that are not full (PRM 2.6), and values that have to be uniform.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness.h"

namespace heddle::testing {
namespace {

constexpr uint32_t wave_sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
constexpr uint32_t slots = 16;

/// Returns HSAIL that stores the mask of active lanes in slot `slot` of the work-item. $d3 is the address of
/// slot 0.
std::string record(unsigned slot) {
  return fmt::format(
      "activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;\n"
      "st_global_u64 $d4, [$d3 + {}];\n",
      slot * 8);
}

/// Returns a kernel of one dimension around `body`. $s0 is the work-item's absolute ID, $s1 its element of
/// the array of 32-bit inputs, and $d3 the address of its slots.
std::string kernel(std::string_view body, std::string_view before = "") {
  return fmt::format(R"({}{}
    prog kernel &k(kernarg_u64 %out, kernarg_u64 %in) {{
      workitemabsid_u32 $s0, 0;
      cvt_u64_u32 $d0, $s0;
      ld_kernarg_u64 $d1, [%out];
      mad_u64 $d3, $d0, {}, $d1;
      ld_kernarg_u64 $d2, [%in];
      mad_u64 $d2, $d0, 4, $d2;
      ld_global_u32 $s1, [$d2];
      {}
    }};
  )",
                     module_header, before, slots * 8, body);
}

struct Result {
  std::vector<uint64_t> values;
  std::optional<interpreter::Fault> fault;
  uint64_t at(uint32_t item, uint32_t slot) const { return values[item * slots + slot]; }
};

/// The value of slots that were not written.
constexpr uint64_t untouched = 0xdead;

Result run(const std::string& text, const std::vector<uint32_t>& in, uint32_t wave_size, uint32_t group = 0) {
  LoadedProgram program(text, wave_size);
  Result result;
  result.values.assign(in.size() * slots, untouched);
  const auto grid = static_cast<uint32_t>(in.size());
  result.fault =
      program.run("&k", {address(result.values.data()), address(in.data())}, grid, group == 0 ? grid : group);
  return result;
}

/// Returns the mask of the lanes of the wave of `item` for which `active` holds.
template <typename Predicate>
uint64_t mask_of(uint32_t item, uint32_t items, uint32_t wave_size, Predicate active) {
  const uint32_t first = item / wave_size * wave_size;
  uint64_t mask = 0;
  for (uint32_t i = first; i < std::min(items, first + wave_size); ++i) {
    if (active(i)) mask |= uint64_t{1} << (i - first);
  }
  return mask;
}

// ---- size and numbering of waves ----
TEST(Wave, SizeLaneAndWaveNumbersOfEveryWaveSize) {
  const std::string text = std::string(module_header) + R"(
    prog kernel &k(kernarg_u64 %out) {
      workitemflatabsid_u64 $d0;
      ld_kernarg_u64 $d1, [%out];
      mad_u64 $d3, $d0, 128, $d1;
      mov_b32 $s0, WAVESIZE;
      laneid_u32 $s1;
      waveid_u32 $s2;
      maxwaveid_u32 $s3;
      activelanecount_u32_b1 $s4, 1;
      currentworkitemflatid_u32 $s5;
      st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d3];
      st_v2_global_u32 ($s4, $s5), [$d3 + 16];
    };
  )";
  for (uint32_t wave_size : wave_sizes) {
    LoadedProgram program(text, wave_size);
    interpreter::Dispatch dispatch;
    dispatch.kernel = program.kernel("&k");
    dispatch.grid_size = {17, 10, 5};
    dispatch.group_size = {9, 5, 4};
    dispatch.dimensions = 3;
    interpreter::RunnerOptions options;
    options.groups_in_flight = options.groups_in_flight_max = 2;
    options.largest_group = 1000;
    std::vector<std::array<uint32_t, 32>> out(17 * 10 * 5);
    ASSERT_EQ(id(program.run(dispatch, {address(out.data())}, options)), "none");
    const uint32_t waves = (1000 + wave_size - 1) / wave_size;
    for (uint32_t z = 0; z < 5; ++z) {
      for (uint32_t y = 0; y < 10; ++y) {
        for (uint32_t x = 0; x < 17; ++x) {
          const uint32_t sx = x < 9 ? 9 : 8, sy = 5, sz = z < 4 ? 4 : 1;  // of its work-group
          const uint32_t flat = x % 9 + y % 5 * sx + z % 4 * sx * sy;
          const uint32_t lanes = std::min(wave_size, sx * sy * sz - flat / wave_size * wave_size);
          const auto& item = out[x + y * 17 + z * 170];
          EXPECT_EQ(item[0], wave_size);
          EXPECT_EQ(item[1], flat % wave_size);
          EXPECT_EQ(item[2] % waves, flat / wave_size);
          EXPECT_LT(item[2], 2 * waves);
          EXPECT_EQ(item[3], 2 * waves - 1);
          EXPECT_EQ(item[4], lanes);
          EXPECT_EQ(item[5], flat);
        }
      }
    }
  }
}

TEST(Wave, WavesizeAsTruthValueIsTrue) {
  const Result result = run(kernel("cbr_b1 WAVESIZE, @taken;\n ret;\n @taken:\n" + record(0)), {0, 0}, 64);
  EXPECT_EQ(result.at(0, 0), 3u);
}

// ---- cross-lane instructions ----
TEST(Wave, CrossLaneResultsOfEveryWaveSize) {
  // Work-items with an odd input take part; bit 1 of the input is the source.
  const std::string text = kernel(R"(
      and_b32 $s2, $s1, 1;
      cmp_eq_b1_u32 $c0, $s2, 0;
      cbr_b1 $c0, @out;
      and_b32 $s2, $s1, 2;
      cmp_ne_b1_u32 $c1, $s2, 0;
      activelanecount_u32_b1 $s3, $c1;
      activelaneid_u32 $s4;
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), $c1;
      st_v2_global_u32 ($s3, $s4), [$d3];
      st_v4_global_u64 ($d4, $d5, $d6, $d7), [$d3 + 8];
      // Lane number: bits 8 and up; identity if bit 2.
      shr_u32 $s5, $s1, 8;
      and_b32 $s6, $s1, 4;
      cmp_ne_b1_u32 $c2, $s6, 0;
      mov_b32 $s7, $s1;
      activelanepermute_b32 $s7, $s7, $s5, 77, $c2;
      st_global_u32 $s7, [$d3 + 40];
      cvt_u64_u32 $d4, $s1;
      activelanepermute_b64 $d4, $d4, $s5, 78, $c2;
      st_global_u64 $d4, [$d3 + 48];
      cvt_u64_u32 $d4, $s1;
      combine_v2_b128_b64 $q0, ($d4, 5);
      combine_v2_b128_b64 $q1, (79, 80);
      activelanepermute_b128 $q0, $q0, $s5, $q1, $c2;
      st_global_b128 $q0, [$d3 + 64];
      activelanepermute_b1 $c1, $c1, $s5, 0, $c2;
      cvt_u32_b1 $s7, $c1;
      st_global_u32 $s7, [$d3 + 80];
    @out:
      ret;
  )");
  std::vector<uint32_t> in(300);
  uint32_t seed = 1;
  for (uint32_t& value : in) value = seed = seed * 1664525u + 1013904223u;
  for (uint32_t& value : in) value = value >> 8 | (value >> 13 & 7);
  for (uint32_t wave_size : wave_sizes) {
    const Result result = run(text, in, wave_size);
    ASSERT_EQ(id(result.fault), "none") << message(result.fault);
    for (uint32_t i = 0; i < in.size(); ++i) {
      if (in[i] % 2 == 0) {
        EXPECT_EQ(result.at(i, 0), untouched);
        continue;
      }
      const uint32_t first = i / wave_size * wave_size;
      uint32_t count = 0, earlier = 0;
      uint64_t mask[4] = {};
      for (uint32_t k = first; k < std::min<uint32_t>(first + wave_size, 300); ++k) {
        if (in[k] % 2 == 0) continue;
        earlier += k < i;
        if ((in[k] & 2) == 0) continue;
        ++count;
        mask[(k - first) / 64] |= uint64_t{1} << (k - first) % 64;
      }
      EXPECT_EQ(result.at(i, 0), count | uint64_t{earlier} << 32);
      for (uint32_t word = 0; word < 4; ++word) EXPECT_EQ(result.at(i, 1 + word), mask[word]);
      const uint32_t from = first + (in[i] >> 8) % wave_size;
      const bool identity = (in[i] & 4) != 0 || from >= in.size() || in[from] % 2 == 0;
      EXPECT_EQ(static_cast<uint32_t>(result.at(i, 5)), identity ? 77 : in[from]);
      EXPECT_EQ(result.at(i, 6), identity ? 78 : in[from]);
      EXPECT_EQ(result.at(i, 8), identity ? 79 : in[from]);
      EXPECT_EQ(result.at(i, 9), identity ? 80u : 5u);
      EXPECT_EQ(static_cast<uint32_t>(result.at(i, 10)), identity ? 0u : (in[from] >> 1 & 1));
    }
  }
}

// ---- divergence ----
TEST(Divergence, IfAndElseAndWhatFollows) {
  const std::string text = kernel("cmp_eq_b1_u32 $c0, $s1, 0;\n cbr_b1 $c0, @else;\n" + record(0) +
                                  "br @end;\n @else:\n" + record(1) + "@end:\n" + record(2));
  const std::vector<uint32_t> in = {1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0};
  for (uint32_t wave_size : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    const Result result = run(text, in, wave_size);
    for (uint32_t i = 0; i < in.size(); ++i) {
      const auto same = [&](uint32_t k) { return in[k] == in[i]; };
      EXPECT_EQ(result.at(i, in[i] == 0 ? 1 : 0), mask_of(i, 19, wave_size, same));
      EXPECT_EQ(result.at(i, in[i] == 0 ? 0 : 1), untouched);
      EXPECT_EQ(result.at(i, 2), mask_of(i, 19, wave_size, [](uint32_t) { return true; }));
    }
  }
}

/// Each work-item iterates as often as its input says, and records the active lanes in each iteration.
TEST(Divergence, LoopsWithDifferentTripCounts) {
  const std::string text = kernel(R"(
      mov_b64 $d8, $d3;
      mov_b32 $s2, 0;
    @loop:
      cmp_ge_b1_u32 $c0, $s2, $s1;
      cbr_b1 $c0, @done;
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8];
      add_u64 $d8, $d8, 8;
      add_u32 $s2, $s2, 1;
      br @loop;
    @done:
  )" + record(15));
  const std::vector<uint32_t> in = {3, 0, 5, 5, 1, 14, 2, 3, 9, 9, 9, 0};
  for (uint32_t wave_size : {2u, 4u, 8u, 64u}) {
    const Result result = run(text, in, wave_size);
    for (uint32_t i = 0; i < in.size(); ++i) {
      for (uint32_t turn = 0; turn < 15; ++turn) {
        const uint64_t still = mask_of(i, 12, wave_size, [&](uint32_t k) { return in[k] > turn; });
        EXPECT_EQ(result.at(i, turn), turn < in[i] ? still : untouched) << i << " " << turn;
      }
      EXPECT_EQ(result.at(i, 15), mask_of(i, 12, wave_size, [](uint32_t) { return true; }));
    }
  }
}

/// A break after a continue. Both branches have the end of the loop as immediate post-dominator, so lanes
/// that have continued once run alone until then.
TEST(Divergence, ContinueAndBreak) {
  const std::string text = kernel(R"(
      mov_b64 $d8, $d3;
      mov_b32 $s2, 0;
    @loop:
      add_u32 $s2, $s2, 1;
      cmp_eq_b1_u32 $c0, $s2, 4;
      cbr_b1 $c0, @done;
      cmp_eq_b1_u32 $c0, $s2, $s1;
      cbr_b1 $c0, @next;         // continue, once
      cmp_eq_b1_u32 $c0, $s1, 9;
      cbr_b1 $c0, @done;         // break
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8];
    @next:
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8 + 8];
      add_u64 $d8, $d8, 16;
      br @loop;
    @done:
  )" + record(15));
  const std::vector<uint32_t> in = {0, 1, 2, 9, 3, 0, 9, 2};
  const Result result = run(text, in, 8);
  for (uint32_t i = 0; i < 8; ++i) {
    for (uint32_t turn = 1; turn <= 3; ++turn) {
      const auto continued = [&](uint32_t k) { return in[k] <= turn ? in[k] : 0; };
      const uint64_t together =
          mask_of(i, 8, 8, [&](uint32_t k) { return in[k] != 9 && continued(k) == continued(i); });
      EXPECT_EQ(result.at(i, turn * 2 - 2), in[i] != 9 && in[i] != turn ? together : untouched);
      EXPECT_EQ(result.at(i, turn * 2 - 1), in[i] != 9 ? together : untouched);
    }
    EXPECT_EQ(result.at(i, 15), 0xffu);
  }
}

TEST(Divergence, NestedIfsInLoops) {
  const std::string text = kernel(R"(
      mov_b64 $d8, $d3;
      mov_b32 $s2, 0;
    @loop:
      and_b32 $s3, $s2, $s1;
      and_b32 $s3, $s3, 1;
      cmp_eq_b1_u32 $c0, $s3, 0;
      cbr_b1 $c0, @even;
      and_b32 $s4, $s1, 2;
      cmp_eq_b1_u32 $c1, $s4, 0;
      cbr_b1 $c1, @inner;
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8];
    @inner:
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8 + 8];
    @even:
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      st_global_u64 $d4, [$d8 + 16];
      add_u64 $d8, $d8, 24;
      add_u32 $s2, $s2, 1;
      shr_u32 $s5, $s1, 2;
      cmp_lt_b1_u32 $c0, $s2, $s5;
      cbr_b1 $c0, @loop;
  )" + record(15));
  const std::vector<uint32_t> in = {0x4, 0x5, 0x6, 0x7, 0x13, 0x11, 0x12, 0xf, 0xd, 0x13, 0x0, 0x9};
  for (uint32_t wave_size : {4u, 16u}) {
    const Result result = run(text, in, wave_size);
    for (uint32_t i = 0; i < in.size(); ++i) {
      const uint32_t trips = std::max(1u, in[i] >> 2);
      for (uint32_t turn = 0; turn < 5; ++turn) {
        const auto there = [&](uint32_t k) { return turn < std::max(1u, in[k] >> 2); };
        const auto odd = [&](uint32_t k) { return there(k) && (turn & in[k] & 1) != 0; };
        const auto inner = [&](uint32_t k) { return odd(k) && (in[k] & 2) != 0; };
        if (turn >= trips) continue;
        EXPECT_EQ(result.at(i, turn * 3), inner(i) ? mask_of(i, 12, wave_size, inner) : untouched);
        EXPECT_EQ(result.at(i, turn * 3 + 1), odd(i) ? mask_of(i, 12, wave_size, odd) : untouched);
        EXPECT_EQ(result.at(i, turn * 3 + 2), mask_of(i, 12, wave_size, there));
      }
    }
  }
}

TEST(Divergence, SwitchWithSharedAndEmptyTargets) {
  const std::string text =
      kernel("sbr_u32 $s1 [@a, @b, @a, @end, @c];\n @a:\n" + record(0) + "br @end;\n @b:\n" + record(1) +
             "@c:\n" + record(2) + "@end:\n" + record(3));
  const std::vector<uint32_t> in = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 4, 2};
  const Result result = run(text, in, 16);
  const auto mask = [&](std::initializer_list<uint32_t> values) {
    return mask_of(0, 13, 16,
                   [&](uint32_t k) { return std::count(values.begin(), values.end(), in[k]) != 0; });
  };
  for (uint32_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(result.at(i, 0), in[i] == 0 || in[i] == 2 ? mask({0, 2}) : untouched);
    EXPECT_EQ(result.at(i, 1), in[i] == 1 ? mask({1}) : untouched);
    // The targets diverge at the switch and reconverge at its post-dominator, which is not @c.
    EXPECT_EQ(result.at(i, 2), in[i] == 1 ? mask({1}) : in[i] == 4 ? mask({4}) : untouched);
    EXPECT_EQ(result.at(i, 3), mask({0, 1, 2, 3, 4}));
  }
}

/// A loop with two entries, none of whose blocks dominates the others.
TEST(Divergence, IrreducibleLoop) {
  const std::string text = kernel(R"(
      mov_b32 $s2, 0;
      and_b32 $s3, $s1, 1;
      shr_u32 $s1, $s1, 1;
      cmp_ne_b1_u32 $c0, $s3, 0;
      cbr_b1 $c0, @second;
    @first:
      add_u32 $s2, $s2, 1;
    @second:
      activelanemask_v4_b64_b1 ($d4, $d5, $d6, $d7), 1;
      add_u32 $s2, $s2, 10;
      cmp_eq_b1_u32 $c0, $s1, 0;
      sub_u32 $s1, $s1, 1;
      cbr_b1 $c0, @done;
      br @first;
    @done:
      st_global_u32 $s2, [$d3];
      st_global_u64 $d4, [$d3 + 8];
  )" + record(2));
  const std::vector<uint32_t> in = {0, 1, 2, 3, 8, 9, 4, 5};
  const Result result = run(text, in, 8);
  for (uint32_t i = 0; i < in.size(); ++i) {
    const uint32_t turns = in[i] >> 1;
    EXPECT_EQ(static_cast<uint32_t>(result.at(i, 0)), 10 * (turns + 1) + turns + (in[i] & 1 ? 0 : 1));
    // @second post-dominates the entry branch: all lanes reconverge there. Lanes with the same number of
    // turns leave together.
    EXPECT_EQ(result.at(i, 1), mask_of(i, 8, 8, [&](uint32_t k) { return in[k] >> 1 >= turns; }));
    EXPECT_EQ(result.at(i, 2), 0xffu);
  }
}

/// No path leads out of the loop. Lanes that diverge inside of it still reconverge inside of it.
TEST(Divergence, EndlessLoop) {
  const std::string text =
      kernel("mov_b32 $s2, 0;\n @loop:\n cmp_eq_b1_u32 $c0, $s1, 0;\n cbr_b1 $c0, @join;\n" + record(0) +
             "@join:\n" + record(1) +
             "add_u32 $s2, $s2, 1;\n cmp_ne_b1_u32 $c0, $s2, 3;\n cbr_b1 $c0, @loop;\n"
             "@trap:\n debugtrap_u32 $s2;\n br @trap;");
  const Result result = run(text, {1, 0, 0, 1}, 4);
  EXPECT_EQ(id(result.fault), "INTERPRETER-debugtrap");
  EXPECT_EQ(result.at(0, 0), 0b1001u);
  EXPECT_EQ(result.at(3, 1), 0b1111u);
  EXPECT_EQ(result.at(1, 0), untouched);
}

TEST(Divergence, EndOfTheKernelInDivergentCode) {
  const std::string text =
      kernel("cmp_eq_b1_u32 $c0, $s1, 0;\n cbr_b1 $c0, @on;\n" + record(0) + "ret;\n @on:\n" + record(1));
  const std::vector<uint32_t> in = {0, 1, 1, 0, 0, 1, 1, 1};
  const Result result = run(text, in, 4);
  EXPECT_EQ(id(result.fault), "none");
  for (uint32_t i = 0; i < 8; ++i) {
    const uint64_t same = mask_of(i, 8, 4, [&](uint32_t k) { return in[k] == in[i]; });
    EXPECT_EQ(result.at(i, in[i] == 0 ? 1 : 0), same);
    EXPECT_EQ(result.at(i, in[i] == 0 ? 0 : 1), untouched);
  }
}

// ---- calls ----
/// The function returns the mask of the lanes that are active at its end. One path to its end is an early
/// ret.
constexpr std::string_view functions = R"(
    function &who(arg_u64 %mask)(arg_u32 %n) {
      ld_arg_u32 $s0, [%n];
      cmp_eq_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @early;
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      st_arg_u64 $d0, [%mask];
      ret;
    @early:
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      or_b64 $d0, $d0, 0x10000;
      st_arg_u64 $d0, [%mask];
    };
    function &other(arg_u64 %mask)(arg_u32 %n) {
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      or_b64 $d0, $d0, 0x20000;
      st_arg_u64 $d0, [%mask];
    };
    prog indirect function &one(arg_u64 %mask)(arg_u32 %n) {
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      st_arg_u64 $d0, [%mask];
    };
    prog indirect function &two(arg_u64 %mask)(arg_u32 %n) {
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      or_b64 $d0, $d0, 0x20000;
      st_arg_u64 $d0, [%mask];
    };
    signature &mask_of_u32(arg_u64 %mask)(arg_u32 %n);
)";

TEST(Divergence, EarlyReturnOfAFunctionWaitsForTheWave) {
  const std::string text = kernel(R"({
      arg_u64 %m; arg_u32 %n;
      st_arg_u32 $s1, [%n];
      call &who(%m)(%n);
      ld_arg_u64 $d4, [%m];
      st_global_u64 $d4, [$d3];
      })" + record(1),
                                  functions);
  const std::vector<uint32_t> in = {0, 1, 5, 0, 2, 0, 0, 1};
  const Result result = run(text, in, 8);
  for (uint32_t i = 0; i < 8; ++i) {
    const uint64_t same = mask_of(i, 8, 8, [&](uint32_t k) { return (in[k] == 0) == (in[i] == 0); });
    EXPECT_EQ(result.at(i, 0), same | (in[i] == 0 ? 0x10000 : 0));
    EXPECT_EQ(result.at(i, 1), 0xffu);
  }
}

TEST(Divergence, SwitchCallAndIndirectCall) {
  const auto calling = [](std::string_view call) {
    return kernel(
        "mov_b64 $d9, addr(&one);\n mov_b64 $d10, addr(&two);\n cmp_eq_b1_u32 $c0, $s1, 1;\n"
        "cmov_b64 $d9, $c0, $d9, $d10;\n { arg_u64 %m; arg_u32 %n;\n st_arg_u32 $s1, [%n];\n" +
            std::string(call) + "ld_arg_u64 $d4, [%m];\n st_global_u64 $d4, [$d3];\n }\n" + record(1),
        functions);
  };
  const std::vector<uint32_t> in = {0, 1, 2, 0, 2, 1, 0, 1};
  for (const char* call :
       {"scall_u32 $s1(%m)(%n) [&other, &who, &other];\n", "icall_u64 $d9(%m)(%n) &mask_of_u32;\n"}) {
    const Result result = run(calling(call), in, 8);
    ASSERT_EQ(id(result.fault), "none") << message(result.fault);
    for (uint32_t i = 0; i < 8; ++i) {
      const uint64_t same = mask_of(i, 8, 8, [&](uint32_t k) { return (in[k] == 1) == (in[i] == 1); });
      EXPECT_EQ(result.at(i, 0), same | (in[i] == 1 ? 0 : 0x20000));
      EXPECT_EQ(result.at(i, 1), 0xffu);
    }
  }
}

/// Each lane recurses as deeply as its input says. On each level the lanes that go deeper are active
/// together.
TEST(Divergence, RecursionOfDifferentDepths) {
  const std::string function = R"(
    function &down(arg_u64 %sum)(arg_u32 %n) {
      private_u64 %mine;
      ld_arg_u32 $s0, [%n];
      activelanemask_v4_b64_b1 ($d0, $d1, $d2, $d3), 1;
      st_private_u64 $d0, [%mine];
      mov_b64 $d4, 0;
      cmp_eq_b1_u32 $c0, $s0, 0;
      cbr_b1 $c0, @end;
      { arg_u64 %s; arg_u32 %m;
        sub_u32 $s0, $s0, 1;
        st_arg_u32 $s0, [%m];
        call &down(%s)(%m);
        ld_arg_u64 $d4, [%s];
      }
    @end:
      ld_private_u64 $d0, [%mine];
      mul_u64 $d4, $d4, 16;
      add_u64 $d4, $d4, $d0;
      st_arg_u64 $d4, [%sum];
    };)";
  const std::string text = kernel(R"({
      arg_u64 %s; arg_u32 %n;
      st_arg_u32 $s1, [%n];
      call &down(%s)(%n);
      ld_arg_u64 $d4, [%s];
      st_global_u64 $d4, [$d3];
      })" + record(1),
                                  function);
  const std::vector<uint32_t> in = {2, 0, 5, 3};
  const Result result = run(text, in, 4);
  ASSERT_EQ(id(result.fault), "none") << message(result.fault);
  for (uint32_t i = 0; i < 4; ++i) {
    uint64_t expected = 0;
    for (uint32_t level = in[i] + 1; level-- > 0;) {
      expected = expected * 16 + mask_of(i, 4, 4, [&](uint32_t k) { return in[k] >= level; });
    }
    EXPECT_EQ(result.at(i, 0), expected);
    EXPECT_EQ(result.at(i, 1), 15u);
  }
}

// ---- barriers, fbarriers, waits ----
TEST(Wave, BarrierBetweenWaves) {
  const std::string text = std::string(module_header) + R"(
    prog kernel &k(kernarg_u64 %out, kernarg_u64 %in) {
      group_u32 %cells[64];
      workitemid_u32 $s0, 0;
      shl_u32 $s1, $s0, 2;
      st_group_u32 $s0, [%cells][$s1];
      memfence_screl_wg;
      barrier;
      memfence_scacq_wg;
      xor_b32 $s1, $s1, 252;
      ld_group_u32 $s2, [%cells][$s1];
      wavebarrier;
      workitemabsid_u32 $s3, 0;
      cvt_u64_u32 $d0, $s3;
      ld_kernarg_u64 $d1, [%out];
      mad_u64 $d0, $d0, 4, $d1;
      st_global_u32 $s2, [$d0];
    };
  )";
  for (uint32_t wave_size : wave_sizes) {
    LoadedProgram program(text, wave_size);
    std::vector<uint32_t> out(192);
    interpreter::RunnerOptions options;
    options.slice = 3;
    ASSERT_EQ(id(program.run("&k", {address(out.data()), 0}, 192, 64, options)), "none");
    for (uint32_t i = 0; i < 192; ++i) EXPECT_EQ(out[i], 63 - i % 64);
  }
}

TEST(Wave, WhatHasToBeUniform) {
  const auto half = [](std::string_view instruction, std::string_view before = "") {
    return kernel(std::string(before) + "cmp_eq_b1_u32 $c0, $s1, 0;\n cbr_b1 $c0, @end;\n" +
                      std::string(instruction) + "\n@end:\n ret;",
                  "fbarrier &fb;");
  };
  const std::vector<uint32_t> some = {1, 1, 0, 1};
  const std::string init = "cmp_ne_b1_u32 $c0, $s0, 0;\n cbr_b1 $c0, @go;\n initfbar &fb;\n@go:\n";
  EXPECT_EQ(id(run(half("wavebarrier;"), some, 4).fault), "INTERPRETER-wavebarrier-divergent");
  EXPECT_EQ(id(run(half("wavebarrier;"), some, 1).fault), "none");
  EXPECT_EQ(id(run(half("wavebarrier;"), {1, 1, 0, 0}, 2).fault), "none");
  EXPECT_EQ(id(run(half("wavebarrier;\npragma \"heddle.early_return\";"), some, 4).fault), "none");
  const Result barrier = run(half("barrier;"), some, 4);
  EXPECT_EQ(id(barrier.fault), "INTERPRETER-barrier-deadlock");
  EXPECT_NE(message(barrier.fault).find("another path"), std::string::npos) << message(barrier.fault);
  const Result join = run(half("joinfbar &fb;", init), some, 4);
  EXPECT_EQ(id(join.fault), "INTERPRETER-fbarrier-misuse");
  EXPECT_NE(message(join.fault).find("3 of the 4"), std::string::npos) << message(join.fault);
}

/// With the pragma, a barrier does not wait for lanes that have ended or that wait to be joined, of whichever
/// path, and lane operations between barriers are about those that are there.
TEST(Wave, LanesMayEndBeforeABarrier) {
  const auto text = [](const char* pragma) {
    return fmt::format(R"({}
    prog kernel &k(kernarg_u64 %out, kernarg_u64 %in) {{
      {}
      workitemabsid_u32 $s0, 0; cvt_u64_u32 $d0, $s0;
      ld_kernarg_u64 $d1, [%out]; mad_u64 $d3, $d0, {}, $d1;
      ld_kernarg_u64 $d2, [%in]; mad_u64 $d2, $d0, 4, $d2; ld_global_u32 $s1, [$d2];
      cmp_eq_b1_u32 $c0, $s1, 0; cbr_b1 $c0, @none;
      barrier;
      {}
      cmp_eq_b1_u32 $c0, $s1, 1; cbr_b1 $c0, @end;
      barrier;
      {}
      br @end;
    @none:
      st_global_u64 7, [$d3 + 16];
    @end:
      ret;
    }};
  )",
                       module_header, pragma, slots * 8, record(0), record(1));
  };
  // The lanes that stay are the first ones, in the middle, or the last ones of waves.
  for (const std::vector<uint32_t>& in : {std::vector<uint32_t>{2, 1, 0, 0, 0, 0, 0, 0},
                                          {0, 1, 2, 0, 2, 1, 1, 0},
                                          {0, 0, 0, 0, 0, 0, 1, 2},
                                          {1, 1, 1, 1, 2, 0, 0, 0}}) {
    for (const uint32_t wave_size : {1u, 2u, 4u, 8u, 16u}) {
      const Result result = run(text("pragma \"heddle.early_return\";"), in, wave_size);
      ASSERT_EQ(id(result.fault), "none") << message(result.fault);
      for (uint32_t item = 0; item < in.size(); ++item)
        for (uint32_t phase = 0; phase < 2; ++phase) {
          uint64_t mask = 0;
          for (uint32_t lane = 0; lane < wave_size && item / wave_size * wave_size + lane < in.size(); ++lane)
            if (in[item / wave_size * wave_size + lane] > phase) mask |= uint64_t{1} << lane;
          EXPECT_EQ(result.at(item, phase), in[item] > phase ? mask : untouched)
              << item << " of " << wave_size;
          EXPECT_EQ(result.at(item, 2), in[item] == 0 ? 7 : untouched) << item << " of " << wave_size;
        }
      EXPECT_EQ(id(run(text(""), in, wave_size).fault), "INTERPRETER-barrier-deadlock") << wave_size;
    }
  }
}

/// This is more than the PRM promises: groups wait for a group that comes after them.
TEST(Wave, GroupsThatWaitForTheLastOne) {
  const std::string text = std::string(module_header) + R"(
    prog kernel &k(kernarg_u64 %flag, kernarg_u64 %last) {
      ld_kernarg_u64 $d0, [%flag];
      workitemabsid_u32 $s0, 0;
      ld_kernarg_u64 $d1, [%last];
      cvt_u32_u64 $s2, $d1;
      cmp_eq_b1_u32 $c0, $s0, $s2;
      cbr_b1 $c0, @set;
    @wait:
      atomic_ld_global_scacq_system_b32 $s1, [$d0];
      cmp_eq_b1_u32 $c0, $s1, 0;
      cbr_b1 $c0, @wait;
      ret;
    @set:
      atomicnoret_st_global_screl_system_b32 [$d0], 1;
    };
  )";
  for (uint32_t group : {1u, 8u, 16u}) {
    LoadedProgram program(text);
    uint32_t flag = 0;
    EXPECT_EQ(id(program.run("&k", {address(&flag), 16 * group - 1}, 16 * group, group)), "none");
    EXPECT_EQ(flag, 1u);
  }
}

/// Each wave but the first joins and waits for the others. Members are counted by wave.
TEST(Wave, FbarrierOfSomeWaves) {
  const std::string text = kernel(R"(
      workitemid_u32 $s2, 0;
      cmp_ne_b1_u32 $c0, $s2, 0;
      cbr_b1 $c0, @initialized;
      initfbar &fb;
    @initialized:
      barrier;
      div_u32 $s3, $s2, WAVESIZE;
      cmp_eq_b1_u32 $c1, $s3, 0;
      cbr_b1 $c1, @apart;
      joinfbar &fb;
    @apart:
      barrier;
      cbr_b1 $c1, @out;
      shl_u32 $s4, $s2, 2;
      st_group_u32 $s2, [&cells][$s4];
      memfence_screl_wg;
      waitfbar &fb;
      memfence_scacq_wg;
      // The cell of the work-item opposite, of those that take part.
      sub_u32 $s5, 63, $s2;
      add_u32 $s5, $s5, WAVESIZE;
      shl_u32 $s5, $s5, 2;
      ld_group_u32 $s6, [&cells][$s5];
      st_global_u32 $s6, [$d3];
      leavefbar &fb;
    @out:
      barrier;
      cbr_b1 $c0, @end;
      releasefbar &fb;
    @end:
      ret;
  )",
                                  "fbarrier &fb;\n group_u32 &cells[64];");
  for (uint32_t wave_size : {1u, 2u, 8u, 16u, 32u, 64u}) {
    const Result result = run(text, std::vector<uint32_t>(64), wave_size);
    ASSERT_EQ(id(result.fault), "none") << message(result.fault);
    for (uint32_t i = wave_size; i < 64; ++i) {
      EXPECT_EQ(static_cast<uint32_t>(result.at(i, 0)), 63 - i + wave_size);
    }
    EXPECT_EQ(result.at(0, 0), untouched);
  }
}

/// Lanes wait for different signals. The wave continues when the last lane has its value.
TEST(Wave, SignalWaitsOfTheLanes) {
  const std::string text = kernel(
      "cvt_u64_u32 $d4, $s1;\n signal_wait_gte_rlx_s64_sig64 $d5, $d4, 3;\n"
      "st_global_u64 $d5, [$d3];\n" +
      record(1));
  LoadedProgram program(text, 4);
  std::vector<uint32_t> in = {1, 2, 3, 4};
  std::vector<uint64_t> out(4 * slots);
  // A signal's value is the number of its reads, divided by its handle.
  struct Signals {
    uint64_t asked[5] = {};
    static bool perform(void* context, interpreter::SignalRequest& request) {
      request.result = ++static_cast<Signals*>(context)->asked[request.signal] / request.signal;
      return true;
    }
  } signals;
  interpreter::Services services;
  services.context = &signals;
  services.signal = Signals::perform;
  interpreter::Dispatch dispatch;
  dispatch.kernel = program.kernel("&k");
  dispatch.grid_size = dispatch.group_size = {4, 1, 1};
  ASSERT_EQ(id(program.run(dispatch, {address(out.data()), address(in.data())}, {}, services)), "none");
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i * slots], 3u);
    EXPECT_EQ(out[i * slots + 1], 15u);
    EXPECT_EQ(signals.asked[i + 1], 3 * (i + 1));  // a lane that has its value does not read it again
  }
}

TEST(Wave, AFaultNamesItsLane) {
  const std::string text = kernel(
      "cvt_u64_u32 $d4, $s1;\n cmp_eq_b1_u64 $c0, $d4, 0;\n"
      "cmov_b64 $d4, $c0, $d3, $d4;\n ld_global_u32 $s2, [$d4];");
  for (uint32_t bad : {0x10u, 0x8000u}) {
    const Result result = run(text, {0, 0, 0, 0, 0, bad, 0, 0}, 4);
    EXPECT_EQ(id(result.fault), "INTERPRETER-memory-fault");
    EXPECT_NE(message(result.fault).find("work-item (5, 0, 0)"), std::string::npos) << message(result.fault);
  }
}

}  // namespace
}  // namespace heddle::testing
