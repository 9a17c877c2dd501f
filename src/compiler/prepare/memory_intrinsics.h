// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Expands llvm.memcpy, memmove and memset: into loads and stores if the length is a small constant, into
/// loops otherwise.
void expand_memory_intrinsics(llvm::Function& function);

}  // namespace heddle::compiler
