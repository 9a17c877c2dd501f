// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hsail/assemble/lexer.h"
#include "hsail/assemble/scope.h"
#include "hsail/brig/builder.h"
#include "hsail/isa/isa.h"
#include "support/diagnostic.h"

namespace heddle::assemble {

/// Recursive descent over the grammar of PRM 19.2, straight into a brig::Builder: one pass, no tree.
///
/// Parse functions return false after they have reported an error; statement loops then skip to the end of
/// the statement and go on, so that one run finds many errors.
class Parser {
 public:
  Parser(std::string_view source, Diagnostics& diagnostics);

  /// Before parse_module(): adds loc directives with the positions in this file.
  void add_locations(std::string_view file);
  /// The whole module. After it, finish() gives the bytes unless there were errors.
  void parse_module();
  Result<std::vector<std::byte>> finish() { return builder_.finish(); }

  /// Text position of the code entry at or before `code_offset`; unknown if there is none.
  Location location_of(brig::Offset code_offset) const;

 private:
  // ---- tokens (parse_module.cpp) -----------------------------------------------------------------
  void advance() { token_ = lexer_.next(comments_); }
  bool accept(char c);
  bool accept_word(std::string_view word);
  bool expect(char c, std::string_view where);
  bool fail(std::string id, const Token& at, std::string message);
  bool unexpected(std::string_view wanted);
  /// Skips the rest of a broken statement: behind its `;`, or before a `}` or the end.
  void recover();
  /// recover() for statements of the module, whose code blocks have braces.
  void recover_module_statement();
  void here();  // remembers the text position of the entry that is added next

  // ---- module and its statements (parse_module.cpp) ----------------------------------------------
  bool module_header();
  bool extension();
  void module_statement();
  bool module_statement_body();
  struct Qualifiers {
    bool declaration = false;
    bool program = false;
  };
  bool variable(const Qualifiers& qualifiers);
  bool fbarrier(const Qualifiers& qualifiers);
  bool executable(const Qualifiers& qualifiers, EntityKind kind);
  bool code_block(brig::Offset directive, const Token& name);

  struct VariableHead {
    unsigned align = 0;  // bytes, 0 = not said
    bool constant = false;
    bool agent = false;
    hsa_brig_segment_t segment = HSA_BRIG_SEGMENT_NONE;
    isa::Type type = 0;
    Token name;
    bool named = false;
    bool array = false;
    uint64_t dimension = 0;
  };
  bool variable_qualifiers(VariableHead& head);
  bool segment_and_type(VariableHead& head);
  bool array_dimension(VariableHead& head);
  bool check_alignment(const VariableHead& head, const Token& at, unsigned& align);
  struct FormalKind {
    hsa_brig_segment_t segment;
    hsa_brig_linkage8_t linkage;
    FormalRole role;
    bool name_optional;
  };
  bool formal(const FormalKind& kind);
  bool formals(const FormalKind& kind, unsigned& count);
  Entity* declare(const Token& name, EntityKind kind, bool definition);
  bool check_name_scope(const Token& name);

  // ---- annotations and code blocks (parse_statement.cpp) -----------------------------------------
  /// Comments, loc, pad and pragma at this place. Never fails: what is wrong is reported and skipped.
  void annotations();
  void flush_comments();
  bool location_directive();
  void locate_statement();  // a loc for the statement at the current token, if they are wanted
  bool pad();
  bool pragma();
  bool pragma_operand(std::vector<brig::Offset>& operands);
  bool control();
  bool control_value(isa::Type type, std::vector<brig::Offset>& operands);
  bool block_statement();
  bool argument_block();
  void block_body();
  bool label_statement();

  // ---- instructions (parse_instruction.cpp) ------------------------------------------------------
  const isa::Mnemonic* known_mnemonic();
  const isa::Mnemonic* new_mnemonic();
  /// `parsed` is what known_mnemonic() gave for the current word.
  bool instruction(const isa::Mnemonic* parsed);
  bool check_rules(const Token& at, const isa::Mnemonic& mnemonic);
  bool operand(const isa::Operand& operand, const isa::Fields& fields, brig::Offset& out);
  bool vector_operand(const isa::Operand& operand, const isa::Fields& fields, unsigned elements,
                      brig::Offset& out);
  bool source(const isa::Operand& operand, const isa::Fields& fields, brig::Offset& out);
  bool register_operand(isa::Type expected, brig::Offset& out);
  bool address(const isa::Fields& fields, brig::Offset& out);
  bool address_bracket(unsigned bits, brig::Offset& reg, uint64_t& offset);
  bool reference(brig::Offset& out, std::initializer_list<EntityKind> kinds, std::string_view wanted);
  bool reference_list(char open, char close, bool may_be_empty, std::initializer_list<EntityKind> kinds,
                      std::string_view wanted, brig::Offset& out);
  bool label_reference(brig::Symbol& out);
  bool label_list(brig::Offset& out);
  Entity* resolve(const Token& name);

