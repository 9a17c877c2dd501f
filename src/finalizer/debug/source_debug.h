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

/// Describes the source that the debug pragmas of one module declare (PRM 13.4.2.2) for DWARF: its files,
/// subprograms, types and global variables, in a compile unit of its own beside that of HSAIL.
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
  /// Returns the place of a Location entity, or the unit's file and line 0 if there is no such entity.
  Place place(uint64_t location);
  /// Makes a definition of the source function that the kernel or function implements. Returns null if no
  /// pragma names one.
  llvm::DISubprogram* subprogram(brig::Offset executable);

  /// Returns the description of a source function of which there are inlined calls; `number` is that of a
  /// Subprogram.
  llvm::DISubprogram* inlined_subprogram(uint64_t number);

  /// A global variable of the source. Its description begins at the word of the HSAIL variable `symbol` (see
  /// DebugInfo::describe_module_variables); `symbol` is -1 if the description is a constant value.
  struct Global {
    int32_t symbol = -1;
    llvm::DIGlobalVariableExpression* description = nullptr;
  };
  std::vector<Global> describe_globals();
  /// Reports whether the reference places a global variable of the source in group or private memory. DWARF
  /// of module scope cannot express where that is, so each function describes the variable instead.
  bool is_in_functions(const debug::DebugReference& reference) const;
  void finish();

  /// Appends the operations that lead from the address on the DWARF stack to the address of the variable.
  /// Returns false if DWARF cannot express them, because they dereference a group or private address.
  bool append_steps(const debug::DebugExpression& expression, llvm::SmallVectorImpl<uint64_t>& to) const;
  /// Appends the piece. Returns false and appends nothing if it is not inside a variable of `bits` bits.
  static bool append_piece(const debug::DebugExpression& expression, std::optional<uint64_t> bits,
                           llvm::SmallVectorImpl<uint64_t>& to);
  void warn(std::string_view id, brig::Offset at, std::string message);
  /// Counts one more description of a variable that is_in_functions() is true for. Returns false when there
  /// are so many that they would fill memory, since each function repeats them.
  bool may_describe_in_function() { return ++described_in_functions_ <= most_described_in_functions; }

 private:
  static constexpr size_t most_described_in_functions = 1u << 18;
  static constexpr unsigned most_warnings = 20;
  void create_unit();
  llvm::DIFile* file(uint64_t entity);
  llvm::DIScope* scope(uint64_t entity);
  llvm::DISubprogram* describe(const debug::DebugEntity& subprogram);

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
  std::map<uint64_t, llvm::DISubprogram*> inlined_;
  std::vector<llvm::Metadata*> globals_;
  size_t described_in_functions_ = 0;
  unsigned warnings_ = 0;
};

}  // namespace heddle::finalizer
