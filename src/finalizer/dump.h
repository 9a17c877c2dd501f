// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the intermediate forms of a program to files, for people who want to see what the finalizer does.
#pragma once

#include "finalizer/llvm.h"
#include "finalizer/options.h"

namespace heddle::finalizer {

/// Writes `contents` to the file `name` in the folder that the options give, which is made if it does not
/// exist. Does nothing without a folder. Whatever prevents the writing is ignored, because the code object
/// does not depend on these files.
void dump(const FinalizeOptions& options, const char* name, llvm::StringRef contents);

/// Writes a module in the same way, as LLVM assembly.
void dump_module(const FinalizeOptions& options, const char* name, const llvm::Module& module);

}  // namespace heddle::finalizer
