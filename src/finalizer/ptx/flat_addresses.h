// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat addresses that are calculated from kernel arguments. LLVM's code generator takes whatever a kernel
// loads of its arguments and makes an address of for an address of global memory. But it may be an offset, to
// which the address of a group or private variable is added.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Keeps LLVM's code generator from knowing more of flat addresses than the kernel says. To be called when
/// nothing optimises the module any more.
void keep_addresses_flat(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
