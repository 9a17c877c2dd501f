// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::link {

/// The strongly connected components of a directed graph: the largest sets of nodes each of which reaches all
/// others of its set. In a call graph a component is one function, or several that are recursive together.
struct Components {
  /// By node: the number of its component. An edge never leads to a component with a higher number, so that
  /// callees have lower numbers than their callers, or the same one.
  std::vector<uint32_t> of_node;
  /// By component: whether a node of it reaches itself over at least one edge.
  std::vector<bool> is_cycle;
};

/// `successors` says of each node to which nodes its edges lead. Takes time in proportion to nodes and edges,
/// and does not recurse.
Components find_components(const std::vector<std::vector<uint32_t>>& successors);

}  // namespace heddle::link
