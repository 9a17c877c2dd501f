// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers that are chosen among constant bit patterns. ptxas 13.0, and with it the compiler of
// the driver, evaluates conversions and roundings of such a choice ahead of time and takes the patterns for
// numbers there: of `selp.b32 %r1, 1, 0, %p1; cvt.rmi.f32.f32 %r2, %r1` it makes the choice between 1.0 and
// 0.0, although the pattern 1 is the least subnormal number. selected_constants.h hides the patterns from it
// where an instruction takes a choice for a number. Here are the choices behind which other operations lie,
// such as those that take a half out of a word.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Rewrites each floating-point value that is computed from selected constants: the computation is applied to
/// the constants, and the select chooses among its floating-point results. Must be called after all
/// optimisations, which might undo it.
void choose_constants_as_floats(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
