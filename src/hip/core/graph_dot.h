// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs as text for Graphviz.
#pragma once

#include <string>

#include "hip/core/graph.h"

namespace heddle::hip {

/// Returns a graph, and those in it as clusters, in the language DOT. `flags`, of hipGraphDebugDotFlags, say
/// what is told of nodes besides their types. Called with graphs_lock() held.
std::string dot_of(Graph& graph, unsigned flags);

}  // namespace heddle::hip
