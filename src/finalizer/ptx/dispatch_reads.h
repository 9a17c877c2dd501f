// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::finalizer::ptx {

/// Reports whether an entry may read fields of ptx_kernel::Hidden that differ from one dispatch of a kernel
/// to the next. A launch costs the driver less if its parameters equal those of the launch before, so the
/// agent leaves out what no entry reads. Must be called after all passes over the IR.
bool reads_dispatch(const llvm::Function& entry);

}  // namespace heddle::finalizer::ptx
