// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <string_view>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>

#include "compiler/code/code.h"
#include "compiler/code/text.h"

namespace heddle::compiler {

/// A value that an instruction can read: a register, or a constant, which is a number or text such as
/// "addr(&f)".
struct Scalar {
  RegisterId id = no_register;
  uint64_t bits = 0;
  llvm::StringRef text;

  static Scalar in(RegisterId id) { return {id, 0, {}}; }
  static Scalar constant(uint64_t bits) { return {no_register, bits, {}}; }
  static Scalar verbatim(llvm::StringRef text) { return {no_register, 0, text}; }

  bool is_register() const { return id != no_register; }
  bool is_number() const { return id == no_register && text.empty(); }
  bool is_number(uint64_t value) const { return is_number() && bits == value; }
};

/// The parts of a value, in the order of its Layout.
using Parts = llvm::SmallVector<Scalar, 4>;

/// A source of an instruction, and the type that the instruction reads it as.
struct TypedScalar {
  Scalar value;
  Type type;
};

/// Where an access to memory goes. Addresses without a register and with a number for `symbol` do not occur.
struct Address {
  enum class Segment : uint8_t { flat, global, group, private_, kernarg, arg };

  Segment segment = Segment::flat;
  bool constant = false;   // nothing writes there during a dispatch
  llvm::StringRef symbol;  // a variable with its sigil, or empty
  RegisterId id = no_register;
  int64_t offset = 0;
};

/// Returns the name of a segment as modifier, "" for flat.
std::string_view name(Address::Segment segment);

/// Returns the bits of addresses in a segment (PRM 2.9, large model).
unsigned address_bits(Address::Segment segment);

/// Appends instructions to a block.
class Builder {
 public:
  Builder(Code& code, Text& text) : code_(code), text_(text) {}

  void go_to(uint32_t block) { block_ = block; }
  uint32_t block() const { return block_; }
  Code& code() { return code_; }
  Text& text() { return text_; }

  Scalar fresh(Type type) { return Scalar::in(code_.add_register(register_kind(type))); }

  /// An instruction without effects but its result: `mnemonic` with its types, and its sources.
  Scalar compute(std::string_view mnemonic, Type result, llvm::ArrayRef<TypedScalar> sources);
  /// The same; the mnemonic is `stem` and `type`, which is also the type of the result and of all sources.
  Scalar compute(std::string_view stem, Type type, std::initializer_list<Scalar> sources);
  /// cmp_OPERATION_b1_TYPE.
  Scalar compare(std::string_view operation, Type type, Scalar first, Scalar second);
  /// cvt_TO_FROM, with the modifiers in front of the types, if any.
  Scalar convert(Type to, Type from, Scalar value, std::string_view modifiers = {});
  /// shl or shr; the amount is a u32.
  Scalar shift(std::string_view stem, Type type, Scalar value, Scalar amount);
  /// cmov; the type is that of the parts of a Layout.
  Scalar select(Type type, Scalar condition, Scalar if_true, Scalar if_false);
  /// The u64 of two u32.
  Scalar combine(Scalar low, Scalar high);
  /// `number` results of one instruction: mnemonic (r0, r1, ...), sources.
  Parts compute_vector(std::string_view mnemonic, Type result, unsigned number,
                       llvm::ArrayRef<TypedScalar> sources);

  /// An instruction with effects; operands as they are.
  Instruction& append(std::string_view mnemonic, llvm::ArrayRef<Operand> operands,
                      Instruction::Form form = Instruction::Form::plain);
  /// A copy to a register, which has been defined before or will be defined again.
  void copy(Scalar to, Scalar from, Type type);
  void branch(uint32_t target);

  /// Returns the value in a register: itself, or a new one for a constant.
  RegisterId in_register(Scalar value, Type type);
  Operand source(Scalar value, Type type) const;
  Operand address(const Address& address) const;

  // Shorthands for what many translations need. Each folds constants.
  Scalar bit_and(Type type, Scalar value, uint64_t mask);
  /// Clears what lies above `width` bits in a register of `full` bits, without it of 32 for widths up to 32.
  Scalar truncated(Scalar value, unsigned width);
  Scalar truncated(Scalar value, unsigned width, unsigned full);
  /// Says that a register holds `width` bits of a word, from the bit `place` on.
  void note_piece(Scalar piece, Scalar word, unsigned place, unsigned width);
  /// The word that was taken apart into these pieces of equal width, least significant first; no register if
  /// there is none.
  Scalar word_of_pieces(llvm::ArrayRef<Scalar> pieces) const;
  /// Extends the sign of `width` bits to the whole register.
  Scalar sign_extended(Scalar value, unsigned width);
  Scalar sign_extended(Scalar value, unsigned width, unsigned full);

 private:
  struct PieceOfWord {
    RegisterId word;
    unsigned place;
    unsigned width;
  };

  Code& code_;
  Text& text_;
  uint32_t block_ = 0;
  llvm::DenseMap<RegisterId, PieceOfWord> pieces_;
};

}  // namespace heddle::compiler
