// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/code/print.h"

#include <iterator>

#include <fmt/format.h>

namespace heddle::compiler {

namespace {

void print_register(RegisterId id, Type type, std::string& text) {
  fmt::format_to(std::back_inserter(text), "${}{}", letter(register_kind(type)), id);
}

void print_address(const Operand& operand, std::string& text) {
  const auto offset = static_cast<int64_t>(operand.value);
  const bool has_register = operand.number != no_register;
  if (!operand.text.empty()) fmt::format_to(std::back_inserter(text), "[{}]", std::string_view(operand.text));
  if (!has_register && offset == 0 && !operand.text.empty()) return;
  text += '[';
  if (has_register) print_register(operand.number, operand.type, text);
  if (!has_register) {
    fmt::format_to(std::back_inserter(text), "{}", offset);
  } else if (offset != 0) {
    // The magnitude of the least integer is an unsigned number.
    const uint64_t magnitude = offset < 0 ? 0 - operand.value : operand.value;
    fmt::format_to(std::back_inserter(text), "{}{}", offset < 0 ? '-' : '+', magnitude);
  }
  text += ']';
}

class BlockPrinter {
 public:
  BlockPrinter(const Code& code, std::string& text)
      : code_(code), text_(text), used_labels_(code.blocks.size()) {
    for (uint32_t number = 0; number < code.blocks.size(); ++number) note_labels(number);
  }

  void print() {
    for (uint32_t number = 0; number < code_.blocks.size(); ++number) {
      if (used_labels_[number]) fmt::format_to(std::back_inserter(text_), "@b{}:\n", number);
      for (const Instruction& instruction : code_.blocks[number].instructions) {
        if (!is_void(instruction, number)) print(instruction);
      }
    }
  }

 private:
  // Whether the instruction does nothing in the block with this number: a copy to itself, or a branch to the
  // next block.
  static bool is_void(const Instruction& instruction, uint32_t number) {
    if (is_copy_to_itself(instruction)) return true;
    return instruction.form == Instruction::Form::branch && instruction.operands.size() == 1 &&
           instruction.operands[0].kind == Operand::Kind::label &&
           instruction.operands[0].number == number + 1;
  }

  void note_labels(uint32_t number) {
    for (const Instruction& instruction : code_.blocks[number].instructions) {
      if (instruction.form != Instruction::Form::branch || is_void(instruction, number)) continue;
      for (const Operand& operand : instruction.operands) {
        if (operand.kind == Operand::Kind::label) used_labels_[operand.number] = true;
      }
    }
  }

  void print(const Instruction& instruction) {
    text_ += "    ";
    if (instruction.form == Instruction::Form::line) {
      text_ += instruction.mnemonic;
    } else if (instruction.form == Instruction::Form::call ||
               instruction.form == Instruction::Form::reference) {
      print_call(instruction);
    } else {
      print_operands(instruction);
    }
    text_ += '\n';
  }

  void print_operands(const Instruction& instruction) {
    text_ += instruction.mnemonic;
    const char* separator = " ";
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      // There is no comma in front of the labels of sbr (PRM 8.1.3).
      const bool labels = instruction.operands[i].kind == Operand::Kind::vector &&
                          instruction.operands[i + 1].kind == Operand::Kind::label;
      text_ += labels ? " " : separator;
      separator = ", ";
      i = print_operand(instruction, i);
    }
    text_ += ';';
  }

  // The mnemonic of a call or reference holds "%n" where operand n stands; names of arguments begin with "%"
  // and a letter.
  void print_call(const Instruction& instruction) {
    const llvm::StringRef pattern = instruction.mnemonic;
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '%' && i + 1 < pattern.size() && pattern[i + 1] >= '0' && pattern[i + 1] <= '9') {
        print_operand(instruction, static_cast<size_t>(pattern[++i] - '0'));
      } else {
        text_ += pattern[i];
      }
    }
    text_ += ';';
  }

  // Prints the operand with the number `index`, and returns the number of its last element.
  size_t print_operand(const Instruction& instruction, size_t index) {
    const Operand& operand = instruction.operands[index];
    switch (operand.kind) {
      case Operand::Kind::definition:
      case Operand::Kind::use:
        print_register(operand.number, operand.type, text_);
        break;
      case Operand::Kind::immediate:
        print_constant(operand.value, operand.type, text_);
        break;
      case Operand::Kind::text:
        text_ += operand.text;
        break;
      case Operand::Kind::label:
        fmt::format_to(std::back_inserter(text_), "@b{}", operand.number);
        break;
      case Operand::Kind::address:
        print_address(operand, text_);
        break;
      case Operand::Kind::debug_piece:
        break;
      case Operand::Kind::vector:
        return print_vector(instruction, index);
    }
    return index;
  }

  size_t print_vector(const Instruction& instruction, size_t index) {
    // The list of labels of sbr has brackets; all other vectors have parentheses.
    const size_t last = index + instruction.operands[index].number;
    const bool labels = instruction.operands[index + 1].kind == Operand::Kind::label;
    text_ += labels ? '[' : '(';
    for (size_t i = index + 1; i <= last; ++i) {
      if (i != index + 1) text_ += ", ";
      print_operand(instruction, i);
    }
    text_ += labels ? ']' : ')';
    return last;
  }

  const Code& code_;
  std::string& text_;
  std::vector<bool> used_labels_;
};

}  // namespace

void print_constant(uint64_t value, Type type, std::string& text) {
  auto out = std::back_inserter(text);
  const unsigned width = bits(type);
  if (width < 64) value &= (uint64_t{1} << width) - 1;
  if (type == Type::f16) {
    fmt::format_to(out, "0h{:04x}", value);
  } else if (type == Type::f32) {
    fmt::format_to(out, "0f{:08x}", value);
  } else if (type == Type::f64) {
    fmt::format_to(out, "0d{:016x}", value);
  } else if (type >= Type::s8 && type <= Type::s64) {
    fmt::format_to(out, "{}", static_cast<int64_t>(value << (64 - width)) >> (64 - width));
  } else {
    fmt::format_to(out, "{}", value);
  }
}

void print(const Code& code, std::string& text) {
  text += "{\n";
  for (const std::string& directive : code.directives)
    fmt::format_to(std::back_inserter(text), "    {};\n", directive);
  for (const std::string& definition : code.definitions) {
    fmt::format_to(std::back_inserter(text), "    {};\n", definition);
  }
  BlockPrinter(code, text).print();
  text += "};\n";
}

}  // namespace heddle::compiler
