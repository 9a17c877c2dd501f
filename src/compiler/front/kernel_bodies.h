// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Gives kernels of OpenCL C their bodies. clang makes a function of each body, which other kernels can call,
/// and a kernel that only calls it. Where nobody else calls it, the kernel takes its place, so that debuggers
/// see one function with one set of arguments, at any level of optimisation.
void join_kernel_bodies(llvm::Module& module);

}  // namespace heddle::compiler
