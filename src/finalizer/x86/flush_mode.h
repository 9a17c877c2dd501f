// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor's mode in which subnormal sources and tiny results are zeros: DAZ and FTZ of MXCSR. Tininess
// is then seen after rounding, and flushing keeps the sign, as HSAIL wants it. Programs that flush throughout
// (SpmdProgram) run in it.
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

/// Tells LLVM of the mode, and hides constants with which it would compute otherwise than the processor does:
/// LLVM rounds to the format before it flushes, and so keeps a tiny result that is rounded up to the least
/// normal number. To be called before optimisation, when the module has all functions.
void prepare_flush_mode(llvm::Module& module);

/// Returns a pass over machine code that sets the mode at the beginning of each entry, which is a function
/// that is called from outside of the module, and sets MXCSR back where it returns. It has to be the last
/// pass, because nothing that LLVM knows keeps floating-point instructions between the two places.
llvm::Pass* create_flush_mode_pass(Level level);

}  // namespace heddle::finalizer::x86
