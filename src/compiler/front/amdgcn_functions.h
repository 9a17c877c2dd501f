// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/front/llvm.h"

namespace heddle::compiler {

/// Replaces intrinsics for AMD's instructions that HSAIL can only say in several steps by calls of functions
/// of the device library (src/devlib/opencl/amdgcn.cl). Must run before libraries are linked.
void replace_amdgcn_intrinsics(llvm::Module& module);

}  // namespace heddle::compiler
