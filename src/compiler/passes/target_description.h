// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

namespace heddle::compiler {

/// What LLVM's passes have to know of HSAIL: that work-items diverge, which address spaces overlap, what
/// addresses of memory accesses can be, what instructions cost, and which loops to unroll.
llvm::TargetIRAnalysis target_description();

}  // namespace heddle::compiler
