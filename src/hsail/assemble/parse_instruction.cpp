// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions. The instruction tables say which modifiers a mnemonic may have and what its operands are
// (design D1).
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/assemble/literal.h"
#include "hsail/assemble/parser.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::assemble {
namespace {

/// Reports whether a comma precedes an operand of this kind. Lists in brackets, argument lists and the
/// signature of icall follow without one.
bool comma_before(isa::OperandKind kind) {
  switch (kind) {
    case isa::OperandKind::labels:
    case isa::OperandKind::functions:
    case isa::OperandKind::signature:
    case isa::OperandKind::output_arguments:
    case isa::OperandKind::input_arguments:
      return false;
    default:
      return true;
  }
}

}  // namespace

/// Returns the mnemonic at the current word if the module has used this spelling before, else null. Each
/// spelling is parsed only once in a module.
const isa::Mnemonic* Parser::known_mnemonic() {
  token_ = lexer_.extend_mnemonic(token_);
  auto known = mnemonics_.find(token_.text);
  return known == mnemonics_.end() ? nullptr : &known->second;
}

const isa::Mnemonic* Parser::new_mnemonic() {
  auto parsed = isa::parse_mnemonic(token_.text);
  if (!parsed) {
    const isa::MnemonicError& error = parsed.error();
    diagnostics_.error(error.id,
                       Location::text(token_.line, token_.column + error.offset, std::max(error.length, 1u)),
                       error.message);
    return nullptr;
  }
  const isa::Mnemonic& added = mnemonics_.emplace(token_.text, *parsed).first->second;
  // The rules depend only on the mnemonic and the module, so one check for each spelling is enough.
  if (!check_rules(token_, added)) return nullptr;
  return &added;
}

bool Parser::check_rules(const Token& at, const isa::Mnemonic& mnemonic) {
  return isa::check(*mnemonic.variant, mnemonic.fields, environment_, [&](const isa::BrokenRule& broken) {
    if (broken.warning)
      diagnostics_.warning(broken.violation.id, at.location(), broken.violation.message);
    else
      diagnostics_.error(broken.violation.id, at.location(), broken.violation.message);
  });
}

bool Parser::instruction(const isa::Mnemonic* parsed) {
  here();
  if (parsed == nullptr) parsed = new_mnemonic();
  if (parsed == nullptr) return false;
  const isa::Fields fields = parsed->fields;
  const isa::Variant& variant = *parsed->variant;
  advance();

  auto operands = isa::operands(variant);
  std::vector<brig::Offset>& written = operand_scratch_;
  written.assign(operands.size(), 0);
  for (unsigned position = 0; position < operands.size(); ++position) {
    size_t index = 0;
    while (index < operands.size() && operands[index].text_position != position) ++index;
    if (index == operands.size()) index = position;
    const isa::Operand& wanted = operands[index];
    if (position != 0 && comma_before(wanted.kind) && !accept(','))
      return unexpected(fmt::format("',' before operand '{}'", isa::text(wanted.name)));
    if (!operand(wanted, index, fields, written[index])) return false;
  }
  if (!expect(';', "behind the instruction")) return false;
  builder_.add_instruction(fields, written);
  return true;
}

// ---- operands ------------------------------------------------------------------------------------

bool Parser::operand(const isa::Operand& wanted, size_t index, const isa::Fields& fields, brig::Offset& out) {
  using Kind = isa::OperandKind;
  operand_here(index, token_);
  switch (wanted.kind) {
    case Kind::destination:
    case Kind::source:
    case Kind::source_register:
    case Kind::constant: {
      unsigned elements = isa::operand_elements(wanted, fields);
      return elements > 1 ? vector_operand(wanted, index, fields, elements, out)
                          : source(wanted, fields, out);
    }
    case Kind::address:
      return address(index, fields, out);
    case Kind::label: {
      brig::Symbol label{};
      if (!label_reference(label)) return false;
      out = builder_.add_code_ref(label);
      return true;
    }
    case Kind::labels:
      return label_list(out);
    case Kind::fbarrier:
      return reference(out, {EntityKind::fbarrier}, "an fbarrier");
    case Kind::fbarrier_or_source:
      if (token_.kind == TokenKind::reg) return register_operand(out);
      return reference(out, {EntityKind::fbarrier}, "an fbarrier or a register");
    case Kind::function:
      return reference(out, {EntityKind::function, EntityKind::indirect_function}, "a function");
    case Kind::functions:
      return reference_list('[', ']', false, {EntityKind::function, EntityKind::indirect_function},
                            "a function", out);
    case Kind::signature:
      return reference(out, {EntityKind::signature}, "a signature");
    case Kind::output_arguments:
    case Kind::input_arguments:
      return reference_list('(', ')', true, {EntityKind::variable}, "an arg variable", out);
  }
  return false;
}

