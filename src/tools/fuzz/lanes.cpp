// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// These statements use $s32-39 and $d24-31 as temporaries. A gate also keeps $s40-42 across its bodies.
#include "lanes.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "ordered_text.h"

namespace heddle::tools::fuzz {
namespace {

std::string s(const Pick& pick) { return fmt::format("$s{}", pick(8)); }
std::string d(const Pick& pick) { return fmt::format("$d{}", pick(4)); }
std::string c(const Pick& pick) { return fmt::format("$c{}", pick(4)); }

/// An activelanepermute that returns a value of the work-item's own lane or the identity value, as a $c
/// register selects.
std::string from_same_lane(const Pick& pick, const char* width) {
  std::string text = fmt::format(
      "  laneid_u32 $s32;\n  mov_b32 $s33, WAVESIZE;\n  mad_u32 $s32, $s33, {}, $s32;\n", pick(4));
  switch (pick(4)) {
    case 0:
      return text + OrderedText{"  activelanepermute{}_b1 {}, {}, $s32, {}, {};\n",
                                width,
                                c(pick),
                                c(pick),
                                c(pick),
                                c(pick)}
                        .text;
    case 1:
      return text + OrderedText{"  activelanepermute{}_b32 {}, {}, $s32, {}, {};\n",
                                width,
                                s(pick),
                                s(pick),
                                s(pick),
                                c(pick)}
                        .text;
    case 2:
      return text + OrderedText{"  activelanepermute{}_b64 {}, {}, $s32, {}, {};\n",
                                width,
                                d(pick),
                                d(pick),
                                d(pick),
                                pick(3) ? c(pick) : "0"}
                        .text;
    default:
      return text +
             OrderedText{
                 "  combine_v2_b128_b64 $q20, ({}, {});\n  combine_v2_b128_b64 $q21, ({}, {});\n"
                 "  activelanepermute{}_b128 $q20, $q20, $s32, $q21, {};\n"
                 "  expand_v2_b64_b128 ($d21, $d22), $q20;\n  mov_b64 {}, $d21;\n  mov_b64 {}, $d22;\n",
                 d(pick),
                 d(pick),
                 d(pick),
                 d(pick),
                 width,
                 c(pick),
                 d(pick),
                 d(pick)}
                 .text;
  }
}

/// Compares activelanemask, activelanecount and activelaneid for one set of lanes.
std::string counted(const Pick& pick, const char* width) {
  const std::string of = pick(3) ? c(pick) : "1", into = s(pick);
  return fmt::format(
      "  activelanemask_v4{0}_b64_b1 ($d24, $d25, $d26, $d27), {1};\n"
      "  activelanemask_v4{0}_b64_b1 ($d28, $d29, $d30, $d31), 1;\n"
      "  activelanecount{0}_u32_b1 $s32, {1};\n  activelaneid{0}_u32 $s33;\n  laneid_u32 $s34;\n"
      // The mask has as many lanes as were counted.
      "  popcount_u32_b64 $s35, $d24;\n  sub_u32 $s32, $s32, $s35;\n"
      "  popcount_u32_b64 $s35, $d25;\n  sub_u32 $s32, $s32, $s35;\n"
      "  popcount_u32_b64 $s35, $d26;\n  sub_u32 $s32, $s32, $s35;\n"
      "  popcount_u32_b64 $s35, $d27;\n  sub_u32 $s32, $s32, $s35;\n"
      "  add_u32 {2}, {2}, $s32;\n"
      // As many active lanes precede this one as its id says, and the mask has the work-item's own bit.
      "  shl_u64 $d21, 1, $s34;\n  sub_u64 $d22, $d21, 1;\n  and_b64 $d22, $d22, $d28;\n"
      "  popcount_u32_b64 $s35, $d22;\n  sub_u32 $s33, $s33, $s35;\n"
      "  and_b64 $d22, $d24, $d21;\n  cmp_ne_b1_u64 $c5, $d22, 0;\n"
      "  cmp_lt_b1_u32 $c4, $s34, 64;\n  cmov_b32 $s33, $c4, $s33, 0;\n"  // for lanes of the first word
      "  add_u32 {2}, {2}, $s33;\n  cmov_b1 {3}, $c4, $c5, {4};\n",
      width, of, into, c(pick), of);
}

/// Reads a value that identifies the work-item of another lane, or the identity value if that lane is
/// inactive, and compares it with the expected value.
std::string from_other_lane(const Pick& pick, const char* width) {
  const std::string identity = fmt::format("{:#x}", pick(1u << 30)), use = pick(3) ? c(pick) : "0";
  return OrderedText{
      "  activelanemask_v4{0}_b64_b1 ($d24, $d25, $d26, $d27), 1;\n  laneid_u32 $s32;\n"
      "  currentworkitemflatid_u32 $s33;\n  mul_u32 $s34, $s33, 0x9e3779b1;\n  xor_b32 $s35, $s32, {1};\n"
      "  activelanepermute{0}_b32 $s36, $s34, $s35, {2}, {3};\n"
      // the expected value
      "  mov_b32 $s37, WAVESIZE;\n  sub_u32 $s37, $s37, 1;\n  and_b32 $s35, $s35, $s37;\n"
      "  sub_u32 $s38, $s33, $s32;\n  add_u32 $s38, $s38, $s35;\n  mul_u32 $s38, $s38, 0x9e3779b1;\n"
      "  shr_u64 $d21, $d24, $s35;\n  and_b64 $d21, $d21, 1;\n  cmp_ne_b1_u64 $c4, $d21, 0;\n"
      "  not_b1 $c5, {3};\n  and_b1 $c4, $c4, $c5;\n  cmov_b32 $s38, $c4, $s38, {2};\n"
      "  sub_u32 $s36, $s36, $s38;\n  cmp_lt_b1_u32 $c4, $s35, 64;\n  cmov_b32 $s36, $c4, $s36, 0;\n"
      "  xor_b32 {4}, {4}, $s36;\n",
      width,
      1 + pick(63),
      identity,
      use,
      s(pick)}
      .text;
}

/// Waves have parts that depend on their number in the group: part 0 does not join the fbarrier, parts 1 to 3
/// do.
class Gate {
 public:
  Gate(const Pick& pick, const Label& label) : pick_(pick), apart_(label()), body_(label()), end_(label()) {
    const std::string ready = label();
    start_ =
        OrderedText{
            "  workitemflatid_u32 $s20;\n  cmp_ne_b1_u32 $c4, $s20, 0;\n  cbr_b1 $c4, {0};\n  initfbar "
            "%gate;\n"
            "  st_v4_group_u32 (0, 0, 0, 0), [%met];\n{0}:\n  barrier;\n"
            "  currentworkitemflatid_u32 $s20;\n  mov_b32 $s21, WAVESIZE;\n  div_u32 $s20, $s20, $s21;\n"
            "  shl_u32 $s20, $s20, 1;\n  shr_u32 $s40, {1:#x}, $s20;\n  and_b32 $s40, $s40, 3;\n"
            "  mov_b32 $s41, {2};\n  mov_b32 $s42, {3};\n",
            ready, pick(UINT32_MAX), s(pick), s(pick)}
            .text;
    release_ = fmt::format(
        "  barrier;\n  workitemflatid_u32 $s20;\n  cmp_ne_b1_u32 $c4, $s20, 0;\n  cbr_b1 $c4, {0};\n"
        "  releasefbar %gate;\n{0}:\n",
        label());
  }

