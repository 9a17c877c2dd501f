// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module scope: header, extensions, variables, fbarriers, kernels, functions, signatures
// (PRM 4.2, 4.3, 19.2).
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/assemble/literal.h"
#include "hsail/assemble/parser.h"
#include "hsail/isa/names.h"

namespace heddle::assemble {

Parser::Parser(std::string_view source, Diagnostics& diagnostics, SourceMap* map)
    : diagnostics_(diagnostics), map_(map), lexer_(source, diagnostics) {
  scopes_.enter(Scopes::module_scope);
  environment_.image_extension = false;
  advance();
}

// ---- tokens --------------------------------------------------------------------------------------

bool Parser::accept(char c) {
  if (!token_.is(c)) return false;
  advance();
  return true;
}

bool Parser::accept_word(std::string_view word) {
  if (!token_.is_word(word)) return false;
  advance();
  return true;
}

bool Parser::fail(std::string id, const Token& at, std::string message) {
  // The lexer has already reported a token that it could not read.
  if (at.kind != TokenKind::invalid) diagnostics_.error(std::move(id), at.location(), std::move(message));
  return false;
}

bool Parser::unexpected(std::string_view wanted) {
  if (token_.kind == TokenKind::end)
    return fail("HSAIL-19.2-syntax", token_, fmt::format("{} expected before the end", wanted));
  return fail("HSAIL-19.2-syntax", token_, fmt::format("{} expected, not '{}'", wanted, token_.text));
}

bool Parser::expect(char c, std::string_view where) {
  if (accept(c)) return true;
  return unexpected(fmt::format("'{}' {}", c, where));
}

void Parser::recover() {
  unsigned depth = 0;
  while (token_.kind != TokenKind::end) {
    if (depth == 0 && token_.is('}')) return;
    if (token_.is('{')) ++depth;
    if (token_.is('}')) --depth;
    bool done = depth == 0 && token_.is(';');
    advance();
    if (done) return;
  }
}

void Parser::recover_module_statement() {
  unsigned depth = 0;
  while (token_.kind != TokenKind::end) {
    if (token_.is('{')) ++depth;
    if (token_.is('}') && depth != 0) --depth;
    bool done = depth == 0 && token_.is(';');
    advance();
    if (done) return;
  }
}

// ---- the module ----------------------------------------------------------------------------------

void Parser::parse_module() {
  annotations();
  if (!module_header()) return;
  annotations();
  while (token_.kind != TokenKind::end && !diagnostics_.limit_reached()) {
    module_statement();
    annotations();
  }
}

bool Parser::module_header() {
  here();
  if (!accept_word("module"))
    return unexpected("the module header (module &name:1:2:$full:$large:$default;)");
  hsa_brig_directive_module_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_MODULE;
  Token name = token_;
  if (token_.kind != TokenKind::global_identifier) return unexpected("the name of the module (&name)");
  entry.name = builder_.add_string(token_.text);
  advance();

  uint64_t major = 0, minor = 0;
  Token version = token_;
  if (!expect(':', "behind the name of the module")) return false;
  version = token_;
  if (!integer_literal_value(major, "the major version", UINT32_MAX) ||
      !expect(':', "behind the major version") ||
      !integer_literal_value(minor, "the minor version", UINT32_MAX) ||
      !expect(':', "behind the minor version"))
    return false;
  if (major != HSA_BRIG_VERSION_HSAIL_MAJOR || minor > HSA_BRIG_VERSION_HSAIL_MINOR)
    return fail("HSAIL-14.1-version", version,
                fmt::format("HSAIL {}.{} is not supported, only 1.0 to 1.{}", major, minor,
                            static_cast<unsigned>(HSA_BRIG_VERSION_HSAIL_MINOR)));
  entry.hsail_major = static_cast<uint32_t>(major);
  entry.hsail_minor = static_cast<uint32_t>(minor);

  struct Choice {
    std::string_view word;
    uint8_t value;
  };
  auto choose = [this](std::initializer_list<Choice> choices, std::string_view wanted, uint8_t& value) {
    if (token_.kind == TokenKind::profile_word)
      for (const Choice& choice : choices)
        if (token_.text == choice.word) {
          value = choice.value;
          advance();
          return true;
        }
    return unexpected(wanted);
  };
  if (!choose({{"$full", HSA_BRIG_PROFILE_FULL}, {"$base", HSA_BRIG_PROFILE_BASE}}, "$full or $base",
              entry.profile) ||
      !expect(':', "behind the profile") ||
      !choose({{"$large", HSA_BRIG_MACHINE_MODEL_LARGE}, {"$small", HSA_BRIG_MACHINE_MODEL_SMALL}},
              "$large or $small", entry.machine_model) ||
      !expect(':', "behind the machine model") ||
      !choose({{"$default", HSA_BRIG_ROUND_FLOAT_DEFAULT},
               {"$near", HSA_BRIG_ROUND_FLOAT_NEAR_EVEN},
               {"$zero", HSA_BRIG_ROUND_FLOAT_ZERO}},
              "$default, $near or $zero", entry.default_float_round) ||
      !expect(';', "behind the module header"))
    return false;

  environment_.machine_model = entry.machine_model;
  environment_.profile = entry.profile;
  environment_.hsail_minor = entry.hsail_minor;
  writes_1_0_ = std::min<unsigned>(entry.hsail_minor, brig_minor_) == 0;
  brig::Offset place = builder_.add_code(entry);
  Entity module;
  module.kind = EntityKind::module;
  module.symbol = builder_.new_symbol();
  module.defined = true;
  module.first = name.location();
  builder_.define(module.symbol, place);
  scopes_.add(Scopes::module_scope, name.text, std::move(module));
  return true;
}

bool Parser::extension() {
  here();
  advance();
  if (token_.kind != TokenKind::string) return unexpected("the name of the extension, a string,");
  auto name = string_literal(token_.text);
  if (!name) return fail("HSAIL-4.5-string-escape", token_, "malformed escape in string");
  if (*name == "IMAGE") environment_.image_extension = true;
  advance();
  if (accept(':')) {
    hsa_brig_directive_extension_version_t entry{};
    entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION;
    uint64_t major = 0, minor = 0;
    if (!integer_literal_value(major, "the major version", UINT32_MAX) ||
        !expect(':', "behind the major version") ||
        !integer_literal_value(minor, "the minor version", UINT32_MAX))
      return false;
    entry.name = builder_.add_string(*name);
    entry.extension_major = static_cast<uint32_t>(major);
    entry.extension_minor = static_cast<uint32_t>(minor);
    builder_.add_code(entry);
  } else {
    hsa_brig_directive_extension_t entry{};
    entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_EXTENSION;
    entry.name = builder_.add_string(*name);
    builder_.add_code(entry);
  }
  return expect(';', "behind the extension");
}

void Parser::module_statement() {
  bool ok = token_.is_word("extension") ? extension() : module_statement_body();
  if (!ok) {
    while (scopes_.depth() != Scopes::module_scope) scopes_.leave();
    scopes_.clear_labels();
    in_code_block_ = in_argument_block_ = false;
    recover_module_statement();
  }
}

bool Parser::module_statement_body() {
  for (const std::string_view word : {"kernel", "function", "indirect", "prog"})
    if (token_.is_word(word)) locate_statement();
  here();
  Qualifiers qualifiers;
  qualifiers.declaration = accept_word("decl");
  qualifiers.program = accept_word("prog");
  if (accept_word("kernel")) return executable(qualifiers, EntityKind::kernel);
  if (accept_word("function")) return executable(qualifiers, EntityKind::function);
  if (accept_word("indirect")) {
    if (!accept_word("function")) return unexpected("'function' behind 'indirect'");
    return executable(qualifiers, EntityKind::indirect_function);
  }
  if (token_.is_word("signature")) {
    if (qualifiers.declaration || qualifiers.program)
      return fail("HSAIL-4.3.4-signature", token_, "a signature has neither decl nor prog");
    advance();
    return executable(qualifiers, EntityKind::signature);
  }
  if (accept_word("fbarrier")) return fbarrier(qualifiers);
  return variable(qualifiers);
}

// ---- names ---------------------------------------------------------------------------------------

bool Parser::expect_name() {
  if (at_name()) return true;
  return unexpected(scopes_.depth() == Scopes::module_scope ? "a name (&name)" : "a name (%name)");
}

/// Adds a name to the current scope, or returns the entity of an earlier declaration of the same object.
/// Returns null, after an error, if the name already stands for something else. The description of the class
/// says why this is tested here.
Entity* Parser::declare(const Token& name, EntityKind kind, bool definition) {
  Entity* known = scopes_.find_in(scopes_.depth(), name.text);
  if (known == nullptr) {
    Entity entity;
    entity.kind = kind;
    entity.symbol = builder_.new_symbol();
    entity.defined = definition;
    entity.first = name.location();
    return &scopes_.add(scopes_.depth(), name.text, std::move(entity));
  }
  bool local = scopes_.depth() != Scopes::module_scope;
  if (known->kind != kind || local || (known->defined && definition)) {
    fail("HSAIL-4.6.2-redefinition", name,
         known->kind != kind ? fmt::format("{} is a {} already", name.text, describe(known->kind))
                             : fmt::format("{} {} is defined already", describe(kind), name.text));
    diagnostics_.note(known->first, "first seen here");
    return nullptr;
  }
  known->defined = known->defined || definition;
  return known;
}

// ---- variables -----------------------------------------------------------------------------------

bool Parser::variable_qualifiers(VariableHead& head) {
  if (accept_word("alloc")) {
    if (!expect('(', "behind alloc")) return false;
    if (!accept_word("agent")) return unexpected("'agent'");
    if (!expect(')', "behind agent")) return false;
    head.agent = true;
  }
  if (accept_word("align")) {
    uint64_t align = 0;
    if (!expect('(', "behind align")) return false;
    Token at = token_;
    if (!integer_literal_value(align, "an alignment")) return false;
    if (align == 0 || align > 256 || !std::has_single_bit(align))
      return fail("HSAIL-4.3.10-align", at, "an alignment is a power of two from 1 to 256");
    head.align = static_cast<unsigned>(align);
    if (!expect(')', "behind the alignment")) return false;
  }
  head.constant = accept_word("const");
  return true;
}

/// Parses a word that joins a segment and a type, such as global_u32 or kernarg_roimg.
bool Parser::segment_and_type(VariableHead& head) {
  if (token_.kind != TokenKind::word) return unexpected("a statement");
  std::string_view word = token_.text;
  size_t split = word.find('_');
  auto segment =
      split == std::string_view::npos ? std::nullopt : isa::value(isa::Names::segment, word.substr(0, split));
  if (!segment || *segment == HSA_BRIG_SEGMENT_FLAT || *segment == HSA_BRIG_SEGMENT_NONE)
    return unexpected(scopes_.depth() == Scopes::module_scope ? "a statement of a module"
                                                              : "a segment and type");
  auto type = isa::type_value(word.substr(split + 1));
  if (!type || *type == HSA_BRIG_TYPE_NONE)
    return fail("HSAIL-4.13-type", token_, fmt::format("'{}' is no type", word.substr(split + 1)));
  head.segment = static_cast<hsa_brig_segment_t>(*segment);
  head.type = *type;
  advance();
  return true;
}

bool Parser::array_dimension(VariableHead& head) {
  if (!accept('[')) return true;
  head.array = true;
  if (accept(']')) return true;
  Token at = token_;
  if (!integer_literal_value(head.dimension, "the number of elements")) return false;
  if (head.dimension == 0) return fail("HSAIL-4.3.8-array-size", at, "an array has at least one element");
  return expect(']', "behind the number of elements");
}

/// Returns the entry of a variable without its name, linkage, definition flag and initial value.
hsa_brig_directive_variable_t Parser::variable_entry(const VariableHead& head) {
  hsa_brig_directive_variable_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_VARIABLE;
  entry.type = head.array ? isa::array_of(head.type) : head.type;
  entry.segment = static_cast<uint8_t>(head.segment);
  const unsigned align = head.align != 0 ? head.align : isa::natural_alignment(head.type);
  entry.align = static_cast<uint8_t>(std::countr_zero(align) + 1);
  entry.dim = {static_cast<uint32_t>(head.dimension), static_cast<uint32_t>(head.dimension >> 32)};
  entry.modifier = head.constant ? HSA_BRIG_VARIABLE_MODIFIER_CONST : 0;
  entry.allocation = head.segment == HSA_BRIG_SEGMENT_READONLY || head.agent ? HSA_BRIG_ALLOCATION_AGENT
                     : head.segment == HSA_BRIG_SEGMENT_GLOBAL               ? HSA_BRIG_ALLOCATION_PROGRAM
                                                                             : HSA_BRIG_ALLOCATION_AUTOMATIC;
  return entry;
}

bool Parser::variable(const Qualifiers& qualifiers) {
  VariableHead head;
  Token begin = token_;
  if (!variable_qualifiers(head) || !segment_and_type(head)) return false;
  Token name = token_;
  if (!expect_name()) return false;
  advance();
  if (!array_dimension(head)) return false;
  // In BRIG every readonly variable has agent allocation, so an alloc(agent) in the text could not be told
  // from its absence.
  if (head.agent && head.segment != HSA_BRIG_SEGMENT_GLOBAL)
    return fail("HSAIL-4.3.10-alloc", begin, "alloc(agent) is for global variables only");

  // The name is visible in its own initializer, so it is entered first.
  Entity* entity = declare(name, EntityKind::variable, !qualifiers.declaration);
  if (entity == nullptr) return false;
  entity->segment = static_cast<uint8_t>(head.segment);
  brig::Symbol symbol = entity->symbol;
  bool defined_before = qualifiers.declaration && entity->defined;

  hsa_brig_directive_variable_t entry = variable_entry(head);
  entry.name = builder_.add_string(name.text);
  if (!qualifiers.declaration) entry.modifier |= HSA_BRIG_VARIABLE_MODIFIER_DEFINITION;
  switch (scopes_.depth()) {
    case Scopes::module_scope:
      entry.linkage = qualifiers.program ? HSA_BRIG_LINKAGE_PROGRAM : HSA_BRIG_LINKAGE_MODULE;
      break;
    case Scopes::function_scope:
      entry.linkage = HSA_BRIG_LINKAGE_FUNCTION;
      break;
    case Scopes::argument_scope:
      entry.linkage = HSA_BRIG_LINKAGE_ARG;
      break;
  }
  // Defined before the initializer is parsed, because the initializer may refer to the variable.
  if (!defined_before) builder_.define(symbol, builder_.code_end());

  if (accept('=')) {
    operand_here(0, token_);
    Constant value;
    if (!initializer(head, value)) return false;
    if (head.array && head.dimension == 0) {
      const uint64_t elements = value.size / isa::byte_size(head.type);
      entry.dim = {static_cast<uint32_t>(elements), static_cast<uint32_t>(elements >> 32)};
    }
    entry.init = add_constant(value);
  }
  builder_.add_code(entry);
  return expect(';', "behind the variable");
}

bool Parser::fbarrier(const Qualifiers& qualifiers) {
  Token name = token_;
  if (!expect_name()) return false;
  advance();
  Entity* entity = declare(name, EntityKind::fbarrier, !qualifiers.declaration);
  if (entity == nullptr) return false;
  hsa_brig_directive_fbarrier_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_FBARRIER;
  entry.name = builder_.add_string(name.text);
  entry.modifier = qualifiers.declaration ? 0 : HSA_BRIG_VARIABLE_MODIFIER_DEFINITION;
  entry.linkage = scopes_.depth() != Scopes::module_scope ? HSA_BRIG_LINKAGE_FUNCTION
                  : qualifiers.program                    ? HSA_BRIG_LINKAGE_PROGRAM
                                                          : HSA_BRIG_LINKAGE_MODULE;
  bool refer_here = !(qualifiers.declaration && entity->defined);
  brig::Offset place = builder_.add_code(entry);
  if (refer_here) builder_.define(entity->symbol, place);
  return expect(';', "behind the fbarrier");
}

// ---- kernels, functions, signatures --------------------------------------------------------------

bool Parser::formal(const FormalKind& kind) {
  here();
  VariableHead head;
  if (!variable_qualifiers(head) || !segment_and_type(head)) return false;
  Token name = token_;
  bool named = at_name();
  if (!named && !kind.name_optional) return unexpected("the name of the argument (%name)");
  if (named) advance();
  if (!array_dimension(head)) return false;
  hsa_brig_directive_variable_t entry = variable_entry(head);
  entry.modifier |= HSA_BRIG_VARIABLE_MODIFIER_DEFINITION;
  entry.linkage = kind.linkage;
  if (named) {
    Entity* entity = declare(name, EntityKind::variable, true);
    if (entity == nullptr) return false;
    entity->segment = static_cast<uint8_t>(head.segment);
    builder_.define(entity->symbol, builder_.code_end());
    entry.name = builder_.add_string(name.text);
  } else if (writes_1_0_) {
    entry.name = builder_.add_string("");  // readers of 1.0 refuse a formal without a name
  }
  builder_.add_code(entry);
  return true;
}

bool Parser::formals(const FormalKind& kind, unsigned& count) {
  count = 0;
  if (!expect('(', "before the formal arguments")) return false;
  if (accept(')')) return true;
  do {
    if (!formal(kind)) return false;
    if (++count > UINT16_MAX) return fail("HSAIL-18.5.1.5-arguments", token_, "too many formal arguments");
  } while (accept(','));
  return expect(')', "behind the formal arguments");
}

bool Parser::executable(const Qualifiers& qualifiers, EntityKind kind) {
  static constexpr uint16_t kinds[] = {0,
                                       0,
                                       0,
                                       HSA_BRIG_KIND_DIRECTIVE_KERNEL,
                                       HSA_BRIG_KIND_DIRECTIVE_FUNCTION,
                                       HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION,
                                       HSA_BRIG_KIND_DIRECTIVE_SIGNATURE};
  Token name = token_;
  if (!expect_name()) return false;
  here(name);
  advance();
  bool is_signature = kind == EntityKind::signature;
  bool definition = !qualifiers.declaration;
  Entity* entity = declare(name, kind, definition);
  if (entity == nullptr) return false;

  hsa_brig_directive_executable_t entry{};
  entry.base.kind = kinds[static_cast<size_t>(kind)];
  entry.name = builder_.add_string(name.text);
  entry.modifier = definition ? HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION : 0;
  entry.linkage = is_signature         ? HSA_BRIG_LINKAGE_NONE
                  : qualifiers.program ? HSA_BRIG_LINKAGE_PROGRAM
                                       : HSA_BRIG_LINKAGE_MODULE;
  bool refer_here = definition || !entity->defined;
  brig::Offset directive = builder_.add_code(entry);
  if (refer_here) builder_.define(entity->symbol, directive);

  scopes_.enter(Scopes::function_scope);
  hsa_brig_linkage8_t linkage =
      definition && !is_signature ? HSA_BRIG_LINKAGE_FUNCTION : HSA_BRIG_LINKAGE_NONE;
  unsigned outputs = 0, inputs = 0;
  if (kind != EntityKind::kernel && !formals({linkage, is_signature}, outputs)) return false;
  brig::Offset first_input = builder_.code_end();
  if (!formals({linkage, is_signature}, inputs)) return false;

  brig::Offset body = builder_.code_end();
  auto& written = builder_.code_as<hsa_brig_directive_executable_t>(directive);
  written.out_arg_count = static_cast<uint16_t>(outputs);
  written.in_arg_count = static_cast<uint16_t>(inputs);
  written.first_in_arg = first_input;
  written.first_code_block_entry = body;
  written.next_module_entry = body;
  if (definition && !is_signature && !code_block(directive)) return false;
  scopes_.leave();
  if (is_signature || !definition) return expect(';', "behind the declaration");
  return expect(';', "behind the code block");
}

bool Parser::code_block(brig::Offset directive) {
  if (!expect('{', "before the code block")) return false;
  in_code_block_ = true;
  block_body();
  in_code_block_ = false;
  for (const Scopes::Label& label : scopes_.labels())
    if (!label.entity.defined)
      diagnostics_.error("HSAIL-4.6.2-label", label.entity.first,
                         fmt::format("label {} does not stand in this code block", label.name));
  scopes_.clear_labels();
  builder_.code_as<hsa_brig_directive_executable_t>(directive).next_module_entry = builder_.code_end();
  return expect('}', "at the end of the code block");
}

}  // namespace heddle::assemble
