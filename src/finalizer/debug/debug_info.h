// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface that lowering uses for debug information. The other headers of this folder are private to it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "finalizer/llvm.h"
#include "hsail/brig/operands.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

class FunctionDebug;
class ProgramDebug;

/// The kernel or function that is being lowered, as far as debug information needs to know it.
class DebuggedFunction {
 public:
  virtual ~DebuggedFunction() = default;

  virtual link::Reference executable() const = 0;
  /// The builder, positioned where lowering currently adds code.
  virtual llvm::IRBuilder<>& ir() = 0;
  /// The entry block, which holds the allocations and has no terminator yet.
  virtual llvm::BasicBlock& entry() = 0;
  virtual llvm::AllocaInst* register_variable(brig::Register reg) = 0;

  /// The address of HSAIL memory: `offset` bytes behind `base`, a pointer of address space 0. All group
  /// variables share one base, as do all formal arguments of a kernel. A base that is an alloca is the
  /// variable's own memory.
  struct Place {
    llvm::Value* base = nullptr;  ///< null: the function has no such memory
    uint64_t offset = 0;
  };
  /// Returns the place of a variable or formal argument that the function can name. Adds code that computes
  /// the base at `ir`.
  virtual Place place_of(brig::Offset variable) = 0;

  enum class Id : uint8_t { workitemid, workgroupid, workitemabsid };
  /// Returns the ID as a u32. Adds code that computes it at `ir`.
  virtual llvm::Value* id(Id id, uint32_t dimension) = 0;
};

/// Makes the debug information of a program while it is lowered, as LLVM metadata that becomes DWARF. Source
/// lines come from the loc directives, or from the disassembled text of a module that has none
/// (print::SourceLines). With `variables`, it also describes registers, variables, arguments and the IDs of
/// the work-item, and the original source as far as debug pragmas describe it (PRM 13.4.2.2).
///
/// Names lose their sigil ($s0 becomes s0, &k becomes k), because `$` and `&` have other meanings in
/// debuggers.
class DebugInfo {
 public:
  DebugInfo(const link::Program& program, llvm::Module& module, bool variables, Diagnostics& diagnostics);
  ~DebugInfo();

  /// Attaches its name and position in the source to a function.
  void describe(llvm::Function& function, link::Reference executable);
  /// Begins a function. All calls up to end_function() concern it.
  void begin_function(DebuggedFunction& function);
  /// Tells that the prologue is complete, so that DebuggedFunction::place_of() works from here on.
  void end_prologue();
  void declare_register(llvm::AllocaInst* storage, brig::Register reg);
  /// Tells that lowering has reached this entry of the code block, an instruction or a directive.
  void reach(brig::Offset entry);
  void end_function();

  /// Returns descriptions of the global and readonly variables of module scope, each with its symbol index.
  /// The target keeps the address of each variable in a word; the description applies to that word.
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> describe_module_variables();
  /// Completes the metadata. To be called after the last function.
  void finish();

 private:
  const std::unique_ptr<ProgramDebug> program_;
  std::unique_ptr<FunctionDebug> function_;  ///< the current one, if any
};

}  // namespace heddle::finalizer
