// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/debug/hsail_types.h"
#include "finalizer/debug/source_debug.h"
#include "finalizer/llvm.h"
#include "hsail/link/program.h"
#include "hsail/print/source_lines.h"

namespace heddle::finalizer {

/// The debug information that all functions of a program share: the compile unit of HSAIL, its files, lines
/// and types, and the source of each module.
class ProgramDebug {
 public:
  ProgramDebug(const link::Program& program, llvm::Module& module, bool variables, Diagnostics& diagnostics);

  bool has_variables() const { return variables_; }
  const link::Program& program() const { return program_; }
  llvm::DIBuilder& builder() { return builder_; }
  HsailTypes& types() { return *types_; }
  llvm::DIFile* file(std::string_view name);
  const print::SourceLines& lines(uint32_t module);
  /// Returns the source of a module, or null if its debug pragmas give only lines or if variables are not
  /// described.
  SourceDebug* source(uint32_t module);
  /// Returns the name of an HSAIL entity as debuggers see it, without its sigil.
  static llvm::StringRef name(const brig::Module& module, brig::Offset directive);

  // DebugInfo documents these functions.
  void describe(llvm::Function& function, link::Reference executable);
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> describe_module_variables();
  void finish();

 private:
  using Described = std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>>;
  void describe_variable(link::Reference variable, Described& described);

  const link::Program& program_;
  const bool variables_;
  llvm::Module& module_;
  Diagnostics& diagnostics_;
  llvm::DIBuilder builder_;
  std::vector<std::unique_ptr<print::SourceLines>> lines_;  // by module, made when asked for
  std::vector<std::unique_ptr<SourceDebug>> sources_;       // by module, made when asked for
  std::map<std::string, llvm::DIFile*, std::less<>> files_;
  llvm::DICompileUnit* unit_ = nullptr;
  std::optional<HsailTypes> types_;  // set once there is a unit
};

}  // namespace heddle::finalizer
