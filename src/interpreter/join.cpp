// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where divergent lanes join again: at immediate post-dominators (PRM 2.12.3), which the iterative
// algorithm of Cooper, Harvey and Kennedy computes on the reversed flow graph of basic blocks.
#include <algorithm>
#include <cassert>

#include <hsa/hsa_brig_opcodes.h>

#include "interpreter/op.h"

namespace heddle::interpreter {
namespace {

constexpr uint32_t none = UINT32_MAX;

/// The flow graph of basic blocks. Calls do not end a block. The last block consists of the last op alone,
/// which is the `ret` at the end.
class Flow {
 public:
  explicit Flow(const Function& function) : function_(function) {
    find_blocks();
    connect();
    close_endless_loops();
    find_post_dominators();
  }

  void joins(std::vector<uint32_t>& out) const {
    for (uint32_t i = 0; i < function_.ops.size(); ++i) {
      const uint16_t opcode = function_.ops[i].opcode;
      if (opcode == HSA_BRIG_OPCODE_SCALL || opcode == HSA_BRIG_OPCODE_ICALL) out[i] = i + 1;
      if (opcode == HSA_BRIG_OPCODE_CBR || opcode == HSA_BRIG_OPCODE_SBR) {
        const uint32_t join = post_dominator_[block_of_[i]];
        assert(join != none && "every block leads to the last one");
        out[i] = first_[join];
      }
    }
  }

 private:
  std::vector<uint32_t> targets(const Op& op, uint32_t next) const {
    switch (op.opcode) {
      case HSA_BRIG_OPCODE_BR:
      case HSA_BRIG_OPCODE_RET:
        return {op.target};
      case HSA_BRIG_OPCODE_CBR:
        return {op.target, next};
      case HSA_BRIG_OPCODE_SBR:
        return function_.tables[op.target];
      default:
        return {};
    }
  }

  void find_blocks() {
    const auto ops = static_cast<uint32_t>(function_.ops.size());
    assert(ops != 0 && "a function ends with ret");
    std::vector<bool> starts(ops);
    starts[0] = starts[ops - 1] = true;
    for (uint32_t i = 0; i + 1 < ops; ++i) {
      const std::vector<uint32_t> ways = targets(function_.ops[i], i + 1);
      if (!ways.empty()) starts[i + 1] = true;
      for (uint32_t target : ways) starts[target] = true;
    }
    block_of_.resize(ops);
    for (uint32_t i = 0; i < ops; ++i) {
      if (starts[i]) first_.push_back(i);
      block_of_[i] = static_cast<uint32_t>(first_.size() - 1);
    }
  }

  void connect() {
    successors_.resize(first_.size());
    predecessors_.resize(first_.size());
    for (uint32_t block = 0; block + 1 < first_.size(); ++block) {
      const uint32_t last = first_[block + 1] - 1;
      std::vector<uint32_t> ways = targets(function_.ops[last], last + 1);
      if (ways.empty()) ways = {last + 1};
      for (uint32_t target : ways) edge(block, block_of_[target]);
    }
  }

  void edge(uint32_t from, uint32_t to) {
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }

  using Edges = std::vector<std::vector<uint32_t>>;

  /// Walks depth first from `start` through blocks that are not in `seen`, and appends each to `order` when
  /// it is finished.
  static void walk(const Edges& edges, uint32_t start, std::vector<bool>& seen,
                   std::vector<uint32_t>& order) {
    if (seen[start]) return;
    seen[start] = true;
    std::vector<std::pair<uint32_t, size_t>> stack{{start, 0}};
    while (!stack.empty()) {
      auto& [block, edge] = stack.back();
      if (edge == edges[block].size()) {
        order.push_back(block);
        stack.pop_back();
        continue;
      }
      const uint32_t next = edges[block][edge++];
      if (seen[next]) continue;
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }

  /// A block that cannot reach the end has no post-dominator. Each endless loop therefore gets an edge to the
  /// end from its last block, so that its lanes join again inside the loop.
  void close_endless_loops() {
    const auto exit = static_cast<uint32_t>(first_.size() - 1);
    std::vector<bool> reaches(first_.size());
    std::vector<uint32_t> order;
    walk(predecessors_, exit, reaches, order);
    if (order.size() == first_.size()) return;
    // Among the remaining blocks, the one that a walk against the edges finishes last is in a loop without an
    // exit.
    order.clear();
    std::vector<bool> seen = reaches;
    for (uint32_t block = 0; block < exit; ++block) walk(predecessors_, block, seen, order);
    for (size_t i = order.size(); i-- > 0;) {
      if (reaches[order[i]]) continue;
      std::vector<bool> outside = reaches;
      std::vector<uint32_t> loop, added;
      walk(successors_, order[i], outside, loop);
      edge(*std::max_element(loop.begin(), loop.end()), exit);
      walk(predecessors_, order[i], reaches, added);
    }
  }

  void find_post_dominators() {
    const auto exit = static_cast<uint32_t>(first_.size() - 1);
    std::vector<bool> seen(first_.size());
    std::vector<uint32_t> order;
    walk(predecessors_, exit, seen, order);
    number_.resize(first_.size());
    for (uint32_t i = 0; i < order.size(); ++i) number_[order[i]] = i;
    post_dominator_.assign(first_.size(), none);
    post_dominator_[exit] = exit;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = order.size() - 1; i-- > 0;) {
        uint32_t found = none;
        for (uint32_t next : successors_[order[i]]) {
          if (post_dominator_[next] == none) continue;
          found = found == none ? next : common(found, next);
        }
        if (found == post_dominator_[order[i]]) continue;
        post_dominator_[order[i]] = found;
        changed = true;
      }
    }
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = post_dominator_[a];
      while (number_[b] < number_[a]) b = post_dominator_[b];
    }
    return a;
  }

  const Function& function_;
  std::vector<uint32_t> first_;     // op of each block
  std::vector<uint32_t> block_of_;  // each op
  Edges successors_;
  Edges predecessors_;
  std::vector<uint32_t> number_;  // of each block, the end has the highest
  std::vector<uint32_t> post_dominator_;
};

}  // namespace

void find_joins(Function& function) {
  function.joins.assign(function.ops.size(), none);
  Flow(function).joins(function.joins);
}

}  // namespace heddle::interpreter