  // ---- constants (parse_constant.cpp) ------------------------------------------------------------
  /// A constant before it is written down: its bytes, or an operand for what has no bytes yet.
  struct Constant {
    isa::Type type = 0;  // NONE for an aggregate
    std::vector<std::byte> bytes;
    std::vector<brig::Offset> elements;  // operands of a list that is not all bytes
    brig::Offset operand = 0;            // expressions, images, samplers: already an operand
    uint64_t size = 0;                   // bytes of the value
    bool is_list = false;                // aggregate, or array with elements that are no plain bytes
    bool has_image_or_sampler = false;   // somewhere in it
  };
  bool at_constant() const;
  bool at_expression() const;  // addr(...) or one of the null pointers
  /// A constant where a value of type `expected` is wanted (PRM Table 4-1); NONE: anything, integers become
  /// u64.
  bool constant(isa::Type expected, Constant& out);
  bool integer_value(uint64_t& value, bool& negative);
  /// An integer or floating-point literal with an optional sign.
  bool literal(isa::Type expected, Constant& out);
  bool expression(isa::Type expected, Constant& out);
  bool typed_constant(Constant& out);
  bool scalar_typed(isa::Type type, Constant& out);
  bool signal_typed(isa::Type type, Constant& out);
  bool packed_typed(isa::Type type, Constant& out);
  bool array_typed(isa::Type element, Constant& out);
  bool image_typed(isa::Type type, Constant& out);
  bool sampler_typed(isa::Type type, Constant& out);
  bool aggregate(Constant& out);
  bool check_constant_type(const Token& at, isa::Type expected, const Constant& constant);
  bool property_value(unsigned names, std::string_view what, unsigned& value);
  brig::Offset add_constant(const Constant& constant);
  bool initializer(const VariableHead& head, Constant& out);
  bool integer_literal_value(uint64_t& value, std::string_view what, uint64_t maximum = UINT64_MAX);

  // ---- rules that the grammar does not show (rules.cpp) ------------------------------------------
  /// Types that this module must not name: images without the extension, f64 in the base profile, the other
  /// model's signals.
  bool check_type(const Token& at, isa::Type type);
  bool check_variable_segment(const Token& at, const VariableHead& head);
  bool check_handle_initializer(const Token& at, const VariableHead& head, const Constant& value);
  bool check_image_order(const Token& at, unsigned geometry, unsigned order);
  bool check_extension(const Token& at, std::string_view name, uint64_t major, uint64_t minor);
  /// What a load or store does with the variable it names.
  bool check_access(const Token& at, const Entity& variable, const isa::Fields& fields);
  bool check_address_target(const Token& at, const Entity& target);
  bool check_register_count(const Token& executable);
  void check_declarations();

  Diagnostics& diagnostics_;
  Lexer lexer_;
  Token token_;
  std::vector<Comment> comments_;  // read ahead, not yet written
  brig::Builder builder_;
  Scopes scopes_;
  isa::Environment environment_;
  bool module_seen_ = false;
  bool statements_seen_ = false;
  bool in_code_block_ = false;
  bool in_argument_block_ = false;
  bool initialized_by_program_ =
      false;  // the constant that is read initializes a variable of program allocation
  unsigned calls_in_block_ = 0;
  brig::Offset file_name_ = 0;    // of the last loc
  brig::Offset source_name_ = 0;  // of the loc directives that are added; 0: none are
  uint32_t located_line_ = 0;     // of the last one
  // By hsa_brig_register_kind_t; of the code block that is read; -1: none used.
  std::array<int, 4> highest_register_{};
  static constexpr unsigned registers_per_kind = 2048;
  std::vector<brig::Offset> registers_ =
      std::vector<brig::Offset>(4 * registers_per_kind);  // operands made so far, 0: none
  struct Extension {
    std::string name;
    uint64_t major, minor;
  };
  std::vector<Extension> extensions_;
  std::vector<const Entity*> must_be_defined_;  // declarations with module linkage
  std::unordered_map<std::string_view, isa::Mnemonic> mnemonics_;
  std::vector<brig::Offset> operand_scratch_;
  struct Place {
    brig::Offset code;
    uint32_t line, column, length;
  };
  std::vector<Place> places_;
};

}  // namespace heddle::assemble
