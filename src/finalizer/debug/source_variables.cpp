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
    if (const Piece* piece = find(reference)) store(*piece, at);
  }
}

void SourceVariables::add(const Reference& reference) {
  llvm::DILocalVariable* variable = scopes_.variable(reference.entity);
  if (!variable || reference.ends()) return;
  SourceDebug& source = scopes_.source();
  const auto& expression = reference.expression;
  auto& pieces = pieces_[reference.entity];
  for (const Piece& known : pieces) {
    if (known.piece != expression.piece) continue;
    if (known.steps != expression.steps)
      source.warn("expression", reference.at,
                  "debug reference ignored: another one of this variable has another expression");
    return;
  }
  llvm::SmallVector<uint64_t, 8> operations = {llvm::dwarf::DW_OP_deref};
  if (!source.append_steps(expression, operations)) {
    source.warn("expression", reference.at,
                "debug reference ignored: Dereference of group and private addresses is not supported");
    return;
  }
  operations.push_back(llvm::dwarf::DW_OP_deref);
  llvm::SmallVector<uint64_t, 4> fragment;
  if (!SourceDebug::append_piece(expression, variable->getSizeInBits(), fragment)) {
    source.warn("piece", reference.at, "debug reference ignored: its piece is not inside the variable");
    return;
  }
  operations.append(fragment);
  llvm::BasicBlock& entry = function_.entry();
  llvm::IRBuilder<> at_entry(&entry);
  auto* word = at_entry.CreateAlloca(at_entry.getPtrTy(), nullptr, variable->getName());
  at_entry.CreateStore(llvm::ConstantPointerNull::get(at_entry.getPtrTy()), word);
  llvm::DIBuilder& builder = source.builder();
  pieces.push_back({expression.piece, expression.steps, word, variable, builder.createExpression(operations),
                    builder.createExpression(fragment),
                    llvm::DILocation::get(entry.getContext(), 0, 0, variable->getScope(),
                                          scopes_.call_of(reference.entity))});
}

/// Lets the piece be at an address from here on, or nowhere if that is null.
void SourceVariables::store(const Piece& piece, llvm::Value* at) {
  llvm::IRBuilder<>& ir = function_.ir();
  llvm::Value* null = llvm::ConstantPointerNull::get(ir.getPtrTy());
  llvm::StoreInst* store = ir.CreateStore(at ? at : null, piece.word);
  llvm::Value* described = at ? static_cast<llvm::Value*>(piece.word) : llvm::PoisonValue::get(ir.getPtrTy());
  scopes_.source().builder().insertDbgValueIntrinsic(
      described, piece.variable, at ? piece.expression : piece.fragment, piece.place, store->getIterator());
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
  // References to other pieces with the same bits are over.
  const auto& about = reference.expression.piece;
  for (const Piece& other : pieces_[reference.entity]) {
    const bool apart = about.size != 0 && other.piece.size != 0 &&
                       (other.piece.offset >= about.offset + about.size ||
                        about.offset >= other.piece.offset + other.piece.size);
    if (!apart && (reference.ends() || other.piece != about)) store(other, nullptr);
  }
  if (reference.ends()) return;
  if (const Piece* piece = find(reference))
    store(*piece, piece->steps == reference.expression.steps ? place(reference) : nullptr);
}

}  // namespace heddle::finalizer
