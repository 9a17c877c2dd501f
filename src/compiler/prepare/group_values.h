// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace heddle::compiler {

/// Takes the initial values of variables in group memory, which HSAIL does not know, and lets each kernel
/// that may use such a variable store its value first: the first work-item of a work-group does, and all wait
/// for it.
void store_group_values(llvm::Module& module);

}  // namespace heddle::compiler
