// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::link {

/// The strongly connected components of a directed graph: the maximal sets of nodes in which each node
/// reaches all others. In a call graph, a component is one function or several mutually recursive ones.
struct Components {
  /// The number of each node's component. An edge never leads to a component with a higher number, so the
  /// number of a callee is at most that of its caller.
  std::vector<uint32_t> of_node;
  /// For each component, whether a node of it reaches itself over at least one edge.
  std::vector<bool> is_cycle;
};

/// Returns the components of the graph in which `successors` holds the targets of the edges of each node.
/// Takes time proportional to the number of nodes and edges, and does not recurse.
Components find_components(const std::vector<std::vector<uint32_t>>& successors);

}  // namespace heddle::link
