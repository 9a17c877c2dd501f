// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs can change of executable graphs.
#pragma once

#include "hip/core/graph.h"

namespace heddle::hip {

/// Notes for all nodes of a graph that is being instantiated what they keep.
void note_operands(Graph& graph);

/// Whether the work of a node of an executable graph may become other work of the same type: copies keep
/// their kind, if both say one, and the memory of copies and fills stays on the host, or on the same device.
bool can_become(const GraphNode& own, const Work& replacement);

/// Makes the work of one node of an executable graph other work of the same type. Throws Failure
/// (InvalidValue) if it must not become so; fills must also be of one row, and have been.
void replace_work(GraphNode& own, Work replacement);

}  // namespace heddle::hip
