// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace heddle::compiler {

/// Turns constant expressions over variables and functions, which code uses, into instructions, so that the
/// emitter translates addresses in one way only. Initial values of variables stay as they are.
void expand_constants(llvm::Module& module);

}  // namespace heddle::compiler
