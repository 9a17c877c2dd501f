// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Expands llvm.sshl.sat and llvm.ushl.sat into shifts there and back and a choice.
void expand_saturating_shifts(llvm::Function& function);

}  // namespace heddle::compiler
