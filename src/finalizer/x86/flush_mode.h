// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes programs that flush throughout (SpmdProgram) run in the processor's mode for flushing: DAZ and FTZ of
// MXCSR replace subnormal sources and tiny results by zeros. As HSAIL requires, the processor decides after
// rounding whether a result is tiny, and a zero keeps the sign (PRM 4.19.2, 4.19.3).
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"
#include "finalizer/x86/machine.h"

namespace llvm {
class Pass;
}

namespace heddle::finalizer::x86 {

/// MXCSR when an entry is called and when it returns: the default floating-point environment (System V ABI:
/// all exceptions masked, to nearest, no flushing).
inline constexpr uint32_t default_mxcsr = 0x1f80;
/// MXCSR in programs that flush throughout: the default with FTZ and DAZ.
inline constexpr uint32_t flushing_mxcsr = default_mxcsr | 0x8040;

/// Returns a constant in the module's memory from which MXCSR can be loaded.
llvm::GlobalVariable& control_word(llvm::Module& module, uint32_t value);

/// Tells LLVM about the mode, and hides constants from which LLVM would compute other results than the
/// processor: LLVM rounds to the format before it flushes, so it keeps a tiny result that is rounded up to
/// the least normal number. Must be called before optimisation, when the module has all of its functions.
void prepare_flush_mode(llvm::Module& module);

/// Returns a pass over machine code that sets the mode at the beginning of each entry and restores MXCSR
/// where the entry returns. An entry is a function that is called from outside of the module. The pass must
/// be the last one, because no other pass knows that floating-point instructions must stay between these
/// two points.
llvm::Pass* create_flush_mode_pass(Level level);

}  // namespace heddle::finalizer::x86
