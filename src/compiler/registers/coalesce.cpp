// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/registers/coalesce.h"

#include <map>
#include <numeric>
#include <unordered_map>

namespace heddle::compiler {

namespace {

// Maps the begin of each range to its end. Joining moves the smaller map into the larger one, so that all
// joins together cost n log^2 n, also for a phi with many sources.
using RangeMap = std::map<uint32_t, uint32_t>;

class Groups {
 public:
  explicit Groups(const std::vector<LiveRanges>& ranges) : ranges_(ranges), parents_(ranges.size()) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  RegisterId find(RegisterId id) {
    while (parents_[id] != id) {
      parents_[id] = parents_[parents_[id]];
      id = parents_[id];
    }
    return id;
  }

  void join_if_apart(RegisterId first, RegisterId second) {
    first = find(first);
    second = find(second);
    if (first == second) return;
    if (map_of(first).size() < map_of(second).size()) std::swap(first, second);
    RangeMap& large = map_of(first);
    RangeMap& small = map_of(second);
    for (const auto& [begin, end] : small) {
      if (overlaps(large, begin, end)) return;
    }
    large.merge(small);
    maps_.erase(second);
    parents_[second] = first;
  }

 private:
  RangeMap& map_of(RegisterId id) {
    auto [entry, is_new] = maps_.try_emplace(id);
    if (is_new) {
      for (const LiveRange& range : ranges_[id])
        entry->second.emplace_hint(entry->second.end(), range.begin, range.end);
    }
    return entry->second;
  }

  static bool overlaps(const RangeMap& map, uint32_t begin, uint32_t end) {
    auto next = map.lower_bound(begin);
    if (next != map.end() && next->first < end) return true;
    return next != map.begin() && std::prev(next)->second > begin;
  }

  const std::vector<LiveRanges>& ranges_;
  std::vector<RegisterId> parents_;
  std::unordered_map<RegisterId, RangeMap> maps_;  // of the groups that copies mention; references stay valid
};

}  // namespace

std::vector<RegisterId> coalesce(const Code& code, const std::vector<LiveRanges>& ranges) {
  Groups groups(ranges);
  for (const Block& block : code.blocks) {
    for (const Instruction& instruction : block.instructions) {
      if (instruction.form != Instruction::Form::copy) continue;
      const Operand& to = instruction.operands[0];
      const Operand& from = instruction.operands[1];
      if (from.kind != Operand::Kind::use || code.registers[to.number] != code.registers[from.number])
        continue;
      groups.join_if_apart(to.number, from.number);
    }
  }
  std::vector<RegisterId> result(ranges.size());
  for (RegisterId id = 0; id < result.size(); ++id) result[id] = groups.find(id);
  return result;
}

}  // namespace heddle::compiler
