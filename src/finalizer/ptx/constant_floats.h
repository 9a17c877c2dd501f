// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers that are chosen among constant bit patterns. ptxas 13.0, and with it the compiler of the
// driver, evaluates operations on such a choice ahead of time and takes the patterns for numbers there if they
// were chosen as integers: of `selp.b32 %r1, 1, 0, %p1; cvt.rmi.f32.f32 %r2, %r1` it makes the choice between
// 1.0 and 0.0, although the pattern 1 is the least subnormal number.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has each floating-point value that is chosen among constants be chosen as such: the choice comes behind
/// everything that makes the value of the constants. To be called when nothing optimises the module any more, which
/// might undo it.
void choose_constants_as_floats(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
