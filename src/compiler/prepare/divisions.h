// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
}

namespace heddle::compiler {

/// Expands divisions of integers of more than 64 bits into loops, and funnel shifts of such integers, whose
/// amounts are remainders. Vectors of such integers are split first.
void expand_divisions(llvm::Function& function);

}  // namespace heddle::compiler
