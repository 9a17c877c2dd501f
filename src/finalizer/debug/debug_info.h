// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/debug/source_scopes.h"
#include "finalizer/llvm.h"
#include "hsail/brig/operands.h"
#include "hsail/link/program.h"
#include "hsail/print/source_lines.h"

namespace heddle::finalizer {

enum class DebugLevel : uint8_t {
  lines,  ///< which source line each instruction is from
  full,   ///< registers, arguments and the IDs of the work-item as variables, too
};

/// Debug information of a program that is lowered: DWARF by way of LLVM's metadata. Source lines are those of
/// the loc directives, or of the disassembled text where a module has none (print::SourceLines). At level
/// full what the debug pragmas say of the source comes with it (SourceDebug).
///
/// Names lose their sigil, $s0 is s0 and &k is k: debuggers take `$` and `&` for their own.
class DebugInfo {
 public:
  DebugInfo(const link::Program& program, llvm::Module& module, DebugLevel level, Diagnostics& diagnostics);

  DebugLevel level() const { return level_; }
  /// Gives the function its place in the source.
  void describe(llvm::Function& function, link::Reference executable);
  /// What comes now is of this function, until the next begins.
  void begin_function(const llvm::Function& function, link::Reference executable);
  /// The scopes of the source in it; null if no debug pragma says anything of the source.
  const SourceScopes* source_scopes() const { return scopes_.get(); }
  /// From here on `ir` makes code of the entry.
  void locate(llvm::IRBuilder<>& ir, link::Reference entry);
  /// Level full: variables of the function whose entry block is `block`. `storage` is the variable's memory.
  void declare_register(llvm::AllocaInst* storage, brig::Register reg, llvm::BasicBlock* block);
  /// Three u32, of dimensions x, y and z.
  void declare_id(llvm::AllocaInst* storage, llvm::StringRef name, llvm::BasicBlock* block);
  /// Where a variable of HSAIL is: `storage` is its memory, or holds a pointer to memory in which it lies at
  /// the offset.
  struct Home {
    llvm::AllocaInst* storage = nullptr;
    std::optional<uint64_t> offset;
  };
  /// A variable, or formal argument number `argument`, counted from 1. One behind begin_block belongs to the
  /// arg block.
  void declare_variable(const Home& home, link::Reference variable, unsigned argument,
                        llvm::BasicBlock* block);
  /// The arg block that begins at the entry (PRM 10.2), whose variables have names of their own. Of
  /// `function`; may be asked for again.
  void begin_block(const llvm::Function& function, link::Reference start);
  void end_block() { block_ = nullptr; }
  /// Level full: the global and readonly variables of module scope, each with its symbol. A target has a word
  /// for each that holds its address; the description is of that word.
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> describe_module_variables();
  /// After the last function.
  void finish();

 private:
  const print::SourceLines& lines(uint32_t module);
  llvm::DIFile* file(std::string_view name);
  llvm::DIType* basic_type(std::string_view name, unsigned bits, unsigned encoding);
  llvm::DIType* hsail_type(isa::Type type);
  llvm::DILocalScope* scope_in(const llvm::Function& function) const;
  llvm::DILocalScope* scope_at(const llvm::Function& function, brig::Offset entry) const;
  SourceDebug* source(uint32_t module);
  bool hidden(llvm::StringRef name) const { return scopes_ && !block_ && scopes_->hides(name); }
  llvm::DIType* variable_type(const brig::Module& module, brig::Offset variable);
  llvm::DIType* register_type(unsigned kind);
  llvm::DIType* id_type();
  void declare(llvm::Value* storage, llvm::DILocalVariable* variable, llvm::ArrayRef<uint64_t> expression,
               llvm::BasicBlock* block);

  const link::Program& program_;
  const DebugLevel level_;
  llvm::Module& module_;
  Diagnostics& diagnostics_;
  llvm::DIBuilder builder_;
  std::vector<std::unique_ptr<print::SourceLines>> lines_;
  std::map<std::string, llvm::DIFile*, std::less<>> files_;
  std::map<std::string, llvm::DIType*, std::less<>> basic_types_;
  std::array<llvm::DIType*, 4> register_types_ = {};
  llvm::DIType* id_type_ = nullptr;
  llvm::DICompileUnit* unit_ = nullptr;
  std::map<std::tuple<const llvm::Function*, uint32_t, brig::Offset>, llvm::DILexicalBlock*> blocks_;
  llvm::DILexicalBlock* block_ = nullptr;  // the current one
  std::vector<std::unique_ptr<SourceDebug>> sources_;
  std::unique_ptr<SourceScopes> scopes_;  // of the current function
};

}  // namespace heddle::finalizer
