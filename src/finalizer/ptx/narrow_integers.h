// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of integers of 8 and 16 bits. GPUs do it in registers of 32 bits, and ptxas 13.0, and with it
// the compiler of the driver, does not always cut off what lies above: of `mul.lo.s16 %rs3, ...; mov.b32 %r1,
// {%rs3, %rs4}` with a %rs4 that is known to be 0 it makes the whole product of 32 bits, and -32768 stays
// positive behind `neg.s16`.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has narrow integers extended before operations whose results or meaning depend on the bits above, and
/// results cut off. To be called when nothing optimises the module any more, which might undo it.
void widen_narrow_integers(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
