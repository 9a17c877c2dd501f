// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/debug/variables.h"

#include <cassert>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::compiler {

namespace {

namespace dwarf = llvm::dwarf;

/// Returns the operations of an expression without the fragment at its end, and without address spaces: clang
/// writes for AMD's devices which one an address belongs to, and the passes keep that also for values that
/// are no addresses any more.
llvm::SmallVector<uint64_t, 8> operations_of(const llvm::DIExpression& expression) {
  llvm::SmallVector<uint64_t, 8> result;
  for (const auto& operation : expression.expr_ops()) {
    if (operation.getOp() == dwarf::DW_OP_LLVM_fragment) break;
    operation.appendToVector(result);
    const size_t end = result.size();
    if (end >= 4 && result[end - 4] == dwarf::DW_OP_constu && result[end - 2] == dwarf::DW_OP_swap &&
        result[end - 1] == dwarf::DW_OP_xderef)
      result.resize(end - 4);
  }
  return result;
}

}  // namespace

/// Understands a value as it is, and memory at a constant distance from an address.
VariableTracker::Location VariableTracker::location_of(const llvm::DbgVariableRecord& record) {
  Location location;
  if (record.hasArgList() || record.isDbgAssign() || record.isKillLocation()) return location;
  auto operations = operations_of(*record.getExpression());
  location.in_memory = record.isDbgDeclare();
  if (operations.size() >= 2 && operations[0] == dwarf::DW_OP_plus_uconst) {
    location.offset = operations[1];
    operations.erase(operations.begin(), operations.begin() + 2);
  }
  if (!location.in_memory && operations.size() == 1 && operations[0] == dwarf::DW_OP_deref) {
    location.in_memory = true;
    operations.clear();
  }
  if (!location.in_memory && operations.size() == 1 && operations[0] == dwarf::DW_OP_stack_value)
    operations.clear();
  location.is_known = operations.empty() && (location.in_memory || location.offset == 0);
  return location;
}

void VariableTracker::track(const llvm::DbgVariableRecord& record) {
  const llvm::DILocalVariable& variable = *record.getVariable();
  if (variable.getName().empty() || variable.getType() == nullptr) return;
  Described described{
      entities_.variable(variable, record.getDebugLoc()->getInlinedAt()), {}, variable.getSizeInBits()};
  if (const auto fragment = record.getExpression()->getFragmentInfo())
    described.piece = {fragment->OffsetInBits, fragment->SizeInBits};
  const Location location = location_of(record);
  const llvm::Value* value = location.is_known ? record.getVariableLocationOp(0) : nullptr;
  if (value == nullptr) return end(described);
  if (location.in_memory)
    track_memory(described, *value, location.offset);
  else
    track_value(described, *value);
}

void VariableTracker::track_memory(const Described& variable, const llvm::Value& pointer, uint64_t offset) {
  const Address place = values_.known_place(*pointer.stripPointerCasts());
  if (place.symbol.empty() || place.id != no_register || place.offset < 0) return end(variable);
  offset += static_cast<uint64_t>(place.offset);
  add(variable, variable.piece,
      fmt::format("\"LocalAddr\", {}, {}, {}", variable.entity, place.symbol.str(),
                  entities_.offset(offset, variable.piece)),
      {});
}

/// Says which bits of the variable each part of the value is; nothing if a part has bits that HSAIL's
/// registers do not hold as memory would.
std::optional<llvm::SmallVector<SourceEntities::Piece, 4>> VariableTracker::pieces_of(
    const Described& variable, const llvm::Value& value) {
  // A structure in registers may have bits that belong to no part.
  if (value.getType()->isStructTy() || !variable.bits) return std::nullopt;
  const Layout& layout = layouts_.of(value.getType());
  const uint64_t size = variable.piece.size != 0 ? variable.piece.size : *variable.bits;
  llvm::SmallVector<Piece, 4> pieces;
  for (const Leaf& leaf : layout.leaves) {
    for (uint32_t i = 0; i < leaf.parts; ++i) {
      const uint64_t offset = leaf.offset * 8 + uint64_t{i} * 64;
      uint64_t width = std::min<uint64_t>(compiler::width(leaf.type, layouts_.data()) - i * 64, 64);
      // A c register is kept as a byte. Of a value that is wider than the variable, the lower bits count.
      if (layout.parts[leaf.part + i] == Type::b1) width = 8;
      if (layout.parts.size() == 1) width = std::min(width, size);
      if (width % 8 != 0 || offset + width > size) return std::nullopt;
      Piece piece{variable.piece.offset + offset, width};
      if (piece.offset == 0 && piece.size == *variable.bits) piece.size = 0;
      pieces.push_back(piece);
    }
  }
  if (layout.parts.size() == 1 && pieces[0].size != 0 && pieces[0].size != size) return std::nullopt;
  return pieces;
}

void VariableTracker::track_value(const Described& variable, const llvm::Value& value) {
  const auto parts = values_.known_parts(value);
  const auto pieces = pieces_of(variable, value);
  if (!parts || !pieces) return end(variable);
  assert(parts->size() == pieces->size());
  const Layout& layout = layouts_.of(value.getType());
  for (size_t i = 0; i < pieces->size(); ++i)
    track_part(variable, (*pieces)[i], (*parts)[i], layout.parts[i]);
}

void VariableTracker::track_part(const Described& variable, const Piece& piece, const Scalar& part,
                                 Type type) {
  if (part.is_register()) {
    add(variable, piece,
        fmt::format("\"LocalRegister\", {}, %0, {}", variable.entity, entities_.piece(piece)),
        Operand::use(part.id, type));
  } else if (part.is_number()) {
    add(variable, piece,
        fmt::format("\"LocalImplicit\", {}, {}", variable.entity, entities_.constant(part.bits, piece)), {});
  } else {
    Described ended = variable;
    ended.piece = piece;
    end(ended);
  }
}

void VariableTracker::end(const Described& variable) {
  add(variable, variable.piece,
      fmt::format("\"LocalImplicit\", {}, {}", variable.entity, entities_.piece(variable.piece)), {});
}

void VariableTracker::add(const Described& variable, const Piece& piece, const std::string& pattern,
                          Operand reg) {
  Code& code = builder_.code();
  DebugPiece which{variable.entity, piece.offset, piece.size, {}};
  which.end = builder_.text().keep(fmt::format("pragma \"hsa.tools.debug.ref\", \"LocalImplicit\", {}, {}",
                                               variable.entity, entities_.piece(piece)));
  const auto number = static_cast<uint32_t>(code.debug_pieces.size());
  code.debug_pieces.push_back(which);
  Instruction& reference =
      builder_.append("pragma \"hsa.tools.debug.ref\", " + pattern, {}, Instruction::Form::reference);
  if (reg.uses()) reference.operands.push_back(reg);
  reference.operands.push_back(Operand::debug_piece(number));
}

}  // namespace heddle::compiler
