// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links the functions written in C (src/devlib) that compiled code calls where its target has no instruction.
// They become part of the module that calls them, since code objects have no external symbols.
#pragma once

#include "finalizer/llvm.h"
#include "support/result.h"

namespace heddle::finalizer {

/// Returns the declaration of a device library function and adds it if the module has none yet. `name` must
/// be one of the library's functions.
llvm::Function* device_function(llvm::Module& module, llvm::StringRef name);

/// Adds the definitions of all device library functions that the module declares, as internal functions.
/// `bitcode` is the library as the build compiled it for the module's target.
Result<void> link_device_library(llvm::Module& module, llvm::StringRef bitcode);

}  // namespace heddle::finalizer
