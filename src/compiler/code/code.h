// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code between LLVM IR and text: instructions of HSAIL in basic blocks, with virtual registers without limit,
// until allocation (compiler/registers) numbers them anew.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include "compiler/code/type.h"

namespace heddle::compiler {

/// The number of a register: an index into Code::registers before allocation, and the number in its name
/// after it.
using RegisterId = uint32_t;
inline constexpr RegisterId no_register = ~0U;

/// One operand of an instruction, or the head of a vector operand, whose elements are the next operands.
struct Operand {
  enum class Kind : uint8_t { definition, use, immediate, text, label, address, vector, debug_piece };

  Kind kind = Kind::immediate;
  Type type = Type::u32;  // of a register or immediate, as the instruction uses it
  // definition, use, address: the register, or no_register; label: the number of a block; vector: how many
  // elements follow; debug_piece: an index into Code::debug_pieces.
  uint32_t number = no_register;
  uint64_t value = 0;    // immediate: the bits of the value; address: the offset
  llvm::StringRef text;  // text: itself; address: the name of a variable, or empty

  static Operand definition(RegisterId id, Type type) { return {Kind::definition, type, id, 0, {}}; }
  static Operand use(RegisterId id, Type type) { return {Kind::use, type, id, 0, {}}; }
  static Operand immediate(uint64_t bits, Type type) {
    return {Kind::immediate, type, no_register, bits, {}};
  }
  static Operand verbatim(llvm::StringRef text) { return {Kind::text, Type::u32, no_register, 0, text}; }
  static Operand label(uint32_t block) { return {Kind::label, Type::u32, block, 0, {}}; }
  static Operand address(llvm::StringRef symbol, RegisterId id, Type type, int64_t offset) {
    return {Kind::address, type, id, static_cast<uint64_t>(offset), symbol};
  }
  static Operand debug_piece(uint32_t index) { return {Kind::debug_piece, Type::u32, index, 0, {}}; }
  static Operand vector(uint32_t elements) { return {Kind::vector, Type::u32, elements, 0, {}}; }

  bool defines() const { return kind == Kind::definition; }
  bool uses() const { return kind == Kind::use || (kind == Kind::address && number != no_register); }
};

/// One line of a code block.
struct Instruction {
  enum class Form : uint8_t {
    plain,   // mnemonic and operands, separated by commas
    copy,    // the same; a move from register to register, which vanishes if both get the same number
    line,    // the mnemonic is the whole line: braces of arg blocks, definitions in them, pragmas
    call,    // the mnemonic holds "%n" for operand n: calls, which have lists of their own
    branch,  // like plain; the operands that are labels are successors of the block
    // A pragma that says where a variable of the source is from here on (PRM 13.4.2.2.4). Its operands are
    // the register, if it names one as "%0", and the piece of the variable. The register stays live up to
    // here.
    reference,
  };

  llvm::StringRef mnemonic;  // lives as long as the Code
  Form form = Form::plain;
  bool removable = false;   // has no effect but its definitions
  bool for_branch = false;  // a comparison whose result only the branch at the end of the block uses
  llvm::SmallVector<Operand, 4> operands;
};

struct Block {
  std::vector<Instruction> instructions;
  llvm::SmallVector<uint32_t, 2> successors;
};

/// What a reference to a variable of the source is about: a variable, or some bits of it.
struct DebugPiece {
  uint64_t variable = 0;  // the number of its entity
  uint64_t offset = 0;    // in bits
  uint64_t size = 0;      // in bits; 0 for the whole variable
  llvm::StringRef end;    // the pragma after which it has no value

  bool operator==(const DebugPiece& other) const {
    return variable == other.variable && offset == other.offset && size == other.size;
  }
};

/// The code block of one kernel or function.
struct Code {
  std::vector<RegisterKind> registers;   // the kind of each virtual register
  std::vector<Block> blocks;             // in the order of the text; block 0 is the entry
  std::vector<std::string> directives;   // control directives and pragmas, without the semicolon
  std::vector<std::string> definitions;  // variables of the code block, without the semicolon
  std::vector<DebugPiece> debug_pieces;  // one for each reference

  RegisterId add_register(RegisterKind kind) {
    registers.push_back(kind);
    return static_cast<RegisterId>(registers.size() - 1);
  }
};

/// Whether the instruction is a move of a register to itself, which is not written.
inline bool is_copy_to_itself(const Instruction& instruction) {
  return instruction.form == Instruction::Form::copy && instruction.operands[1].kind == Operand::Kind::use &&
         instruction.operands[0].number == instruction.operands[1].number;
}

/// Turns a reference to a variable of the source into one that says that the variable has no value.
inline void end_variable(const Code& code, Instruction& reference) {
  assert(reference.form == Instruction::Form::reference);
  const Operand piece = reference.operands.back();
  reference.mnemonic = code.debug_pieces[piece.number].end;
  reference.operands.assign({piece});
}

}  // namespace heddle::compiler
