// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Replaces intrinsics of mathematical functions, which HSAIL has no instruction for or only an inexact one,
/// and remainders of floating-point numbers by calls of the functions of OpenCL C. clang makes such
/// intrinsics of calls in HIP's headers. Sines, cosines, logarithms and powers of two stay where the source
/// allows approximations. Must run before libraries are linked, because they define the functions.
void replace_math_intrinsics(llvm::Module& module);

}  // namespace heddle::compiler
