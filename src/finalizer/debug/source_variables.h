// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "finalizer/debug/debug_info.h"
#include "finalizer/debug/source_scopes.h"

namespace heddle::finalizer {

/// Where the variables of the source are while a kernel or function executes (PRM 13.4.2.2.4).
///
/// Each piece of a variable has a word on the stack that holds the address of what stands for it now: the
/// home of a register, memory of any segment, a constant; null while it is not available. References change
/// the word when they are reached, as the manual says ("from the point of execution at which it is placed"),
/// whatever way led there.
class SourceVariables {
 public:
  /// Makes the words, at the end of the entry block.
  SourceVariables(DebuggedFunction& function, const SourceScopes& scopes);
  /// The entry at the offset is reached. What it changes belongs to the line before, or to the prologue if
  /// there is none: a breakpoint on the next line finds the variable in its new place.
  void reach(brig::Offset at);

 private:
  using Reference = debug::DebugReference;
  struct Piece {
    debug::DebugExpression::Piece piece;
    std::vector<debug::DebugExpression::Step> steps;
    llvm::AllocaInst* word = nullptr;
  };
  void add(const Reference& reference);
  llvm::Value* place(const Reference& reference);
  llvm::Value* pointer_of(brig::Offset variable);
  Piece* find(const Reference& reference);

  DebuggedFunction& function_;
  const SourceScopes& scopes_;
  std::map<uint64_t, std::vector<Piece>> pieces_;  // by variable of the source
  std::map<brig::Offset, const Reference*> references_;
};

}  // namespace heddle::finalizer
