// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "finalizer/debug/source_debug.h"

namespace heddle::finalizer {

/// The scopes of the source in one kernel or function, and which instructions are in which.
///
/// Registers and variables of HSAIL belong to the function itself; the source's variables to a block inside
/// it that spans all instructions, so that the source's names win. Arguments of the source belong to the
/// function.
///
/// Pragmas do not say which instructions a LexicalBlock spans, nor, but for an operand beyond the manual's,
/// what it lies in. It is taken to begin with the first reference to a variable of it, and to end where a
/// reference says of each of its variables that it is not available, where another block begins that does not
/// lie in it, or with the function.
class SourceScopes {
 public:
  SourceScopes(SourceDebug& source, llvm::DISubprogram* function, brig::Offset executable);

  SourceDebug& source() const { return source_; }
  llvm::DISubprogram* function() const { return function_; }
  brig::Offset executable() const { return executable_; }
  /// What the entry at the offset is in.
  llvm::DILocalScope* at(brig::Offset offset) const;
  /// Null if it has no type, or has nothing in HSAIL here.
  llvm::DILocalVariable* variable(uint64_t entity) const;
  bool has_arguments() const { return !arguments_.empty(); }
  /// Whether an argument of the source has that name, so that one of HSAIL could not be told from it.
  bool hides(llvm::StringRef name) const { return arguments_.contains(name.str()); }

 private:
  void describe(uint64_t entity);
  uint64_t block_of(uint64_t entity) const;
  llvm::DILocalScope* block(uint64_t entity);
  void span_blocks();

  SourceDebug& source_;
  llvm::DISubprogram* const function_;
  const brig::Offset executable_;
  llvm::DILocalScope* body_ = nullptr;
  std::map<uint64_t, llvm::DILocalScope*> blocks_;
  std::map<uint64_t, llvm::DILocalVariable*> variables_;
  std::set<std::string> arguments_;
  std::set<uint64_t> argument_numbers_;
  std::vector<std::pair<brig::Offset, llvm::DILocalScope*>> from_;
};

}  // namespace heddle::finalizer
