// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/registers/allocate.h"

#include <algorithm>
#include <array>

#include "compiler/code/text.h"
#include "compiler/registers/coalesce.h"
#include "compiler/registers/linear_scan.h"
#include "compiler/registers/live_ranges.h"
#include "compiler/registers/spill.h"

namespace heddle::compiler {

namespace {

constexpr uint32_t no_limit = ~0U;

class Allocator {
 public:
  Allocator(Code& code, Text& text, const RegisterLimits& limits)
      : code_(code),
        text_(text),
        limits_(limits),
        first_temporary_(static_cast<RegisterId>(code.registers.size())) {}

  void run() {
    // Each round spills what did not fit. Registers that spilling made are live for one instruction only and
    // are never spilled, so that the number of rounds is limited by the number of registers; two or three are
    // usual.
    for (;;) {
      find_intervals();
      if (try_assign()) break;
    }
    rename();
  }

 private:
  void find_intervals() {
    const std::vector<LiveRanges> ranges = find_live_ranges(code_);
    group_ = coalesce(code_, ranges);
    std::vector<Interval> all(ranges.size(), Interval{~0U, 0, no_register, false});
    for (RegisterId id = 0; id < ranges.size(); ++id) {
      if (ranges[id].empty()) continue;
      Interval& interval = all[group_[id]];
      interval.id = group_[id];
      interval.begin = std::min(interval.begin, ranges[id].front().begin);
      interval.end = std::max(interval.end, ranges[id].back().end);
      // Also if a copy has joined a temporary with a register that lives longer.
      if (id < first_temporary_) interval.may_spill = true;
    }
    for (auto& list : intervals_) list.clear();
    for (const Interval& interval : all) {
      if (interval.id != no_register) intervals_[kind(interval.id)].push_back(interval);
    }
    for (auto& list : intervals_)
      std::ranges::sort(list, {}, [](const Interval& i) { return std::pair(i.begin, i.id); });
  }

  size_t kind(RegisterId id) const { return static_cast<size_t>(code_.registers[id]); }

  // Returns false if registers have been spilled and everything has to be found anew.
  bool try_assign() {
    std::array<uint32_t, register_kinds> limits{limits_.c, no_limit, no_limit};
    for (size_t k = 0; k < register_kinds; ++k) assignments_[k] = scan(intervals_[k], limits[k]);
    const uint64_t s = assignments_[1].count;
    const uint64_t d = assignments_[2].count;
    if (s + 2 * d > limits_.words) {
      // Both kinds give up the same share. At least a few of each are needed for the operands of one
      // instruction.
      const auto share = static_cast<uint32_t>(limits_.words * s / (s + 2 * d));
      limits[1] = std::clamp(share, 8U, limits_.words - 16);
      limits[2] = (limits_.words - limits[1]) / 2;
      for (size_t k = 1; k < register_kinds; ++k) assignments_[k] = scan(intervals_[k], limits[k]);
    }
    return !spill_what_is_left();
  }

  bool spill_what_is_left() {
    std::vector<uint32_t> slot_of_group(code_.registers.size(), no_slot);
    const uint32_t before = slots_;
    for (const Assignment& assignment : assignments_) {
      for (const RegisterId id : assignment.spilled) slot_of_group[id] = slots_++;
    }
    if (slots_ == before) return false;
    std::vector<uint32_t> slots(code_.registers.size());
    for (RegisterId id = 0; id < slots.size(); ++id) slots[id] = slot_of_group[group_[id]];
    spill(code_, text_, slots);
    return true;
  }

  void rename() {
    std::vector<uint32_t> number_of_group(code_.registers.size(), 0);
    for (const Assignment& assignment : assignments_) {
      for (const auto& [id, number] : assignment.numbers) number_of_group[id] = number;
    }
    for (Block& block : code_.blocks) {
      for (Instruction& instruction : block.instructions) {
        for (Operand& operand : instruction.operands) {
          if (operand.uses() || operand.defines()) operand.number = number_of_group[group_[operand.number]];
        }
      }
    }
  }

  Code& code_;
  Text& text_;
  RegisterLimits limits_;
  RegisterId first_temporary_;  // registers from here on were made by spilling
  std::vector<RegisterId> group_;
  std::array<std::vector<Interval>, register_kinds> intervals_;
  std::array<Assignment, register_kinds> assignments_;
  uint32_t slots_ = 0;
};

}  // namespace

void allocate_registers(Code& code, Text& text, const RegisterLimits& limits) {
  assert(limits.words >= 32 && limits.c >= 4);
  Allocator(code, text, limits).run();
}

}  // namespace heddle::compiler
