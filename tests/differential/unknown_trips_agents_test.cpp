// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose number of trips nobody knows before they begin, because the index may wrap. Some targets
// execute several trips at once where it does not.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "../finalizer/compile.h"
#include "agents.h"

namespace heddle::testing {
namespace {

constexpr uint32_t words = 1024, items = 256, counters = 64;
constexpr uint32_t results = 4;  ///< of a work-item

/// One kind of loop.
struct Form {
  const char* name;
  unsigned bits;      ///< of the index
  bool is_signed;     ///< the comparison is
  bool checks_first;  ///< before the first trip, too
  bool gathers;       ///< loads what the word that it has loaded leads to
  bool counts;        ///< adds to a counter of the work-group in each trip
};

/// What a work-item is told: each trip adds `step` to the index, and there is another one as long as the
/// index is less than `bound`. The values are cut to the bits of the index.
struct Range {
  uint64_t begin, step, bound;
};

/// `&k` lets each work-item go through its range. It stores the hash of all that it has loaded, the counter
/// of its group that belongs to it, and the index and the hash with which its last trip began.
std::string kernel_of(const Form& form) {
  const char letter = form.is_signed ? 's' : 'u';
  const std::string type = fmt::format("{}{}", letter, form.bits), bits = fmt::format("b{}", form.bits);
  const char r = form.bits == 32 ? 's' : 'd';
  // The index is in register 10, the step in 11, the bound in 12.
  std::string text = R"(
prog kernel &k(kernarg_u64 %ranges, kernarg_u64 %data, kernarg_u64 %out) {
  group_u32 %counters[64];
  ld_kernarg_align(8)_width(all)_u64 $d0, [%ranges];
  ld_kernarg_align(8)_width(all)_u64 $d1, [%data];
  ld_kernarg_align(8)_width(all)_u64 $d2, [%out];
  workitemflatid_u32 $s0; and_b32 $s1, $s0, 63; shl_u32 $s1, $s1, 2;
  atomicnoret_st_group_rlx_wg_b32 [%counters][$s1], 0;
  barrier;
  cvt_u64_u32 $d3, $s0; mul_u64 $d3, $d3, 24; add_u64 $d0, $d0, $d3;
)";
  for (int i = 0; i < 3; ++i)
    text += fmt::format("  ld_global_align(4)_u{} ${}{}, [$d0+{}];\n", form.bits, r, 10 + i, 8 * i);
  text += "  mov_b32 $s2, 7; mov_b32 $s5, 0; mov_b32 $s6, 0;\n";
  const std::string compare = fmt::format("  cmp_lt_b1_{} $c0, ${}10, ${}12;\n", type, r, r);
  if (form.checks_first) text += "@next:\n" + compare + "  not_b1 $c0, $c0; cbr_b1 $c0, @end;\n";
  if (!form.checks_first) text += "@next:\n";
  text += form.bits == 32 ? "  mov_b32 $s5, $s10;\n" : "  cvt_u32_u64 $s5, $d10;\n";
  text += "  mov_b32 $s6, $s2;\n";  // what the last trip begins with is stored, too
  text += form.bits == 32 ? "  and_b32 $s3, $s10, 1023;\n"
                          : "  shr_u64 $d4, $d10, 32; xor_b64 $d4, $d4, $d10; cvt_u32_u64 $s3, $d4; and_b32 "
                            "$s3, $s3, 1023;\n";
  const char* const load =
      "  cvt_u64_u32 $d4, $s3; shl_u64 $d4, $d4, 2; add_u64 $d4, $d1, $d4; ld_global_align(4)_u32 $s3, "
      "[$d4];\n";
  text += load;
  if (form.gathers) text += std::string("  and_b32 $s3, $s3, 1023;\n") + load;
  text += "  mul_u32 $s2, $s2, 31; add_u32 $s2, $s2, $s3;\n";
  if (form.counts)
    text +=
        "  and_b32 $s4, $s3, 63; shl_u32 $s4, $s4, 2; atomicnoret_add_group_rlx_wg_u32 [%counters][$s4], "
        "1;\n";
  text += fmt::format("  add_{0} ${1}10, ${1}10, ${1}11;\n", form.bits == 32 ? "u32" : "u64", r);
  text += form.checks_first ? "  br @next;\n@end:\n" : compare + "  cbr_b1 $c0, @next;\n";
  return text + R"(
  barrier;
  atomic_ld_group_rlx_wg_b32 $s4, [%counters][$s1];
  cvt_u64_u32 $d3, $s0; shl_u64 $d3, $d3, 4; add_u64 $d2, $d2, $d3;
  st_global_u32 $s2, [$d2]; st_global_u32 $s4, [$d2+4]; st_global_u32 $s5, [$d2+8]; st_global_u32 $s6, [$d2+12];
  ret;
};
)";
}

