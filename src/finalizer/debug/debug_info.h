// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lowering sees of debug information. Everything else in this folder is its own affair.
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

/// A kernel or function that is being lowered, as debug information asks for it.
class DebuggedFunction {
 public:
  virtual ~DebuggedFunction() = default;

  virtual link::Reference executable() const = 0;
  /// Where code is made now.
  virtual llvm::IRBuilder<>& ir() = 0;
  /// The entry block, which holds the allocations and has no terminator yet.
  virtual llvm::BasicBlock& entry() = 0;
  virtual llvm::AllocaInst* register_variable(brig::Register reg) = 0;

  /// Where memory of HSAIL is: at the offset behind what a pointer of address space 0 points to. All group
  /// variables have one base, and so have all formal arguments of a kernel. An alloca is the memory itself.
  struct Place {
    llvm::Value* base = nullptr;  ///< null: the function has no such memory
    uint64_t offset = 0;
  };
  /// Of a variable or formal argument that the function can name. Code that computes the base is made where
  /// `ir` stands.
  virtual Place place_of(brig::Offset variable) = 0;

  enum class Id : uint8_t { workitemid, workgroupid, workitemabsid };
  /// u32, likewise.
  virtual llvm::Value* id(Id id, uint32_t dimension) = 0;
};

/// Debug information of a program that is lowered: DWARF by way of LLVM's metadata. Source lines are those of
/// the loc directives, or of the disassembled text where a module has none (print::SourceLines). With
/// `variables`, registers, variables, arguments and the IDs of the work-item are described too, and what the
/// debug pragmas say of the source that the HSAIL was made from (PRM 13.4.2.2).
///
/// Names lose their sigil, $s0 is s0 and &k is k: debuggers take `$` and `&` for their own.
class DebugInfo {
 public:
  DebugInfo(const link::Program& program, llvm::Module& module, bool variables, Diagnostics& diagnostics);
  ~DebugInfo();

  /// Gives a function its place in the source.
  void describe(llvm::Function& function, link::Reference executable);
  /// What comes now, up to end_function(), is of this function.
  void begin_function(DebuggedFunction& function);
  /// From here on the function can say where its variables are.
  void end_prologue();
  void declare_register(llvm::AllocaInst* storage, brig::Register reg);
  /// Lowering has come to this entry of the code block, an instruction or directive.
  void reach(brig::Offset entry);
  void end_function();

  /// Descriptions of the global and readonly variables of module scope, each with its symbol. A target has a
  /// word for each that holds its address; the description is of that word.
  std::vector<std::pair<int32_t, llvm::DIGlobalVariableExpression*>> describe_module_variables();
  /// After the last function.
  void finish();

 private:
  const std::unique_ptr<ProgramDebug> program_;
  std::unique_ptr<FunctionDebug> function_;  ///< the current one, if any
};

}  // namespace heddle::finalizer
