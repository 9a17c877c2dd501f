// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations that all work-items of a wave take together.
#pragma once

#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

/// Puts copies of loops in front of them, for the iterations that all lanes take. These are loops that a
/// work-item leaves when a counter of its own reaches a limit that is the same for all, as in
/// `for (i = workitemabsid(0); i < n; i += gridsize(0))`. The copy goes on while even the lane with the
/// greatest counter does, which one comparison of lane 0's counter tells, so that it needs no masks of its
/// own; the loop itself does the rest. Loops that test at their end may write before the test, and others
/// must not write in the block that tests, which is executed again. The function has to be in canonical form
/// (prepare.h), and stays so. `lanes` is the length of the wave. Reports whether there were such loops; the
/// shapes are out of date then. What holds for instructions in `tested` holds for their copies, which are
/// added.
bool separate_whole_iterations(llvm::Function& function, const Shapes& shapes, unsigned lanes,
                               TestedInstructions& tested);

}  // namespace heddle::finalizer::spmd
