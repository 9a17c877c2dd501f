// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler does about printf after clang and LLVM have made records of its calls
// (docs/device-libraries.md, "printf").
#pragma once

#include "support/result.h"

namespace llvm {
class Module;
}

namespace heddle::devlib {

/// Puts the formats, which LLVM keeps in metadata, into the variable "__heddle_printf_formats", where the
/// host finds them; and takes back the alignments that LLVM promises of the stores into records, which are
/// aligned to 4 bytes. Nothing happens in modules without printf. Must be called once, when the module is
/// complete and before it is optimised. Fails if two formats have the same number, as in modules that were
/// compiled apart.
Result<bool> keep_printf_formats(llvm::Module& module);

}  // namespace heddle::devlib
