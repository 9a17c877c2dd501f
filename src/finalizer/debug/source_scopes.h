// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "finalizer/debug/source_debug.h"

namespace heddle::finalizer {

/// The scopes of the source in one kernel or function, and the scope of each instruction.
///
/// Registers and variables of HSAIL belong to the function itself; variables of the source belong to a block
/// inside it that spans all instructions, so that debuggers prefer the source's names. Arguments of the
/// source belong to the function.
///
/// A Location may have a scope, an operand that the manual does not have. It then tells the scope of the
/// instructions behind a SourceLine and, if it is that of an inlined call, the call. Otherwise nothing says
/// which instructions a LexicalBlock spans. A block is then taken to begin with the first reference to one of
/// its variables. It ends when references have made all of its variables unavailable, when a block begins
/// that is not inside it, or with the function.
class SourceScopes {
 public:
  SourceScopes(SourceDebug& source, llvm::DISubprogram* function, brig::Offset executable);

  SourceDebug& source() const { return source_; }
  llvm::DISubprogram* function() const { return function_; }
  brig::Offset executable() const { return executable_; }
  /// Returns the scope of the entry at the offset.
  llvm::DILocalScope* at(brig::Offset offset) const;
  /// Returns the place in the source that a Location with a scope describes, with the calls that lead there;
  /// null if it has no scope, or if scopes and calls do not lead to this kernel or function.
  llvm::DILocation* location(uint64_t entity);
  /// Returns the place of the inlined call that a variable belongs to, or null.
  llvm::DILocation* call_of(uint64_t entity) const;
  /// Returns the description of a variable, or null if the variable has no type or nothing here refers to it.
  llvm::DILocalVariable* variable(uint64_t entity) const;
  bool has_arguments() const { return !arguments_.empty(); }
  /// Reports whether an argument of the source has this name, so that debuggers could not tell an HSAIL
  /// variable of the same name from it.
  bool hides(llvm::StringRef name) const { return arguments_.contains(name.str()); }

 private:
  void describe(uint64_t entity);
  bool describe_inlined(uint64_t entity, llvm::DIType* type);
  uint64_t subprogram_around(uint64_t entity) const;
  bool is_own(uint64_t entity) const;
  llvm::DILocation* make_location(uint64_t number, const debug::DebugEntity& entity);
  uint64_t block_of(uint64_t entity) const;
  llvm::DILocalScope* block(uint64_t entity);
  llvm::DILocalScope* scope(uint64_t entity);
  void span_blocks();

  SourceDebug& source_;
  llvm::DISubprogram* const function_;
  const brig::Offset executable_;
  llvm::DILocalScope* body_ = nullptr;
  std::map<uint64_t, llvm::DILocalScope*> blocks_;
  std::map<uint64_t, llvm::DILocalVariable*> variables_;
  std::map<uint64_t, llvm::DILocation*> locations_;  // those that are null cannot be described
  std::map<uint64_t, llvm::DILocation*> calls_;      // of variables
  std::set<std::string> arguments_;
  std::set<uint64_t> argument_numbers_;
  std::vector<std::pair<brig::Offset, llvm::DILocalScope*>> from_;
};

}  // namespace heddle::finalizer
