// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defects of LLVM's instruction selection (LLVM 22), and code that does not meet them.
#pragma once

#include "finalizer/x86/machine.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Rewrites what instruction selection for a level translates wrongly. Must be called after all passes over
/// the IR, which would undo the changes. There are four such defects, of which all levels have the first two:
///
/// - A product of integers that fit into 16 bits, shifted to the right by 32 or more and truncated to 16
///   bits, becomes a PMULHW, whose result is then shifted by 16 or more and so is anything. The higher half
///   of such a product has this form if it is stored as 16 bits.
/// - A `select` between a constant that is a NaN and the square root of x, under the condition that x is
///   negative, becomes the square root, which is a NaN as well, but not this one.
/// - A `select` between x and (x & constant) | (y & ~constant) becomes one VPTERNLOG under a mask, whose
///   operands have changed places while its table has not. Copies of a sign and insertions of bit strings in
///   divergent code have this form.
/// - A masked store of truncated integers whose mask is a constant with one active element stores that
///   element without truncating it, and so overwrites its neighbours.
///
/// Returns whether it changed anything.
bool avoid_selection_defects(llvm::Function& function, Level level);

}  // namespace heddle::finalizer::x86
