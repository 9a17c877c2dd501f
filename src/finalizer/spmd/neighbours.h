// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures in memory, one for each lane, whose members a work-item accesses one by one.
#pragma once

#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Replaces loads of 2 to 4 neighbours of one type by the load of a vector, and stores likewise, if the
/// vectors of the lanes lie directly one behind the other, or do so unless an index wraps around. The wave
/// then accesses consecutive bytes. It accesses the same bytes as before, since the neighbours are accessed
/// in one block, with nothing between them that could make a difference. Keeps the shapes up to date.
void merge_neighbours(llvm::Function& function, Shapes& shapes);

}  // namespace heddle::finalizer::spmd