bool Parser::vector_operand(const isa::Operand& wanted, size_t index, const isa::Fields& fields,
                            unsigned elements, brig::Offset& out) {
  Token at = token_;
  if (!accept('('))
    return unexpected(fmt::format("'(' before the {} elements of '{}'", elements, isa::text(wanted.name)));
  std::vector<brig::Offset> offsets;
  do {
    operand_here(index, token_, offsets.size() + 1);
    brig::Offset element = 0;
    if (!source(wanted, fields, element)) return false;
    offsets.push_back(element);
  } while (accept(','));
  if (offsets.size() != elements)
    return fail("HSAIL-4.17-vector-size", at,
                fmt::format("a vector of {} elements is needed, this one has {}", elements, offsets.size()));
  out = made_from(at, builder_.add_vector(offsets));
  return expect(')', "behind the vector");
}

bool Parser::source(const isa::Operand& wanted, const isa::Fields& fields, brig::Offset& out) {
  isa::Type type = isa::operand_type(wanted, fields);
  if (token_.kind == TokenKind::reg) {
    if (!isa::accepts_register(wanted))
      return fail("HSAIL-4.16-operand", token_,
                  fmt::format("'{}' must be a constant", isa::text(wanted.name)));
    return register_operand(out);
  }
  if (!isa::accepts_immediate(wanted))
    return unexpected(fmt::format("a register for '{}'", isa::text(wanted.name)));
  if (token_.is_word("WAVESIZE")) {
    out = made_from(token_, builder_.add_wavesize());
    advance();
    return true;
  }
  Token at = token_;
  if (!at_constant())
    return unexpected(fmt::format("a register or constant for '{}'", isa::text(wanted.name)));
  Constant value;
  if (!constant(type, value)) return false;
  if (isa::is_image(value.type) || isa::is_sampler(value.type))
    return fail("HSAIL-4.16-opaque-constant", at,
                "image and sampler constants can only initialize variables");
  out = made_from(at, add_constant(value));
  return true;
}

bool Parser::register_operand(brig::Offset& out) {
  char letter = token_.text[1];
  hsa_brig_register_kind_t kind = letter == 's'   ? HSA_BRIG_REGISTER_KIND_SINGLE
                                  : letter == 'd' ? HSA_BRIG_REGISTER_KIND_DOUBLE
                                  : letter == 'c' ? HSA_BRIG_REGISTER_KIND_CONTROL
                                                  : HSA_BRIG_REGISTER_KIND_QUAD;
  unsigned number = 0;  // the lexer has checked that the rest of the token is digits
  for (char digit : token_.text.substr(2, 5)) number = number * 10 + static_cast<unsigned>(digit - '0');
  if (number >= registers_per_kind)
    return fail("HSAIL-4.7-register-number", token_, fmt::format("there is no register {}", token_.text));
  brig::Offset& known = registers_[kind * registers_per_kind + number];
  if (known == 0) known = made_from(token_, builder_.add_register(kind, static_cast<uint16_t>(number)));
  out = known;
  advance();
  return true;
}

// ---- addresses -----------------------------------------------------------------------------------

/// Parses the part of an address that has no name: [$s1 + 4], [$d2], [8] or [-4]. The [ has been read.
bool Parser::address_bracket(size_t index, unsigned bits, brig::Offset& reg, uint64_t& offset) {
  if (token_.kind == TokenKind::reg) {
    operand_here(index, token_, brig::register_part);
    if (!register_operand(reg)) return false;
    if (token_.is(']')) return true;
    if (!token_.is('+') && !token_.is('-')) return unexpected("+, - or ]");
  }
  Token at = token_;
  bool negative = false;
  if (!integer_value(offset, negative)) return false;
  if (bits != 32) return true;
  int64_t value = static_cast<int64_t>(offset);
  if (value > INT64_C(0xffffffff) || value < -INT64_C(0x80000000))
    return fail("HSAIL-4.18-offset", at, "an offset of a 32-bit address has 32 bits");
  offset &= 0xffffffff;
  return true;
}

