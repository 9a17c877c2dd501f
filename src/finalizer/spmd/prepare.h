// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings the control flow of a function into the one form that the wave vectoriser works on.
#pragma once

#include "finalizer/llvm.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Brings the control flow into canonical form:
/// - each cycle is a natural loop with a preheader, one latch, and exit blocks that only the loop leads to;
/// - no edge leads from a block with several successors to one with several predecessors, so that the latch
///   of a loop leads to its header only;
/// - values that are used outside of their loop are used through phis in its exit blocks (LCSSA);
/// - exactly one block returns, and each block leads to it.
/// The last point gives an exit that is never taken to each loop that has none, and lets a block that ends
/// because a call in it does not return go on where its predecessors go. What one work-item does stays the
/// same.
///
/// The order of the work-items' meeting points stays the same in functions without irreducible cycles.
void make_canonical(llvm::Function& function);

/// Reports whether the control flow is in canonical form. Takes time; for assertions and tests.
bool is_canonical(llvm::Function& function);

/// Replaces each switch whose work-items may take different ways by a chain of conditional branches. The
/// function stays in canonical form, and the new conditions get their shapes.
void chain_divergent_switches(llvm::Function& function, Shapes& shapes);

}  // namespace heddle::finalizer::spmd
