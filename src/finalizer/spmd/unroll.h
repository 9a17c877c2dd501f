// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces small loops by their iterations.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// Replaces loops that have few instructions and a constant number of iterations by a copy of their body for
/// each iteration, inner loops first. What depends on their counters then is constant, or is known where
/// the function begins and can be tested there (entry_tests.h). All work-items leave such a loop after the
/// same iteration, so that the same ones meet as before. Reports whether there were such loops.
bool unroll_small_loops(llvm::Function& function);

}  // namespace heddle::finalizer::spmd
