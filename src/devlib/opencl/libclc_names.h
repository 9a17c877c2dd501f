// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the device library calls functions of libclc that it replaces.
#pragma once

namespace llvm {
class Module;
}

namespace heddle::devlib {

/// The device library calls a function of libclc that it replaces by the function's mangled name with this
/// prefix.
inline constexpr char libclc_prefix[] = "__libclc_";

/// Gives these names to the functions of libclc that `module` calls by them, before libclc is linked to it.
void rename_replaced_functions(llvm::Module& libclc, const llvm::Module& module);

}  // namespace heddle::devlib
