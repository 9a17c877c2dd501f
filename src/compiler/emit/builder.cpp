// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/builder.h"

#include <fmt/format.h>

namespace heddle::compiler {

std::string_view name(Address::Segment segment) {
  switch (segment) {
    case Address::Segment::global:
      return "global";
    case Address::Segment::group:
      return "group";
    case Address::Segment::private_:
      return "private";
    case Address::Segment::kernarg:
      return "kernarg";
    case Address::Segment::arg:
      return "arg";
    case Address::Segment::flat:
      break;
  }
  return "";
}

unsigned address_bits(Address::Segment segment) {
  return segment == Address::Segment::flat || segment == Address::Segment::global ||
                 segment == Address::Segment::kernarg
             ? 64
             : 32;
}

Operand Builder::source(Scalar value, Type type) const {
  if (value.is_register()) return Operand::use(value.id, type);
  if (!value.text.empty()) return Operand::verbatim(value.text);
  return Operand::immediate(value.bits, type);
}

Operand Builder::address(const Address& address) const {
  return Operand::address(address.symbol, address.id, unsigned_type(address_bits(address.segment)),
                          address.offset);
}

Instruction& Builder::append(std::string_view mnemonic, llvm::ArrayRef<Operand> operands,
                             Instruction::Form form) {
  Block& block = code_.blocks[block_];
  Instruction& instruction = block.instructions.emplace_back();
  instruction.mnemonic = text_.keep(llvm::StringRef(mnemonic));
  instruction.form = form;
  instruction.operands.append(operands.begin(), operands.end());
  return instruction;
}

Scalar Builder::compute(std::string_view mnemonic, Type result, llvm::ArrayRef<TypedScalar> sources) {
  const Scalar value = fresh(result);
  llvm::SmallVector<Operand, 4> operands{Operand::definition(value.id, result)};
  for (const TypedScalar& s : sources) operands.push_back(source(s.value, s.type));
  append(mnemonic, operands).removable = true;
  return value;
}

Scalar Builder::compute(std::string_view stem, Type type, std::initializer_list<Scalar> sources) {
  llvm::SmallVector<TypedScalar, 4> typed;
  for (const Scalar& s : sources) typed.push_back({s, type});
  return compute(fmt::format("{}_{}", stem, name(type)), type, typed);
}

Parts Builder::compute_vector(std::string_view mnemonic, Type result, unsigned number,
                              llvm::ArrayRef<TypedScalar> sources) {
  Parts results;
  llvm::SmallVector<Operand, 8> operands{Operand::vector(number)};
  for (unsigned i = 0; i < number; ++i) {
    results.push_back(fresh(result));
    operands.push_back(Operand::definition(results.back().id, result));
  }
  for (const TypedScalar& s : sources) operands.push_back(source(s.value, s.type));
  append(mnemonic, operands).removable = true;
  return results;
}

Scalar Builder::compare(std::string_view operation, Type type, Scalar first, Scalar second) {
  return compute(fmt::format("cmp_{}_b1_{}", operation, name(type)), Type::b1,
                 {{first, type}, {second, type}});
}

Scalar Builder::convert(Type to, Type from, Scalar value, std::string_view modifiers) {
  return compute(fmt::format("cvt_{}{}{}_{}", modifiers, modifiers.empty() ? "" : "_", name(to), name(from)),
                 to, {{value, from}});
}

Scalar Builder::shift(std::string_view stem, Type type, Scalar value, Scalar amount) {
  return compute(fmt::format("{}_{}", stem, name(type)), type, {{value, type}, {amount, Type::u32}});
}

Scalar Builder::select(Type type, Scalar condition, Scalar if_true, Scalar if_false) {
  const Type bit = bit_type(bits(type));
  if (condition.is_number()) return (condition.bits & 1) != 0 ? if_true : if_false;
  if (type == Type::b1 && if_true.is_number() && if_false.is_number() && (if_true.bits & 1) != 0)
    return (if_false.bits & 1) != 0 ? if_true : condition;
  if (type == Type::b1 && if_false.is_number() && (if_false.bits & 1) == 0)
    return compute("and", type, {condition, if_true});
  if (type == Type::b1 && if_true.is_number() && (if_true.bits & 1) != 0)
    return compute("or", type, {condition, if_false});
  return compute(fmt::format("cmov_{}", name(bit)), type,
                 {{condition, Type::b1}, {if_true, bit}, {if_false, bit}});
}

Scalar Builder::combine(Scalar low, Scalar high) {
  const Scalar result = fresh(Type::u64);
  append("combine_v2_b64_b32", {Operand::definition(result.id, Type::u64), Operand::vector(2),
                                source(low, Type::b32), source(high, Type::b32)})
      .removable = true;
  return result;
}

void Builder::copy(Scalar to, Scalar from, Type type) {
  const Type bit = bit_type(bits(type));
  Instruction& made = append(fmt::format("mov_{}", name(bit)),
                             {Operand::definition(to.id, type), source(from, bit)}, Instruction::Form::copy);
  made.removable = true;
}

void Builder::branch(uint32_t target) {
  append("br", {Operand::label(target)}, Instruction::Form::branch);
  code_.blocks[block_].successors.push_back(target);
}

RegisterId Builder::in_register(Scalar value, Type type) {
  if (value.is_register()) return value.id;
  const Scalar result = fresh(type);
  copy(result, value, type);
  return result.id;
}

Scalar Builder::bit_and(Type type, Scalar value, uint64_t mask) {
  if (value.is_number()) return Scalar::constant(value.bits & mask);
  return compute("and", bit_type(bits(type)), {value, Scalar::constant(mask)});
}

Scalar Builder::truncated(Scalar value, unsigned width) {
  return truncated(value, width, width <= 32 ? 32 : 64);
}

Scalar Builder::truncated(Scalar value, unsigned width, unsigned full) {
  if (width == full) return value;
  return bit_and(unsigned_type(full), value, (uint64_t{1} << width) - 1);
}

void Builder::note_piece(Scalar piece, Scalar word, unsigned place, unsigned width) {
  pieces_[piece.id] = {word.id, place, width};
}

Scalar Builder::word_of_pieces(llvm::ArrayRef<Scalar> pieces) const {
  const auto width = static_cast<unsigned>(32 / pieces.size());
  RegisterId word = no_register;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto found = pieces[i].is_register() ? pieces_.find(pieces[i].id) : pieces_.end();
    if (found == pieces_.end()) return {};
    const PieceOfWord& piece = found->second;
    if (piece.width != width || piece.place != i * width || (i != 0 && piece.word != word)) return {};
    word = piece.word;
  }
  return Scalar::in(word);
}

Scalar Builder::sign_extended(Scalar value, unsigned width) {
  return sign_extended(value, width, width <= 32 ? 32 : 64);
}

Scalar Builder::sign_extended(Scalar value, unsigned width, unsigned full) {
  if (value.is_number()) {
    const auto extended =
        static_cast<uint64_t>(static_cast<int64_t>(value.bits << (64 - width)) >> (64 - width));
    return Scalar::constant(full == 32 ? extended & 0xffffffffU : extended);
  }
  if (width == full) return value;
  const Type type = signed_type(full);
  return compute(fmt::format("bitextract_{}", name(type)), type,
                 {{value, type}, {Scalar::constant(0), Type::u32}, {Scalar::constant(width), Type::u32}});
}

}  // namespace heddle::compiler
