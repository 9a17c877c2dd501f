// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include <llvm/IR/Module.h>

#include "support/result.h"

namespace heddle::cuda::fake {

/// What functions that stand for operations of GPUs are called: this, and then the name of the intrinsic
/// behind "llvm.nvvm.".
inline constexpr char device_prefix[] = "heddle_gpu.";

/// Rewrites a module for NVPTX, so that the back end of the host compiles it: everything that only GPUs have
/// becomes instructions of LLVM or calls of functions with device_prefix. Returns the bytes of static shared
/// memory, or what is not known.
Result<uint32_t, Error> rewrite_for_host(llvm::Module& module);

}  // namespace heddle::cuda::fake
