// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hsail/assemble/lexer.h"
#include "hsail/assemble/scope.h"
#include "hsail/assemble/source_map.h"
#include "hsail/brig/builder.h"
#include "hsail/isa/isa.h"
#include "support/diagnostic.h"

namespace heddle::assemble {

/// Recursive descent over the grammar of PRM 19.2, straight into a brig::Builder: one pass, no tree.
///
/// Checks what the grammar and the instruction tables say, and what could not be written down otherwise:
/// names, types of literals, ranges of numbers. All other rules are those of brig::Module::open(), which a
/// module can break however it was made.
///
/// Parse functions return false after they have reported an error; statement loops then skip to the end of
/// the statement and go on, so that one run finds many errors.
class Parser {
 public:
  /// `map`, if there is one, learns where the entries come from. It must outlive the parser.
  Parser(std::string_view source, Diagnostics& diagnostics, SourceMap* map = nullptr);

  /// Before parse_module(): adds loc directives with the positions in this file.
  void add_locations(std::string_view file);
  /// The whole module. After it, finish() gives the bytes unless there were errors.
  void parse_module();
  Result<std::vector<std::byte>> finish() { return builder_.finish(); }

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
  /// The entry of hsa_code that is added next begins at this token, or at the current one.
  void here(const Token& at) {
    if (map_ != nullptr) map_->add_entry(builder_.code_end(), at);
  }
  void here() { here(token_); }
  /// Its operand of this number, counted from 0 in the order of BRIG, begins at this token.
  void operand_here(size_t index, const Token& at) {
    if (map_ != nullptr) map_->add_operand_of(builder_.code_end(), static_cast<uint32_t>(index) + 1, at);
  }
  /// The entry of hsa_operand was made from this token. Returns it.
  brig::Offset made_from(const Token& at, brig::Offset operand) {
    if (map_ != nullptr) map_->add_operand(operand, at);
    return operand;
  }

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
  bool code_block(brig::Offset directive);

  struct VariableHead {
    unsigned align = 0;  // bytes, 0 = not said
    bool constant = false;
    bool agent = false;
    hsa_brig_segment_t segment = HSA_BRIG_SEGMENT_NONE;
    isa::Type type = 0;
    bool array = false;
    uint64_t dimension = 0;
  };
  bool variable_qualifiers(VariableHead& head);
  bool segment_and_type(VariableHead& head);
  bool array_dimension(VariableHead& head);
  static hsa_brig_directive_variable_t variable_entry(const VariableHead& head);
  struct FormalKind {
    hsa_brig_linkage8_t linkage;
    bool name_optional;
  };
  bool formal(const FormalKind& kind);
  bool formals(const FormalKind& kind, unsigned& count);
  Entity* declare(const Token& name, EntityKind kind, bool definition);
  bool at_name() const {
    return token_.kind == TokenKind::global_identifier || token_.kind == TokenKind::local_identifier;
  }
  bool expect_name();

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
  bool block_entry();
  bool at_definition() const;
  bool label_statement();

  // ---- instructions (parse_instruction.cpp) ------------------------------------------------------
  const isa::Mnemonic* known_mnemonic();
  const isa::Mnemonic* new_mnemonic();
  /// `parsed` is what known_mnemonic() gave for the current word.
  bool instruction(const isa::Mnemonic* parsed);
  bool check_rules(const Token& at, const isa::Mnemonic& mnemonic);
  /// `index`: of the operand in BRIG.
  bool operand(const isa::Operand& wanted, size_t index, const isa::Fields& fields, brig::Offset& out);
  bool vector_operand(const isa::Operand& operand, const isa::Fields& fields, unsigned elements,
                      brig::Offset& out);
  bool source(const isa::Operand& operand, const isa::Fields& fields, brig::Offset& out);
  bool register_operand(isa::Type expected, brig::Offset& out);
  bool address(size_t index, const isa::Fields& fields, brig::Offset& out);
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
    Token at;            // where it begins
    isa::Type type = 0;  // NONE for an aggregate
    std::vector<std::byte> bytes;
    std::vector<brig::Offset> elements;  // operands of a list that is not all bytes
    brig::Offset operand = 0;            // expressions, images, samplers: already an operand
    uint64_t size = 0;                   // bytes of the value
    bool is_list = false;                // aggregate, or array with elements that are no plain bytes
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
  bool constant_of_type(isa::Type type, Constant& out);
  bool aggregate(Constant& out);
  bool aggregate_filling(Constant& out);
  bool aggregate_item(Constant& out);
  bool check_constant_type(const Token& at, isa::Type expected, const Constant& constant);
  bool property_value(unsigned names, std::string_view what, unsigned& value);
  brig::Offset add_constant(const Constant& constant);
  bool initializer(const VariableHead& head, Constant& out);
  bool integer_literal_value(uint64_t& value, std::string_view what, uint64_t maximum = UINT64_MAX);

  Diagnostics& diagnostics_;
  SourceMap* map_;
  Lexer lexer_;
  Token token_;
  std::vector<Comment> comments_;  // read ahead, not yet written
  brig::Builder builder_;
  Scopes scopes_;
  isa::Environment environment_;
  bool in_code_block_ = false;
  bool in_argument_block_ = false;
  brig::Offset file_name_ = 0;    // of the last loc
  brig::Offset source_name_ = 0;  // of the loc directives that are added; 0: none are
  uint32_t located_line_ = 0;     // of the last one
  static constexpr unsigned registers_per_kind = 2048;
  std::vector<brig::Offset> registers_ =
      std::vector<brig::Offset>(4 * registers_per_kind);  // operands made so far, 0: none
  std::unordered_map<std::string_view, isa::Mnemonic> mnemonics_;
  std::vector<brig::Offset> operand_scratch_;
};

}  // namespace heddle::assemble
