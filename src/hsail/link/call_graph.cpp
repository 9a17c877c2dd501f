// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from the call graph: reachable code, recursion, and the private memory that nested activations
// need together.
#include "hsail/link/call_graph.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <unordered_set>

#include "hsail/link/program.h"
#include "support/align.h"

namespace heddle::link {
namespace {

/// Tarjan's algorithm with an explicit stack, because a chain of calls may be too long for recursion.
class ComponentSearch {
 public:
  explicit ComponentSearch(const std::vector<std::vector<uint32_t>>& successors)
      : successors_(successors), visited_(successors.size(), unvisited), low_(successors.size()) {
    result_.of_node.assign(successors.size(), unassigned);
  }

  Components run() {
    for (uint32_t root = 0; root < successors_.size(); ++root) {
      if (visited_[root] != unvisited) continue;
      enter(root);
      while (!path_.empty()) advance();
    }
    return std::move(result_);
  }

 private:
  static constexpr uint32_t unvisited = UINT32_MAX, unassigned = UINT32_MAX;
  struct Step {
    uint32_t node;
    uint32_t next = 0;  ///< index of the successor to visit next
  };

  void enter(uint32_t node) {
    visited_[node] = low_[node] = count_++;
    open_.push_back(node);
    path_.push_back({node});
  }

  void advance() {
    Step& step = path_.back();
    const uint32_t node = step.node;
    if (step.next == successors_[node].size()) {
      path_.pop_back();
      if (low_[node] == visited_[node]) close(node);
      if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
      return;
    }
    const uint32_t successor = successors_[node][step.next++];
    assert(successor < successors_.size());
    if (visited_[successor] == unvisited) {
      enter(successor);
    } else if (result_.of_node[successor] == unassigned) {
      low_[node] = std::min(low_[node], visited_[successor]);
    }
  }

  /// Assigns a component. `first` was its first node to be visited, so all its other nodes follow `first` in
  /// `open_`.
  void close(uint32_t first) {
    const auto component = static_cast<uint32_t>(result_.is_cycle.size());
    const auto& calls = successors_[first];
    bool cycle = open_.back() != first || std::find(calls.begin(), calls.end(), first) != calls.end();
    result_.is_cycle.push_back(cycle);
    uint32_t node = unassigned;
    do {
      node = open_.back();
      open_.pop_back();
      result_.of_node[node] = component;
    } while (node != first);
  }

  const std::vector<std::vector<uint32_t>>& successors_;
  std::vector<uint32_t> visited_;  // by node: its number in the order of visits
  std::vector<uint32_t> low_;      // by node: number of the earliest open node known to be reachable
  std::vector<uint32_t> open_;     // visited nodes whose component is not known yet
  std::vector<Step> path_;
  uint32_t count_ = 0;
  Components result_;
};

/// Returns where the memory of the functions of a component ends if it begins at `begin` and each function is
/// active once. Functions of a cycle may be active in any order, so each size is rounded up to the largest
/// alignment: no order needs more.
uint64_t end_of(const std::vector<Frame>& frames, uint64_t begin) {
  uint64_t align = 1;
  for (const Frame& frame : frames) align = std::max<uint64_t>(align, frame.align);
  uint64_t end = align_up(begin, align);
  for (const Frame& frame : frames)
    end += frames.size() == 1 ? frame.size : align_up(uint64_t{frame.size}, align);
  return end;
}

}  // namespace

Components find_components(const std::vector<std::vector<uint32_t>>& successors) {
  return ComponentSearch(successors).run();
}

std::vector<Reference> Program::reachable(Reference root, bool through_icall) const {
  std::vector<Reference> result;
  std::unordered_set<uint64_t> seen;
  bool icall_done = !through_icall;
  const auto add = [&](Reference reference) {
    if (seen.insert(reference.key()).second) result.push_back(reference);
  };
  add(root);
  for (size_t i = 0; i < result.size(); ++i) {
    const Code* code = code_of(result[i]);
    if (code == nullptr) continue;
    for (Reference callee : code->callees) add(callee);
    if (code->has_icall && !icall_done) {
      icall_done = true;
      for (const Symbol& symbol : symbols_) {
        if (symbol.kind == Symbol::Kind::indirect_function && symbol.defined) add(symbol.definition);
      }
    }
  }
  return result;
}

void Program::find_cycles() {
  std::vector<std::vector<uint32_t>> calls(code_.size());
  for (size_t i = 0; i < code_.size(); ++i) {
    for (const Reference callee : code_[i].callees) {
      const auto at = code_index_.find(callee.key());
      if (at != code_index_.end()) calls[i].push_back(at->second);
    }
  }
  const Components components = find_components(calls);
  for (size_t i = 0; i < code_.size(); ++i) {
    code_[i].component = components.of_node[i];
    code_[i].in_cycle = components.is_cycle[components.of_node[i]];
  }
}

bool Program::dynamic_call_stack(Reference kernel) const {
  const std::vector<Reference> all = reachable(kernel);
  return std::any_of(all.begin(), all.end(), [&](Reference reference) {
    const Code* code = code_of(reference);
    return code != nullptr && (code->has_alloca || code->has_icall || code->in_cycle);
  });
}

uint64_t Program::private_size(Reference kernel, uint64_t start,
                               const std::function<Frame(Reference)>& frame_of) const {
  std::vector<const Code*> reached;
  for (const Reference executable : reachable(kernel, false))
    if (const Code* code = code_of(executable)) reached.push_back(code);
  // Callers come first, so that the largest offset at which a frame may begin is known when its turn comes.
  std::sort(reached.begin(), reached.end(),
            [](const Code* a, const Code* b) { return a->component > b->component; });
  std::unordered_map<uint32_t, uint64_t> begins;  // by component: the largest offset where a frame may begin
  uint64_t size = start;
  std::vector<Frame> frames;
  for (auto at = reached.begin(); at != reached.end();) {
    const uint32_t component = (*at)->component;
    const auto first = at;
    frames.clear();
    for (; at != reached.end() && (*at)->component == component; ++at)
      frames.push_back(frame_of((*at)->executable));
    const uint64_t end = end_of(frames, std::max(begins[component], start));
    size = std::max(size, end);
    for (auto caller = first; caller != at; ++caller) {
      for (const Reference callee : (*caller)->callees)
        if (const Code* code = code_of(callee))
          begins[code->component] = std::max(begins[code->component], end);
    }
  }
  return size;
}

}  // namespace heddle::link
