// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures among arguments, and arguments that AMD's compilers pass to kernels in secret.
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Replaces loads from AMD's dispatch packet and implicit arguments by calls of functions named
/// "__hsail_MNEMONIC", which are the same values in HSAIL: sizes of grid and work-group, numbers of
/// work-groups.
void expand_implicit_arguments(llvm::Function& function);

/// Structures that are passed by value to functions (attribute byval) are copied by the caller.
void copy_by_value_arguments(llvm::Function& function);

/// Structures that are passed by value to kernels (attribute byref) lie in the kernarg segment, which no flat
/// address reaches (PRM 2.8.1). If a kernel does more with the address of one than load from it, it gets a
/// copy in private memory. The address of the copy is cast to the constant address space, which such a module
/// therefore must access by flat instructions.
void keep_escaping_arguments(llvm::Function& function);

}  // namespace heddle::compiler
