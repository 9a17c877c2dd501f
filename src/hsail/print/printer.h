// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hsail/brig/instruction_table.h"
#include "hsail/brig/module.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/isa.h"
#include "hsail/print/print.h"

namespace heddle::print {

using brig::Offset;

/// Appends the text of entries to one buffer.
class Printer {
 public:
  Printer(const brig::Module& module, const PrintOptions& options) : module_(module), options_(options) {}

  /// Prints all entries.
  void print_module();
  /// Prints one entry without its line end; leaves out the code block of an executable.
  void print_entry(Offset at);
  std::string take() { return std::move(out_); }

 private:
  /// The parts of the text that are the same for all instructions with equal fixed parts.
  struct Form {
    struct Slot {
      uint8_t index = 0;   // in the operand list of BRIG
      bool comma = false;  // before it, in text
      isa::OperandKind kind{};
      isa::Type type = 0;  // of a value
    };
    uint32_t mnemonic_at = 0;  // in mnemonics_
    uint8_t mnemonic_length = 0;
    uint8_t segment = 0;
    uint8_t slot_count = 0;
    std::array<Slot, 5> slots{};  // in the order of the text
  };
  /// The context of a constant, which decides the type of a literal that is printed without its type.
  enum class Context : uint8_t {
    value,    // instruction operands and initializers of the expected type
    pragma,   // integer literals are u64
    element,  // elements of an array or packed constant, which gives the type
    typed,    // elements of an aggregate, which always need their type
  };
  struct Place {
    Context context;
    isa::Type expected = HSA_BRIG_TYPE_NONE;
  };

  // ---- directives: print.cpp ----
  void print_line(Offset at);
  void print_code_block(Offset executable);
  void end_line(Offset at);
  void start_line() { out_.append(size_t{depth_} * options_.indent, ' '); }
  void print_directive(Offset at);
  void print_header(Offset at);
  void print_executable(Offset at);
  void print_formals(Offset executable, bool outputs);
  void print_variable(Offset at, bool is_formal);
  void print_fbarrier(Offset at);
  void print_loc(Offset at);
  void print_comment(Offset at);
  void print_control(Offset at);
  void print_pragma(Offset at);
  void print_extension(Offset at);
  void print_linkage(bool is_definition, unsigned linkage);

  // ---- constants: print_constant.cpp ----
  void print_constant(Offset operand, Place place);
  void print_initializer(Offset operand, isa::Type type);
  void print_bytes(isa::Type type, std::span<const std::byte> bytes, Place place);
  void print_array(isa::Type element, std::span<const std::byte> bytes);
  void print_packed(isa::Type type, std::span<const std::byte> bytes);
  void print_integer(isa::Type type, std::span<const std::byte> bytes);
  void print_float(isa::Type type, std::span<const std::byte> bytes);
  void print_expression(Offset operand, Place place);
  void print_constant_list(Offset operand);
  void print_elements(Offset list, Place place);
  void print_image(Offset operand);
  void print_sampler(Offset operand);
  bool literal_suffices(isa::Type type, bool negative, Place place) const;

  // ---- instructions: print_instruction.cpp ----
  void print_instruction(Offset at);
  const Form& form_of(Offset at);
  Form make_form(Offset at);
  void print_operand(Offset operand, const Form::Slot& slot, const Form& form);
  void print_value(Offset operand, isa::Type expected);
  void print_register(Offset operand);
  void print_address(Offset operand, unsigned segment);
  void print_code_list(Offset operand, char open, char close);

  // ---- text ----
  void put(char c) { out_ += c; }
  void put(std::string_view text) { out_ += text; }
  void put_number(uint64_t value);
  void put_signed(int64_t value);
  void put_hex(uint64_t value, unsigned digits);
  void put_string(std::string_view text);  // as a string literal
  void put_note(std::string_view text);    // adds to the comment at the end of the line

  const brig::Module& module_;
  bool is_1_0_ = false;  ///< whether the module directive says 1.0
  const PrintOptions options_;
  std::string out_;
  std::string note_;
  unsigned depth_ = 0;
  std::string_view file_;  // of the last loc
  brig::InstructionTable<Form> forms_;
  std::string mnemonics_;
};

}  // namespace heddle::print
