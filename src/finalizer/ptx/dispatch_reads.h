// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::finalizer::ptx {

/// Reports whether an entry may read fields of ptx_kernel::Hidden that differ from one dispatch of a kernel
/// to the next. The launch of a kernel costs the driver less if its parameters are those of the launch
/// before, so that the agent leaves out what nobody reads. To be asked when the code is as it will be
/// generated.
bool reads_dispatch(const llvm::Function& entry);

}  // namespace heddle::finalizer::ptx
