// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/function_debug.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

#include "hsail/brig/pragma_operands.h"

namespace heddle::finalizer {

namespace dwarf = llvm::dwarf;
using brig::Offset;

FunctionDebug::FunctionDebug(ProgramDebug& program, DebuggedFunction& function)
    : program_(program),
      function_(function),
      executable_(function.executable()),
      module_(program.program().modules()[executable_.module]),
      subprogram_(function.entry().getParent()->getSubprogram()) {
  if (SourceDebug* from = program.source(executable_.module))
    scopes_ = std::make_unique<SourceScopes>(*from, subprogram_, executable_.offset);
  // The pragma in force here may be one in the function before (PRM 13.4.2.2.4.1).
  if (!scopes_) locate(executable_.offset);
}

void FunctionDebug::reach(Offset entry) {
  if (module_.is_instruction(entry)) return locate(entry);
  switch (module_.code_kind(entry)) {
    case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START:
      return begin_block(entry);
    case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END:
      return end_block();
    case HSA_BRIG_KIND_DIRECTIVE_PRAGMA:
      return reach_pragma(entry);
    default:
      return;
  }
}

void FunctionDebug::reach_pragma(Offset entry) {
  const brig::PragmaOperands operands(module_, entry);
  if (operands.begin_with("hsa.tools.debug.ref", 1, "SourceLine")) place_ = operands.number(2).value_or(0);
  if (source_variables_) source_variables_->reach(entry);
}

/// Makes `ir` attribute the code that it adds from now on to the entry's line and scope.
void FunctionDebug::locate(Offset entry) {
  llvm::IRBuilder<>& ir = function_.ir();
  if (llvm::DILocation* exact = scopes_ && place_ != 0 ? scopes_->location(place_) : nullptr)
    return begun_ = true, ir.SetCurrentDebugLocation(exact);
  const auto at = program_.lines(executable_.module).at(entry);
  begun_ |= at.line != 0 || block_ != nullptr || module_.code_kind(entry) == HSA_BRIG_KIND_INST_BR;
  if (scopes_ && !begun_) return ir.SetCurrentDebugLocation({});
  llvm::DILocalScope* scope = block_    ? static_cast<llvm::DILocalScope*>(block_)
                              : scopes_ ? scopes_->at(entry)
                                        : subprogram_;
  if (at.line != 0 && scope->getFilename() != llvm::StringRef(at.file.data(), at.file.size()))
    scope = program_.builder().createLexicalBlockFile(scope, program_.file(at.file));
  ir.SetCurrentDebugLocation(
      llvm::DILocation::get(ir.getContext(), at.line, std::min<uint32_t>(at.column, UINT16_MAX), scope));
}

/// Enters an arg block, a scope of its own for names. Each block is entered twice, when variables are
/// declared and when code is made, so its description is kept.
void FunctionDebug::begin_block(Offset start) {
  if (!program_.has_variables()) return;
  llvm::DILexicalBlock*& known = blocks_[start];
  if (!known) {
    const auto at = program_.lines(executable_.module).at(start);
    llvm::DILocalScope* around = block_    ? static_cast<llvm::DILocalScope*>(block_)
                                 : scopes_ ? scopes_->at(start)
                                           : subprogram_;
    known = program_.builder().createLexicalBlock(around, program_.file(at.file), at.line, 0);
  }
  block_ = known;
}

// ---- variables

void FunctionDebug::declare(llvm::Value* storage, llvm::DILocalVariable* variable,
                            llvm::ArrayRef<uint64_t> expression) {
  llvm::BasicBlock& entry = function_.entry();
  auto* where = llvm::DILocation::get(entry.getContext(), 0, 0, variable->getScope());
  llvm::DIBuilder& builder = program_.builder();
  builder.insertDeclare(storage, variable, builder.createExpression(expression), where, &entry);
}

void FunctionDebug::declare_register(llvm::AllocaInst* storage, brig::Register reg) {
  if (hidden(storage->getName())) return;
  declare(storage,
          program_.builder().createAutoVariable(subprogram_, storage->getName(), subprogram_->getFile(), 0,
                                                program_.types().register_union(reg.kind), true),
          {});
}

void FunctionDebug::declare_id(const char* name, DebuggedFunction::Id id) {
  llvm::IRBuilder<>& ir = function_.ir();
  auto* type = llvm::ArrayType::get(ir.getInt32Ty(), 3);
  auto* storage = llvm::IRBuilder<>(&function_.entry()).CreateAlloca(type, nullptr, name);
  for (uint32_t d = 0; d < 3; ++d)
    ir.CreateStore(function_.id(id, d), ir.CreateConstInBoundsGEP1_32(ir.getInt32Ty(), storage, d));
  if (hidden(name)) return;
  declare(storage,
          program_.builder().createAutoVariable(subprogram_, name, subprogram_->getFile(), 0,
                                                program_.types().id(), true),
          {});
}

/// Memory that is not on the stack is described through a word on the stack that holds its address.
FunctionDebug::Home FunctionDebug::home_of(Offset variable) {
  const DebuggedFunction::Place place = function_.place_of(variable);
  if (!place.base) return {};
  if (auto* stack_slot = llvm::dyn_cast<llvm::AllocaInst>(place.base)) return {stack_slot, std::nullopt};
  const unsigned segment = module_.code_as<hsa_brig_directive_variable_t>(variable).segment;
  const bool shared = segment == HSA_BRIG_SEGMENT_GROUP || segment == HSA_BRIG_SEGMENT_KERNARG;
  llvm::AllocaInst* word = shared ? bases_[segment] : nullptr;
  if (!word) {
    word = llvm::IRBuilder<>(&function_.entry()).CreateAlloca(place.base->getType());
    function_.ir().CreateStore(place.base, word);
    if (shared) bases_[segment] = word;
  }
  return {word, place.offset};
}

/// Describes formal argument number `argument`, counted from 1, or a variable, for which `argument` is 0. A
/// variable of an arg block that was entered belongs to that block.
void FunctionDebug::declare_variable(Offset variable, const Home& home, unsigned argument) {
  llvm::DILocalScope* scope = block_ ? static_cast<llvm::DILocalScope*>(block_) : subprogram_;
  const auto name = ProgramDebug::name(module_, variable);
  if (name.empty() || hidden(name)) return;
  auto* type = program_.types().variable(module_, variable);
  const uint32_t line = program_.lines(executable_.module).at(variable).line;
  llvm::DIBuilder& builder = program_.builder();
  auto* described =
      argument != 0 && !(scopes_ && scopes_->has_arguments())
          ? builder.createParameterVariable(scope, name, argument, scope->getFile(), line, type, true)
          : builder.createAutoVariable(scope, name, scope->getFile(), line, type, true);
  if (home.offset)
    declare(home.storage, described, {dwarf::DW_OP_deref, dwarf::DW_OP_plus_uconst, *home.offset});
  else
    declare(home.storage, described, {});
}

void FunctionDebug::declare_formals() {
  unsigned number = 0;
  module_.for_each_formal(executable_.offset, [&](Offset formal, bool) {
    if (const Home home = home_of(formal); home.storage) declare_variable(formal, home, ++number);
  });
}

/// Describes the variables whose memory belongs to a work-item or work-group, both those of this code block
/// and those of module scope, and the global variables of the code block.
void FunctionDebug::declare_segment_variables() {
  const auto declare_one = [&](Offset at) {
    if (const Home home = home_of(at); home.storage) declare_variable(at, home, 0);
  };
  module_.for_each_in_module_scope([&](Offset at) {
    if (module_.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) return;
    const unsigned segment = module_.code_as<hsa_brig_directive_variable_t>(at).segment;
    if (segment == HSA_BRIG_SEGMENT_GROUP || segment == HSA_BRIG_SEGMENT_PRIVATE) declare_one(at);
  });
  module_.for_each_in_code_block(executable_.offset, [&](Offset at) {
    const unsigned kind = module_.code_kind(at);
    if (kind == HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START) begin_block(at);
    if (kind == HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END) end_block();
    if (kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE) declare_one(at);
  });
}

void FunctionDebug::declare_variables() {
  // The prologue has no line, so that debuggers skip it before they stop in the function.
  function_.ir().SetCurrentDebugLocation({});
  declare_id("workitemid", DebuggedFunction::Id::workitemid);
  declare_id("workgroupid", DebuggedFunction::Id::workgroupid);
  declare_id("workitemabsid", DebuggedFunction::Id::workitemabsid);
  declare_formals();
  declare_segment_variables();
  if (scopes_) source_variables_.emplace(function_, *scopes_);
}

}  // namespace heddle::finalizer
