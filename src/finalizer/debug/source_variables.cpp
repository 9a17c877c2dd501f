// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/source_variables.h"

#include <algorithm>

#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::finalizer {

using Kind = debug::DebugReference::Kind;

SourceVariables::SourceVariables(DebuggedFunction& function, const SourceScopes& scopes)
    : function_(function), scopes_(scopes) {
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
  llvm::BasicBlock& entry = function_.entry();
  llvm::IRBuilder<> at_entry(&entry);
  auto* word = at_entry.CreateAlloca(at_entry.getPtrTy(), nullptr, variable->getName());
  at_entry.CreateStore(llvm::ConstantPointerNull::get(at_entry.getPtrTy()), word);
  auto* where = llvm::DILocation::get(entry.getContext(), 0, 0, variable->getScope());
  source.builder().insertDeclare(word, variable, source.builder().createExpression(operations), where,
                                 &entry);
  pieces.push_back({expression.piece, expression.steps, word});
}

SourceVariables::Piece* SourceVariables::find(const Reference& reference) {
  const auto known = pieces_.find(reference.entity);
  if (known == pieces_.end()) return nullptr;
  for (Piece& piece : known->second)
    if (piece.piece == reference.expression.piece) return &piece;
  return nullptr;
}

/// Returns a pointer to what holds the value from this reference on, or null if the value is not available.
llvm::Value* SourceVariables::place(const Reference& reference) {
  switch (reference.kind) {
    case Kind::local_register:
      return function_.register_variable(reference.reg);
    case Kind::local_implicit: {
      if (!reference.expression.constant) return nullptr;
      llvm::IRBuilder<> at_entry(&function_.entry());
      auto* constant = at_entry.CreateAlloca(at_entry.getInt64Ty(), nullptr, "implicit");
      at_entry.CreateStore(at_entry.getInt64(*reference.expression.constant), constant);
      return constant;
    }
    default:
      return pointer_of(reference.target);
  }
}

llvm::Value* SourceVariables::pointer_of(brig::Offset variable) {
  const DebuggedFunction::Place place = function_.place_of(variable);
  if (!place.base || place.offset == 0) return place.base;
  llvm::IRBuilder<>& ir = function_.ir();
  return ir.CreateConstGEP1_64(ir.getInt8Ty(), place.base, place.offset);
}

void SourceVariables::reach(brig::Offset at) {
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
