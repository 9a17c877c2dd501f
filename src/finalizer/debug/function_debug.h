// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "finalizer/debug/debug_info.h"
#include "finalizer/debug/program_debug.h"
#include "finalizer/debug/source_scopes.h"
#include "finalizer/debug/source_variables.h"

namespace heddle::finalizer {

/// Debug information of one kernel or function while it is lowered: which line and scope code belongs to, and
/// where variables of HSAIL are.
class FunctionDebug {
 public:
  FunctionDebug(ProgramDebug& program, DebuggedFunction& function);

  // DebugInfo documents these functions; its end_prologue() calls declare_variables().
  void declare_variables();
  void declare_register(llvm::AllocaInst* storage, brig::Register reg);
  void reach(brig::Offset entry);

 private:
  /// Where debuggers find a variable: `storage` is its memory or, if there is an offset, holds a pointer to
  /// memory in which the variable is at that offset.
  struct Home {
    llvm::AllocaInst* storage = nullptr;
    std::optional<uint64_t> offset;
  };
  void locate(brig::Offset entry);
  void reach_pragma(brig::Offset entry);
  void begin_block(brig::Offset start);
  void end_block() { block_ = nullptr; }
  bool hidden(llvm::StringRef name) const { return scopes_ && !block_ && scopes_->hides(name); }
  Home home_of(brig::Offset variable);
  void declare(llvm::Value* storage, llvm::DILocalVariable* variable, llvm::ArrayRef<uint64_t> expression);
  void declare_id(const char* name, DebuggedFunction::Id id);
  void declare_formals();
  void declare_variable(brig::Offset variable, const Home& home, unsigned argument);
  void declare_segment_variables();

  ProgramDebug& program_;
  DebuggedFunction& function_;
  const link::Reference executable_;
  const brig::Module& module_;
  llvm::DISubprogram* const subprogram_;
  std::map<brig::Offset, llvm::DILexicalBlock*> blocks_;  // arg blocks by start (PRM 10.2)
  llvm::DILexicalBlock* block_ = nullptr;                 // the current one
  std::map<unsigned, llvm::AllocaInst*> bases_;           // by segment, words with shared bases
  uint64_t place_ = 0;                                    // the Location that is in force, or 0
  // False as long as no instruction had a line, a call or a branch. What is before is the prologue, which has
  // no places: debuggers stop where the first line after that of the function begins, even if it is line 0.
  bool begun_ = false;
  std::unique_ptr<SourceScopes> scopes_;             // null if no pragma describes the source
  std::optional<SourceVariables> source_variables_;  // set when the prologue has ended
};

}  // namespace heddle::finalizer
