// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "finalizer/target.h"

namespace heddle::finalizer::ptx {

/// NVIDIA GPUs of compute capability 7.0 and newer, with one ISA for each that has features of its own. The
/// code is PTX, which the GPU's driver compiles (codeobject/ptx_kernel.h).
const SpmdTarget& target();

}  // namespace heddle::finalizer::ptx
