// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <vector>

#include "finalizer/debug/debug_info.h"
#include "finalizer/debug/source_scopes.h"

namespace heddle::finalizer {

/// Tracks where the variables of the source are while a kernel or function executes (PRM 13.4.2.2.4).
///
/// Each piece of a variable has a word on the stack. It holds the address of what represents the piece at the
/// moment (the storage of a register, memory of any segment, a constant). A reference changes the word
/// whenever execution reaches it, by whatever path, as the manual says ("from the point of execution at which
/// it is placed"). Where a piece has a value on all paths, it is described by its word; elsewhere debuggers
/// show that it has been optimised away.
class SourceVariables {
 public:
  /// Adds the words at the end of the entry block.
  SourceVariables(DebuggedFunction& function, const SourceScopes& scopes);
  /// Tells that lowering has reached the entry at the offset. The code that this adds belongs to the line
  /// before, or to the prologue if there is none, so that a breakpoint on the next line finds the variable in
  /// its new place.
  void reach(brig::Offset at);

 private:
  using Reference = debug::DebugReference;
  struct Piece {
    debug::DebugExpression::Piece piece;
    std::vector<debug::DebugExpression::Step> steps;
    llvm::AllocaInst* word = nullptr;
    llvm::DILocalVariable* variable = nullptr;
    llvm::DIExpression* expression = nullptr;  // from the address of the word to the piece
    llvm::DIExpression* fragment = nullptr;    // which piece it is
    llvm::DILocation* place = nullptr;         // in the scope of the variable
  };
  void add(const Reference& reference);
  void store(const Piece& piece, llvm::Value* at);
  llvm::Value* place(const Reference& reference);
  llvm::Value* pointer_of(brig::Offset variable);
  Piece* find(const Reference& reference);

  DebuggedFunction& function_;
  const SourceScopes& scopes_;
  std::map<uint64_t, std::vector<Piece>> pieces_;  // by variable of the source
  std::map<brig::Offset, const Reference*> references_;
};

}  // namespace heddle::finalizer