/// Ranges that end soon. Some indices wrap, and would be below the bound again if they went on.
std::vector<Range> ranges_for(const Form& form) {
  const uint64_t part = uint64_t{1} << (form.bits - 4);  // a sixteenth of all values
  const auto minus = [](uint64_t value) { return 0 - value; };
  std::vector<Range> ranges = {{0, 1, 0},
                               {0, 1, 1},
                               {5, 3, 5},
                               {0, 1, 3},
                               {0, 1, 4},
                               {0, 1, 5},
                               {0, 1, 8},
                               {3, 7, 31},
                               {3, 7, 30},
                               {3, 7, 24},
                               {3, 7, 25},
                               {10, part, 9},
                               {minus(50), 9, minus(14)},
                               {minus(29), 7, minus(8)}};
  if (form.is_signed)
    ranges.insert(ranges.end(), {{minus(50), 9, 40},
                                 {10, 3, minus(5)},
                                 {1, minus(3 * part), 7 * part},
                                 {minus(7 * part), minus(part), 5 * part},
                                 {8 * part - 20, 12 * part, 3 * part},
                                 {8 * part, part, 0}});
  else
    ranges.insert(ranges.end(), {{0, 3 * part, 8 * part},
                                 {0, 6 * part, 10 * part},
                                 {0, 6 * part, 13 * part},
                                 {7 * part, minus(part), 8 * part},
                                 {7 * part, 8 * part - 1, 8 * part}});
  std::mt19937 random(form.bits);
  while (ranges.size() < items) {
    const uint64_t begin = random() % 2000;
    ranges.push_back({begin, 1 + random() % 97, begin + random() % 3000});
  }
  return ranges;
}

bool is_less(const Form& form, uint64_t a, uint64_t b) {
  const unsigned unused = 64 - form.bits;
  a <<= unused;
  b <<= unused;
  return form.is_signed ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

/// What the kernel stores.
std::vector<uint32_t> expected_of(const Form& form, const std::vector<Range>& ranges, const uint32_t* data) {
  const uint64_t mask = form.bits == 32 ? UINT32_MAX : UINT64_MAX;
  std::vector<uint32_t> out(results * items), counts(counters);
  for (uint32_t item = 0; item < items; ++item) {
    uint64_t index = ranges[item].begin & mask;
    uint32_t hash = 7, last_index = 0, last_hash = 0;
    for (bool first = true;; first = false) {
      if ((!first || form.checks_first) && !is_less(form, index, ranges[item].bound & mask)) break;
      last_index = static_cast<uint32_t>(index);
      last_hash = hash;
      uint32_t word = data[(form.bits == 32 ? index : index ^ index >> 32) % words];
      if (form.gathers) word = data[word % words];
      hash = hash * 31 + word;
      if (form.counts) ++counts[word % counters];
      index = (index + ranges[item].step) & mask;
    }
    uint32_t* const own = &out[results * item];
    own[0] = hash;
    own[2] = last_index;
    own[3] = last_hash;
  }
  for (uint32_t item = 0; item < items; ++item) out[results * item + 1] = counts[item % counters];
  return out;
}

class UnknownTripsOnAgents : public ::testing::TestWithParam<Form> {};

TEST_P(UnknownTripsOnAgents, GoOnUntilTheBound) {
  const Form& form = GetParam();
  const std::vector<Range> ranges = ranges_for(form);
  SharedVector<Range> told(ranges.begin(), ranges.end());
  SharedVector<uint32_t> data(words);
  std::mt19937 random(1);
  for (uint32_t& word : data) word = random();
  const std::vector<uint32_t> expected = expected_of(form, ranges, data.data());
  for (const Agent& agent : executing_agents()) {
    const Compiled compiled = compile(module_header + kernel_of(form), agent.isa.c_str());
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    AgentCode code(agent, compiled.object, compiled.modules, compiled.lowered);
    ASSERT_TRUE(code.good());
    SharedVector<uint32_t> out(results * items);
    ASSERT_EQ(code.run("&k", {address_of(told), address_of(data), address_of(out)}, line(items, items)),
              HSA_STATUS_SUCCESS);
    for (uint32_t i = 0; i < results * items; ++i)
      ASSERT_EQ(out[i], expected[i]) << agent.isa << ", result " << i % results << " of work-item "
                                     << i / results;
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, UnknownTripsOnAgents,
                         ::testing::Values(Form{"u32", 32, false, false, false, false},
                                           Form{"u32_checked_first", 32, false, true, false, false},
                                           Form{"s32", 32, true, false, false, false},
                                           Form{"s32_checked_first", 32, true, true, false, false},
                                           Form{"u64", 64, false, false, false, false},
                                           Form{"s64_checked_first", 64, true, true, false, false},
                                           Form{"u32_gathers", 32, false, false, true, false},
                                           Form{"u32_counts", 32, false, false, false, true},
                                           Form{"u32_counts_checked_first", 32, false, true, false, true},
                                           Form{"s64_counts_and_gathers", 64, true, false, true, true}),
                         [](const auto& form) { return std::string(form.param.name); });

}  // namespace
}  // namespace heddle::testing
