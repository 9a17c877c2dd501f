// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Removes ways that lead to nothing but `unreachable`, and lets those that do something first, such as a
/// trap, go on as if they had not been taken. Otherwise they would leave the function, and the work-items of
/// a wave would only come together again where it ends (PRM 2.12), after barriers that they have to reach
/// together.
void join_unreachable(llvm::Function& function);

}  // namespace heddle::compiler
