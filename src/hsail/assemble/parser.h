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

/// Parses the grammar of PRM 19.2 by recursive descent, in one pass and without a syntax tree: entries go
/// straight into a brig::Builder.
///
/// Checks the rules of the grammar and of the instruction tables, and the rules whose violation BRIG could
/// not represent, such as those for names that are not declared, types of literals and ranges of numbers. All
/// other rules also apply to BRIG from other producers, so brig::Module::open() checks them. The parser
/// tests one of these rules, too: that a name, unless it is a label, stands for one object only. Uses of the
/// name are judged by the kind and segment of that object, here and in checks of open() that precede those of
/// names. If the parser went on, wrong uses could be all that is reported, and not the second definition that
/// causes them.
///
/// Parse functions return false after they have reported an error. The loops over statements then skip to the
/// end of the statement and continue, so that one run finds many errors.
class Parser {
 public:
  /// Records in `map`, unless it is null, where the entries come from. `map` must outlive the parser.
  Parser(std::string_view source, Diagnostics& diagnostics, SourceMap* map = nullptr);

  /// Makes the parser add loc directives with positions in `file`. Must be called before parse_module().
  void add_locations(std::string_view file);
  /// Makes the parser encode what BRIG 1.0 encodes in another way for readers of BRIG 1.`minor`, or of an
  /// earlier version if the module directive names one. Must be called before parse_module().
  void write_version(unsigned minor) { brig_minor_ = minor; }
  /// Parses the whole module. Afterwards, unless errors were reported, finish() returns its bytes.
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
  /// Skips the rest of a broken statement and stops after its `;`, or before a `}` or the end of the text.
  void recover();
  /// Skips the rest of a broken statement of the module, including the braces of its code block.
  void recover_module_statement();
  /// Records that the next entry of hsa_code begins at the token `at`, or at the current token.
  void here(const Token& at) {
    if (map_ != nullptr) map_->add_entry(builder_.code_end(), at);
  }
  void here() { here(token_); }
  /// Records that operand `index`, counted from 0 in the order of BRIG, of the next entry of hsa_code begins
  /// at the token `at`; or, if `part` is not 0, that this part of the operand does (Location::part).
  void operand_here(size_t index, const Token& at, size_t part = 0) {
    if (map_ != nullptr)
      map_->add_operand_of(builder_.code_end(), static_cast<uint32_t>(index) + 1, at,
                           static_cast<uint32_t>(part));
  }
  /// Records that the entry `operand` of hsa_operand was made from the token `at`. Returns `operand`.
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
    unsigned align = 0;  // bytes, 0 = not specified
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
  /// Parses the comments and the loc, pad and pragma directives at the current token. Never fails: errors are
  /// reported and the directive is skipped.
  void annotations();
  void flush_comments();
  bool location_directive();
  void locate_statement();  // adds a loc for the statement at the current token if requested
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
  /// `parsed` is the result of known_mnemonic() for the current word.
  bool instruction(const isa::Mnemonic* parsed);
  bool check_rules(const Token& at, const isa::Mnemonic& mnemonic);
  /// `index` counts the operands of the instruction from 0 in the order of BRIG.
  bool operand(const isa::Operand& wanted, size_t index, const isa::Fields& fields, brig::Offset& out);
  bool vector_operand(const isa::Operand& operand, size_t index, const isa::Fields& fields, unsigned elements,
                      brig::Offset& out);
  bool source(const isa::Operand& operand, const isa::Fields& fields, brig::Offset& out);
  bool register_operand(brig::Offset& out);
  bool address(size_t index, const isa::Fields& fields, brig::Offset& out);
  bool address_bracket(size_t index, unsigned bits, brig::Offset& reg, uint64_t& offset);
  bool reference(brig::Offset& out, std::initializer_list<EntityKind> kinds, std::string_view wanted);
  bool reference_list(char open, char close, bool may_be_empty, std::initializer_list<EntityKind> kinds,
                      std::string_view wanted, brig::Offset& out);
  bool label_reference(brig::Symbol& out);
  bool label_list(brig::Offset& out);
  Entity* resolve(const Token& name);

  // ---- constants (parse_constant.cpp) ------------------------------------------------------------
  /// A constant that has been parsed but may not be an operand entry yet: its bytes, or the operand if the
  /// bytes are not known before load time.
  struct Constant {
    Token at;            // where it begins
    isa::Type type = 0;  // NONE for an aggregate
    std::vector<std::byte> bytes;
    std::vector<brig::Offset> elements;  // operands of a list that is not bytes only
    brig::Offset operand = 0;            // expressions, images, samplers: already an operand
    uint64_t size = 0;                   // bytes of the value
    bool is_list = false;                // aggregate, or a constant with elements that are not plain bytes
  };
  bool at_constant() const;
  bool at_expression() const;  // addr(...) or one of the null pointers
  /// Parses a constant where a value of type `expected` is needed (PRM Table 4-1). If `expected` is NONE, any
  /// constant is accepted and an untyped integer becomes a u64.
  bool constant(isa::Type expected, Constant& out);
  bool integer_value(uint64_t& value, bool& negative);
  /// Parses an integer or floating-point literal with an optional sign.
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
  unsigned brig_minor_ = HSA_BRIG_VERSION_BRIG_MINOR;
  bool writes_1_0_ = false;  // only what readers of 1.0 know: unsigned constants for bit types, named formals
  bool in_code_block_ = false;
  bool in_argument_block_ = false;
  brig::Offset file_name_ = 0;    // of the last loc
  brig::Offset source_name_ = 0;  // file name for the loc directives to add; 0: add none
  uint32_t located_line_ = 0;     // line of the last loc that was added
  static constexpr unsigned registers_per_kind = 2048;
  std::vector<brig::Offset> registers_ =
      std::vector<brig::Offset>(4 * registers_per_kind);  // operand of each register, 0: not made yet
  std::unordered_map<std::string_view, isa::Mnemonic> mnemonics_;
  std::vector<brig::Offset> operand_scratch_;
};

}  // namespace heddle::assemble
