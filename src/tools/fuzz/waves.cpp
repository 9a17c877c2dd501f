// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// These statements use $s32-33 and $d24-27 as temporaries.
#include "waves.h"

#include <fmt/format.h>

#include "ordered_text.h"

namespace heddle::tools::fuzz {
namespace {

std::string s(const Pick& pick) { return fmt::format("$s{}", pick(8)); }
std::string d(const Pick& pick) { return fmt::format("$d{}", pick(4)); }
std::string c(const Pick& pick) { return fmt::format("$c{}", pick(4)); }
std::string c_or_constant(const Pick& pick) { return pick(4) ? c(pick) : pick(2) ? "1" : "0"; }

/// Moves the number of another lane to $s32: one at a fixed distance, one that data choose, or the same one
/// for all.
std::string other_lane(const Pick& pick) {
  switch (pick(4)) {
    case 0:
      return fmt::format("  laneid_u32 $s32;\n  xor_b32 $s32, $s32, {};\n", 1 + pick(31));
    case 1:
      return fmt::format("  laneid_u32 $s32;\n  add_u32 $s32, $s32, {};\n", 1 + pick(255));
    case 2:
      return fmt::format("  mov_b32 $s32, {};\n", pick(64));
    default:
      return fmt::format("  mov_b32 $s32, {};\n", s(pick));
  }
}

std::string permuted(const Pick& pick) {
  const std::string lane = other_lane(pick), use_identity = c_or_constant(pick);
  switch (pick(4)) {
    case 0:
      return lane + OrderedText{"  activelanepermute_b1 {}, {}, $s32, {}, {};\n", c(pick), c(pick), c(pick),
                                use_identity}
                        .text;
    case 1:
      return lane + OrderedText{"  activelanepermute_b64 {}, {}, $s32, {}, {};\n", d(pick), d(pick), d(pick),
                                use_identity}
                        .text;
    case 2:
      return lane +
             OrderedText{
                 "  combine_v2_b128_b64 $q20, ({}, {});\n  combine_v2_b128_b64 $q21, ({}, {});\n"
                 "  activelanepermute_b128 $q20, $q20, $s32, $q21, {};\n"
                 "  expand_v2_b64_b128 ($d21, $d22), $q20;\n  mov_b64 {}, $d21;\n"
                 "  mov_b64 {}, $d22;\n",
                 d(pick),
                 d(pick),
                 d(pick),
                 d(pick),
                 use_identity,
                 d(pick),
                 d(pick)}
                 .text;
    default:
      return lane + OrderedText{"  activelanepermute_b32 {}, {}, $s32, {}, {};\n", s(pick), s(pick), s(pick),
                                use_identity}
                        .text;
  }
}

/// The waves of a group have different numbers, which depend on the agent, but are the same for all lanes.
std::string wave_number(const Pick& pick) {
  return OrderedText{
      "  waveid_u32 $s32;\n  maxwaveid_u32 $s33;\n  cmp_le_b1_u32 {}, $s32, $s33;\n"
      "  activelanepermute_b32 $s33, $s32, {}, $s32, 0;\n  sub_u32 $s33, $s33, $s32;\n"
      "  add_u32 {}, {}, $s33;\n",
      c(pick), s(pick), s(pick), s(pick)}
      .text;
}

}  // namespace

std::string wave_value(const Pick& pick) {
  switch (pick(10)) {
    case 0:
      return fmt::format("  laneid_u32 {};\n", s(pick));
    case 1:
      return OrderedText{"  add_u32 {}, {}, WAVESIZE;\n", s(pick), s(pick)}.text;
    case 2:
      return fmt::format("  activelaneid_u32 {};\n", s(pick));
    case 3:
    case 4:
      return OrderedText{"  activelanecount_u32_b1 {}, {};\n", s(pick), c_or_constant(pick)}.text;
    case 5:
    case 6:
      return OrderedText{
          "  activelanemask_v4_b64_b1 ($d24, $d25, $d26, $d27), {};\n  xor_b64 {}, {}, $d{};\n",
          c_or_constant(pick), d(pick), d(pick), pick(4) ? 24 : 25 + pick(3)}
          .text;
    case 7:
      return wave_number(pick);
    default:
      return permuted(pick);
  }
}

std::string detected(const Pick& pick, const std::function<std::string()>& operation) {
  std::string text = "  cleardetectexcept_u32 31;\n";
  for (unsigned left = 1 + pick(3); left > 0; --left) text += operation();
  if (pick(4) == 0) text += fmt::format("  setdetectexcept_u32 {};\n", pick(32));
  if (pick(4) == 0) text += fmt::format("  cleardetectexcept_u32 {};\n", pick(32));
  return text + fmt::format("  getdetectexcept_u32 {};\n", s(pick));
}

}  // namespace heddle::tools::fuzz
