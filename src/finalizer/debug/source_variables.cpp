// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/source_variables.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

#include "finalizer/lower/function_lowering.h"

namespace heddle::finalizer {

using Kind = debug::DebugReference::Kind;

SourceVariables::SourceVariables(FunctionLowering& function, const SourceScopes& scopes,
                                 llvm::BasicBlock* entry)
    : function_(function), scopes_(scopes), entry_(entry) {
  const auto& graph = scopes.source().graph();
  for (const Reference& reference : graph.references_in(scopes.executable())) {
    add(reference);
    references_[reference.at] = &reference;
  }
  for (const Reference& reference : graph.references()) {
    if (!scopes.source().is_in_functions(reference) || pieces_.contains(reference.entity)) continue;
    llvm::Value* at = pointer_of(reference.target);
    if (!at) continue;
    add(reference);
    if (Piece* piece = find(reference)) function.ir().CreateStore(at, piece->word);
  }
}

void SourceVariables::add(const Reference& reference) {
  llvm::DILocalVariable* variable = scopes_.variable(reference.entity);
  if (!variable || reference.ends()) return;
  SourceDebug& source = scopes_.source();
  const auto& expression = reference.expression;
  auto& pieces = pieces_[reference.entity];
  for (const Piece& known : pieces) {
    if (known.piece == expression.piece) {
      if (known.steps != expression.steps)
        source.warn("expression", reference.at,
                    "debug reference ignored: another one of this variable has another expression");
      return;
    }
    if (known.piece.size == 0 || expression.piece.size == 0 ||
        (known.piece.offset < expression.piece.offset + expression.piece.size &&
         expression.piece.offset < known.piece.offset + known.piece.size)) {
      source.warn("piece", reference.at,
                  "debug reference ignored: its piece overlaps one of another reference");
      return;
    }
  }
  llvm::SmallVector<uint64_t, 8> operations = {llvm::dwarf::DW_OP_deref};
  if (!source.append_steps(expression, operations)) {
    source.warn("expression", reference.at,
                "debug reference ignored: Dereference of group and private addresses is not supported");
    return;
  }
  if (!SourceDebug::append_piece(expression, variable->getSizeInBits(), operations)) {
    source.warn("piece", reference.at, "debug reference ignored: its piece is not inside the variable");
    return;
  }
  llvm::IRBuilder<> at_entry(entry_);
  auto* word = at_entry.CreateAlloca(at_entry.getPtrTy(), nullptr, variable->getName());
  at_entry.CreateStore(llvm::ConstantPointerNull::get(at_entry.getPtrTy()), word);
  auto* where = llvm::DILocation::get(entry_->getContext(), 0, 0, variable->getScope());
  source.builder().insertDeclare(word, variable, source.builder().createExpression(operations), where,
                                 entry_);
  pieces.push_back({expression.piece, expression.steps, word});
}

SourceVariables::Piece* SourceVariables::find(const Reference& reference) {
  const auto known = pieces_.find(reference.entity);
  if (known == pieces_.end()) return nullptr;
  for (Piece& piece : known->second)
    if (piece.piece == reference.expression.piece) return &piece;
  return nullptr;
}

/// Null: not available.
llvm::Value* SourceVariables::place(const Reference& reference) {
  switch (reference.kind) {
    case Kind::local_register:
      return function_.register_variable(reference.reg);
    case Kind::local_implicit: {
      if (!reference.expression.constant) return nullptr;
      llvm::IRBuilder<> at_entry(entry_);
      auto* constant = at_entry.CreateAlloca(at_entry.getInt64Ty(), nullptr, "implicit");
      at_entry.CreateStore(at_entry.getInt64(*reference.expression.constant), constant);
      return constant;
    }
    default:
      return pointer_of(reference.target);
  }
}

llvm::Value* SourceVariables::pointer_of(brig::Offset variable) {
  ProgramLowering& program = function_.program();
  llvm::IRBuilder<>& ir = function_.ir();
  const Instance& instance = function_.instance();
  const link::Reference reference = {instance.executable.module, variable};
  switch (function_.module().code_as<hsa_brig_directive_variable_t>(variable).segment) {
    case HSA_BRIG_SEGMENT_GROUP: {
      const auto offset = program.group_offset(instance.kernel, program.definition_of(reference));
      return offset ? function_.pointer_to(function_.i32(*offset), HSA_BRIG_SEGMENT_GROUP) : nullptr;
    }
    case HSA_BRIG_SEGMENT_GLOBAL:
    case HSA_BRIG_SEGMENT_READONLY: {
      const int32_t symbol = program.program().symbol_of(reference);
      if (symbol < 0) return nullptr;
      return ir.CreateIntToPtr(
          function_.call(Call::variable_address, function_.i32(static_cast<uint32_t>(symbol))),
          ir.getPtrTy());
    }
    case HSA_BRIG_SEGMENT_KERNARG: {
      const auto* slot = program.kernarg_slot(instance.kernel, variable);
      if (!slot) return nullptr;
      return ir.CreateGEP(ir.getInt8Ty(), function_.call(Call::kernarg_base), function_.i64(slot->offset));
    }
    default:
      break;
  }
  Variables::Slot* slot = function_.variables().find(variable);
  if (!slot) {
    const auto offset = program.module_private_offset(reference);
    return offset ? function_.pointer_to(function_.i32(*offset), HSA_BRIG_SEGMENT_PRIVATE) : nullptr;
  }
  if (slot->in_frame)
    return function_.pointer_to(ir.CreateAdd(function_.frame_base(), function_.i32(slot->offset)),
                                HSA_BRIG_SEGMENT_PRIVATE);
  if (!slot->pointer) slot->pointer = function_.create_alloca(slot->size, slot->align, "");
  return slot->pointer;
}

/// The store belongs to the line before, or to the prologue if there is none: a breakpoint on the next one
/// finds the variable in its new place.
void SourceVariables::reach(brig::Offset at) {
  llvm::IRBuilderBase::InsertPointGuard guard(function_.ir());
  if (function_.result().instructions == 0 && function_.ir().GetInsertBlock() == entry_->getNextNode()) {
    function_.ir().SetInsertPoint(entry_);
    function_.ir().SetCurrentDebugLocation({});
  }
  const auto found = references_.find(at);
  llvm::IRBuilder<>& ir = function_.ir();
  if (found == references_.end() || ir.GetInsertBlock()->getTerminator()) return;
  const Reference& reference = *found->second;
  auto* null = llvm::ConstantPointerNull::get(ir.getPtrTy());
  if (reference.ends_whole_variable()) {
    for (const Piece& piece : pieces_[reference.entity]) ir.CreateStore(null, piece.word);
    return;
  }
  Piece* piece = find(reference);
  if (!piece) return;
  if (!reference.ends() && piece->steps != reference.expression.steps) return;
  llvm::Value* where = place(reference);
  ir.CreateStore(where ? where : null, piece->word);
}

}  // namespace heddle::finalizer
