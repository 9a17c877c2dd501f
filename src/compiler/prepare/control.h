// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Function;
class SwitchInst;
}  // namespace llvm

namespace heddle::compiler {

/// Makes control flow simple enough for the emitter: blocks with phis have only predecessors with one
/// successor, so that the copies of the phis have a place, and switches that are not dense_cases are trees of
/// branches.
void simplify_control(llvm::Function& function);

/// The values that the cases of a switch have.
struct CaseRange {
  uint64_t lowest;
  uint64_t count;
};

/// Returns the values of the cases if they lie so closely together that a table of labels is not too large
/// for them.
std::optional<CaseRange> dense_cases(const llvm::SwitchInst& instruction);

}  // namespace heddle::compiler
