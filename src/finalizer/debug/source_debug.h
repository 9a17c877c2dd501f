// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <llvm/IR/DIBuilder.h>

#include "finalizer/debug/source_types.h"
#include "finalizer/llvm.h"
#include "hsail/link/program.h"

namespace heddle::finalizer {

/// The source that the debug pragmas of one module describe (PRM 13.4.2.2), for DWARF: a compile unit of its
/// own beside that of HSAIL, its files, subprograms, types and global variables.
class SourceDebug {
 public:
  SourceDebug(const link::Program& program, uint32_t module, llvm::Module& to, llvm::StringRef folder,
              Diagnostics& diagnostics);

  bool empty() const { return graph_.empty(); }
  const debug::DebugGraph& graph() const { return graph_; }
  llvm::DIBuilder& builder() { return *builder_; }
  llvm::DIType* type(uint64_t entity) { return types_->type(entity); }

  struct Place {
    llvm::DIFile* file = nullptr;
    unsigned line = 0, column = 0;
  };
  /// Of a Location; file of the unit and line 0 if there is none.
  Place place(uint64_t location);
  /// A new definition of what the kernel or function implements; null if no pragma says.
  llvm::DISubprogram* subprogram(brig::Offset executable);

  /// Global variables of the source; `symbol` is the HSAIL variable whose word (DebugInfo::
  /// describe_module_variables) is where the description begins, -1 for values that are known.
  struct Global {
    int32_t symbol = -1;
    llvm::DIGlobalVariableExpression* description = nullptr;
  };
  std::vector<Global> describe_globals();
  /// Whether it says that a global variable of the source is in memory of work-groups or work-items. DWARF of
  /// module scope cannot say where that is: each function describes the variable.
  bool is_in_functions(const debug::DebugReference& reference) const;
  void finish();

  /// Appends what gets from the address on the stack to that of the variable; false if DWARF cannot, because
  /// an address in the group or private segment is loaded.
  bool append_steps(const debug::DebugExpression& expression, llvm::SmallVectorImpl<uint64_t>& to) const;
  /// Appends the piece. False, and nothing, if it does not lie inside a variable of `bits`.
  static bool append_piece(const debug::DebugExpression& expression, std::optional<uint64_t> bits,
                           llvm::SmallVectorImpl<uint64_t>& to);
  void warn(std::string_view id, brig::Offset at, std::string message);
  /// False when descriptions of such variables, which are made again for each function, would fill memory.
  bool may_describe_in_function() { return ++described_in_functions_ <= most_described_in_functions; }

 private:
  static constexpr size_t most_described_in_functions = 1u << 18;
  static constexpr unsigned most_warnings = 20;
  void create_unit();
  llvm::DIFile* file(uint64_t entity);
  llvm::DIScope* scope(uint64_t entity);

  const link::Program& program_;
  const uint32_t number_;
  const brig::Module& module_;
  Diagnostics& diagnostics_;
  const std::string folder_;
  debug::DebugGraph graph_;
  std::unique_ptr<llvm::DIBuilder> builder_;
  std::unique_ptr<SourceTypes> types_;
  llvm::DICompileUnit* unit_ = nullptr;
  llvm::DIFile* unit_file_ = nullptr;
  std::map<uint64_t, llvm::DIFile*> files_;
  std::map<uint64_t, llvm::DIScope*> scopes_;
  std::vector<llvm::Metadata*> globals_;
  size_t described_in_functions_ = 0;
  unsigned warnings_ = 0;
};

}  // namespace heddle::finalizer