  Statement statement(Block body) { return {pick_(2) ? that_waits() : that_arrives(), {std::move(body)}}; }

 private:
  using Pieces = std::vector<std::string>;

  /// Parts 1 and 3 wait before and after the body. Part 2 waits before the body and then leaves the fbarrier.
  Pieces that_waits() {
    return {start_ + if_part(0, apart_) + "  joinfbar %gate;\n" + give(0, "$s41") + if_part(2, apart_) +
                give(4, "$s42") + apart_ + ":\n  barrier;\n" + if_part(0, body_) + give(8, "$s41") +
                "  waitfbar %gate;\n" + missing(0, 8) + "  cmp_ne_b1_u32 $c4, $s40, 2;\n  cbr_b1 $c4, " +
                body_ + ";\n  leavefbar %gate;\n" + body_ + ":\n",
            if_part(0, end_) + if_part(2, end_) + give(12, "$s42") + "  waitfbar %gate;\n" + missing(4, 12) +
                "  leavefbar %gate;\n" + end_ + ":\n" + release_};
  }

  /// Before the body, part 1 waits and part 3 arrives. After it, parts 1 and 2 leave; part 3 leaves when all
  /// waves have left the body.
  Pieces that_arrives() {
    const std::string waits = body_ + "_waits", left = end_ + "_left";
    return {start_ + if_part(0, apart_) + "  joinfbar %gate;\n" + if_part(2, apart_) + give(0, "$s41") +
                apart_ + ":\n  barrier;\n" + if_part(0, body_) + if_part(2, body_) + give(8, "$s41") +
                if_part(1, waits) + "  arrivefbar %gate;\n  br " + body_ + ";\n" + waits +
                ":\n  waitfbar %gate;\n" + missing(0, 8) + body_ + ":\n",
            if_part(0, end_) + if_part(3, end_) + "  leavefbar %gate;\n" + end_ +
                ":\n  barrier;\n  cmp_ne_b1_u32 $c4, $s40, 3;\n  cbr_b1 $c4, " + left +
                ";\n  leavefbar %gate;\n" + left + ":\n" + release_};
  }

  static std::string if_part(unsigned part, const std::string& to) {
    return fmt::format("  cmp_eq_b1_u32 $c4, $s40, {};\n  cbr_b1 $c4, {};\n", part, to);
  }
  static std::string give(unsigned at, const char* value) {
    return fmt::format("  atomicnoret_add_group_scar_wg_u32 [%met][{}], {};\n", at, value);
  }
  /// Adds the difference between what members announced and what those that were waited for have added, which
  /// must be 0.
  std::string missing(unsigned announced, unsigned given) {
    return fmt::format(
        "  atomic_ld_group_scacq_wg_b32 $s20, [%met][{0}];\n  atomic_ld_group_scacq_wg_b32 $s21, "
        "[%met][{1}];\n"
        "  sub_u32 $s20, $s20, $s21;\n  add_u32 {2}, {2}, $s20;\n",
        announced, given, s(pick_));
  }

  const Pick& pick_;
  std::string apart_, body_, end_;
  std::string start_, release_;
};

}  // namespace

std::string cross_lane(const Pick& pick, bool all_active) {
  static constexpr const char* widths[] = {"", "_width(all)", "_width(WAVESIZE)", "_width(2)"};
  const char* width = all_active ? widths[pick(4)] : "";
  switch (pick(3)) {
    case 0:
      return from_same_lane(pick, width);
    case 1:
      return counted(pick, width);
    default:
      return from_other_lane(pick, width);
  }
}

Statement partial_gate(const Pick& pick, const Label& label, Block body) {
  return Gate(pick, label).statement(std::move(body));
}

}  // namespace heddle::tools::fuzz
