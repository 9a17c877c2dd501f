// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/registers/live_ranges.h"

#include <algorithm>

namespace heddle::compiler {

namespace {

struct Access {
  uint32_t position;
  uint32_t block;
};

class Finder {
 public:
  explicit Finder(const Code& code)
      : code_(code),
        predecessors_(code.blocks.size()),
        begins_(code.blocks.size() + 1),
        uses_(code.registers.size()),
        definitions_(code.registers.size()),
        visited_for_(code.blocks.size(), no_register) {
    collect();
  }

  std::vector<LiveRanges> run() {
    std::vector<LiveRanges> result(code_.registers.size());
    for (RegisterId id = 0; id < code_.registers.size(); ++id) result[id] = ranges_of(id);
    return result;
  }

 private:
  void collect() {
    uint32_t index = 0;
    for (uint32_t block = 0; block < code_.blocks.size(); ++block) {
      begins_[block] = 2 * index;
      for (const Instruction& instruction : code_.blocks[block].instructions) {
        for (const Operand& operand : instruction.operands) {
          if (operand.uses()) uses_[operand.number].push_back({2 * index, block});
          if (operand.defines()) definitions_[operand.number].push_back({2 * index + 1, block});
        }
        ++index;
      }
      for (const uint32_t successor : code_.blocks[block].successors)
        predecessors_[successor].push_back(block);
    }
    begins_[code_.blocks.size()] = 2 * index;
  }

  LiveRanges ranges_of(RegisterId id) {
    LiveRanges ranges;
    for (const Access& definition : definitions_[id])
      ranges.push_back({definition.position, definition.position + 1});
    for (const Access& use : uses_[id]) {
      if (!reach_back(id, use.block, use.position + 1, ranges)) visit_predecessors(id, use.block, ranges);
    }
    return merged(std::move(ranges));
  }

  // Adds the range of the register in a block that ends at `end`. Returns whether it begins with a definition
  // in the block.
  bool reach_back(RegisterId id, uint32_t block, uint32_t end, LiveRanges& ranges) const {
    const auto& definitions = definitions_[id];
    auto after = std::ranges::lower_bound(definitions, end, {}, &Access::position);
    const bool defined = after != definitions.begin() && (after - 1)->position >= begins_[block];
    ranges.push_back({defined ? (after - 1)->position : begins_[block], end});
    return defined;
  }

  // The register is live at the start of the block: adds its ranges in all blocks before it.
  void visit_predecessors(RegisterId id, uint32_t block, LiveRanges& ranges) {
    llvm::SmallVector<uint32_t, 8> work{block};
    while (!work.empty()) {
      for (const uint32_t predecessor : predecessors_[work.pop_back_val()]) {
        if (visited_for_[predecessor] == id) continue;
        visited_for_[predecessor] = id;
        if (!reach_back(id, predecessor, begins_[predecessor + 1], ranges)) work.push_back(predecessor);
      }
    }
  }

  static LiveRanges merged(LiveRanges ranges) {
    std::ranges::sort(ranges, {}, &LiveRange::begin);
    LiveRanges result;
    for (const LiveRange& range : ranges) {
      if (!result.empty() && range.begin <= result.back().end) {
        result.back().end = std::max(result.back().end, range.end);
      } else {
        result.push_back(range);
      }
    }
    return result;
  }

  const Code& code_;
  std::vector<llvm::SmallVector<uint32_t, 2>> predecessors_;
  std::vector<uint32_t> begins_;  // the first position of each block, and the end of the last
  std::vector<llvm::SmallVector<Access, 2>> uses_;
  std::vector<llvm::SmallVector<Access, 1>> definitions_;  // ascending
  std::vector<RegisterId> visited_for_;  // by block: the last register that was followed through it
};

}  // namespace

std::vector<LiveRanges> find_live_ranges(const Code& code) { return Finder(code).run(); }

}  // namespace heddle::compiler
