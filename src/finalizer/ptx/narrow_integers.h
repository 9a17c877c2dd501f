// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does arithmetic on integers of 8 and 16 bits in 32 bits. GPUs compute in registers of 32 bits, and ptxas
// 13.0, and with it the compiler of the driver, does not always discard the upper bits of a narrow result.
// For `mul.lo.s16 %rs3, ...; mov.b32 %r1, {%rs3, %rs4}`, where %rs4 is known to be 0, %r1 gets all 32 bits of
// the product. The result of `neg.s16` for -32768 remains 32768, although it is -32768 again in 16 bits.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has narrow integers extended before operations whose results or meaning depend on the bits above, and
/// results cut off. To be called when nothing optimises the module any more. LLVM's code generator undoes
/// some of it, which narrow_instructions.h puts right.
void widen_narrow_integers(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