bool Parser::address(size_t index, const isa::Fields& fields, brig::Offset& out) {
  unsigned segment = fields[isa::Field::segment];
  unsigned bits = isa::address_bits(segment, environment_.machine_model);
  if (bits == 0) bits = environment_.machine_model == HSA_BRIG_MACHINE_MODEL_LARGE ? 64 : 32;
  if (!expect('[', "before the address")) return false;
  brig::Symbol symbol{};
  brig::Offset reg = 0;
  uint64_t offset = 0;
  Token at = token_;
  operand_here(index, at);  // most errors in an address concern its name, so they are reported there
  bool named = at_name();
  if (named) {
    Token name = token_;
    Entity* entity = resolve(name);
    if (entity == nullptr) return false;
    if (entity->kind != EntityKind::variable)
      return fail("HSAIL-4.18-address", name,
                  fmt::format("{} is a {}, not a variable", name.text, describe(entity->kind)));
    symbol = entity->symbol;
    advance();
    if (!expect(']', "behind the name")) return false;
  }
  if (!named || accept('[')) {
    if (!address_bracket(index, bits, reg, offset) || !expect(']', "behind the address")) return false;
  }
  out = made_from(at, builder_.add_address(symbol, reg, offset));
  return true;
}

// ---- references ----------------------------------------------------------------------------------

Entity* Parser::resolve(const Token& name) {
  Entity* entity = scopes_.find(name.text);
  if (entity == nullptr) fail("HSAIL-4.6.2-undeclared", name, fmt::format("{} is not declared", name.text));
  return entity;
}

bool Parser::reference(brig::Offset& out, std::initializer_list<EntityKind> kinds, std::string_view wanted) {
  Token name = token_;
  if (!at_name()) return unexpected(wanted);
  Entity* entity = resolve(name);
  if (entity == nullptr) return false;
  if (std::find(kinds.begin(), kinds.end(), entity->kind) == kinds.end())
    return fail("HSAIL-4.16-reference", name,
                fmt::format("{} is a {}, not {}", name.text, describe(entity->kind), wanted));
  out = builder_.add_code_ref(entity->symbol);
  advance();
  return true;
}

bool Parser::reference_list(char open, char close, bool may_be_empty, std::initializer_list<EntityKind> kinds,
                            std::string_view wanted, brig::Offset& out) {
  std::vector<brig::Symbol> symbols;
  if (!expect(open, "before the list")) return false;
  if (!(may_be_empty && token_.is(close))) {
    do {
      Token name = token_;
      if (!at_name()) return unexpected(wanted);
      Entity* entity = resolve(name);
      if (entity == nullptr) return false;
      bool fits = std::find(kinds.begin(), kinds.end(), entity->kind) != kinds.end();
      if (!fits || (entity->kind == EntityKind::variable && entity->segment != HSA_BRIG_SEGMENT_ARG))
        return fail("HSAIL-4.16-reference", name, fmt::format("{} is not {}", name.text, wanted));
      symbols.push_back(entity->symbol);
      advance();
    } while (accept(','));
  }
  out = builder_.add_code_list(symbols);
  return expect(close, "behind the list");
}

bool Parser::label_reference(brig::Symbol& out) {
  if (token_.kind != TokenKind::label_identifier) return unexpected("a label (@name)");
  if (!in_code_block_) return fail("HSAIL-4.6.2-label", token_, "labels belong to code blocks");
  out = scopes_.label(token_.text, builder_, token_.location()).entity.symbol;
  advance();
  return true;
}

bool Parser::label_list(brig::Offset& out) {
  std::vector<brig::Symbol> labels;
  if (!expect('[', "before the labels")) return false;
  do {
    brig::Symbol label{};
    if (!label_reference(label)) return false;
    labels.push_back(label);
  } while (accept(','));
  out = builder_.add_code_list(labels);
  return expect(']', "behind the labels");
}

}  // namespace heddle::assemble
