// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that take less time for one work-item after the other than for a wave.
#pragma once

#include <vector>

#include "finalizer/spmd/parts.h"
#include "finalizer/spmd/shape_analysis.h"

namespace heddle::finalizer::spmd {

/// Moves loops into functions of their own, which widen() lets each active lane call. These are loops in
/// which every work-item reads memory at places of its own, as often as it wants: a gather takes about as
/// long as loads one by one, and the wave would wait for its longest work-item. They only read, so that
/// work-items notice nothing of the order in which they are executed. The function has to be in canonical
/// form (prepare.h), and stays so. Returns the new functions; the shapes are out of date if there are some.
/// Instructions that are deleted leave `tested`.
std::vector<llvm::Function*> outline_serial_loops(llvm::Function& function, const Shapes& shapes,
                                                  const WaveShape& wave, TestedInstructions& tested);

/// Reports whether a function is one that outline_serial_loops() has made.
bool is_serial_loop(const llvm::Function& function);

/// Replaces all calls of a function that outline_serial_loops() has made by its body, and deletes it.
void inline_serial_loop(llvm::Function& loop);

}  // namespace heddle::finalizer::spmd
