// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotations, control directives, labels and arg blocks: everything in a code block except instructions
// (PRM 4.2, 13).
#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/assemble/literal.h"
#include "hsail/assemble/parser.h"
#include "hsail/brig/event_trigger.h"
#include "hsail/isa/control_directive.h"
#include "hsail/isa/names.h"

namespace heddle::assemble {

// ---- annotations ---------------------------------------------------------------------------------

void Parser::flush_comments() {
  std::string buffer;
  for (const Comment& comment : comments_) {
    here({TokenKind::invalid, comment.text.substr(0, 1), comment.line, 1});
    hsa_brig_directive_comment_t entry{};
    entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_COMMENT;
    // BRIG has only line comments, stored with their //. Each line of a block comment becomes one of them.
    if (comment.block) {
      buffer = "//";
      buffer += comment.text;
      entry.name = builder_.add_string(buffer);
    } else {
      entry.name = builder_.add_string(comment.text);
    }
    builder_.add_code(entry);
  }
  comments_.clear();
}

void Parser::annotations() {
  for (;;) {
    flush_comments();
    bool ok = true;
    if (token_.is_word("loc"))
      ok = location_directive();
    else if (token_.is_word("pad"))
      ok = pad();
    else if (token_.is_word("pragma"))
      ok = pragma();
    else
      return;
    if (!ok) recover();
  }
}

void Parser::add_locations(std::string_view file) { source_name_ = builder_.add_string(file); }

void Parser::locate_statement() {
  if (source_name_ == 0 || located_line_ == token_.line) return;
  here();
  located_line_ = token_.line;
  hsa_brig_directive_loc_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_LOC;
  entry.filename = source_name_;
  entry.line = token_.line;
  entry.column = 1;
  builder_.add_code(entry);
}

bool Parser::location_directive() {
  here();
  source_name_ = 0;  // the text gives its own locations, so add none
  advance();
  uint64_t line = 0, column = 1;
  if (!integer_literal_value(line, "a line number", UINT32_MAX)) return false;
  if (token_.kind == TokenKind::integer && !integer_literal_value(column, "a column number", UINT32_MAX))
    return false;
  if (token_.kind == TokenKind::string) {
    auto name = string_literal(token_.text);
    if (!name) return fail("HSAIL-4.5-string-escape", token_, "malformed escape in string");
    file_name_ = builder_.add_string(*name);
    advance();
  } else if (file_name_ == 0) {
    file_name_ = builder_.add_string("");
  }
  hsa_brig_directive_loc_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_LOC;
  entry.filename = file_name_;
  entry.line = static_cast<uint32_t>(line);
  entry.column = static_cast<uint32_t>(column);
  builder_.add_code(entry);
  return expect(';', "behind loc");
}

bool Parser::pad() {
  here();
  advance();
  uint64_t words = 0;
  // PRM 13.3 also allows 2^14 - 1, but (n + 1) * 4 bytes would then not fit the 16-bit byte_count.
  if (token_.kind == TokenKind::integer && !integer_literal_value(words, "the operand of pad", 16382))
    return false;
  builder_.add_pad(static_cast<unsigned>(words));
  return expect(';', "behind pad");
}

bool Parser::pragma_operand(std::vector<brig::Offset>& operands) {
  operand_here(operands.size(), token_);
  switch (token_.kind) {
    case TokenKind::string: {
      auto text = string_literal(token_.text);
      if (!text) return fail("HSAIL-4.5-string-escape", token_, "malformed escape in string");
      operands.push_back(builder_.add_string_operand(*text));
      advance();
      return true;
    }
    case TokenKind::reg: {
      brig::Offset reg = 0;
      if (!register_operand(reg)) return false;
      operands.push_back(reg);
      return true;
    }
    case TokenKind::global_identifier:
    case TokenKind::local_identifier: {
      if (brig::is_event_placeholder_identifier(token_.text) && scopes_.find(token_.text) == nullptr) {
        operands.push_back(builder_.add_string_operand(token_.text));
        advance();
        return true;
      }
      Entity* entity = resolve(token_);
      if (entity == nullptr) return false;
      operands.push_back(builder_.add_code_ref(entity->symbol));
      advance();
      return true;
    }
    case TokenKind::label_identifier: {
      brig::Symbol label{};
      if (!label_reference(label)) return false;
      operands.push_back(builder_.add_code_ref(label));
      return true;
    }
    default:
      break;
  }
  if (accept_word("WAVESIZE")) {
    operands.push_back(builder_.add_wavesize());
    return true;
  }
  if (!at_constant()) return unexpected("an operand of the pragma");
  Constant value;
  if (!constant(HSA_BRIG_TYPE_NONE, value)) return false;
  operands.push_back(add_constant(value));
  return true;
}

bool Parser::pragma() {
  here();
  advance();
  std::vector<brig::Offset> operands;
  do {
    if (!pragma_operand(operands)) return false;
  } while (accept(','));
  hsa_brig_directive_pragma_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_PRAGMA;
  entry.operands = builder_.add_offsets(operands);
  builder_.add_code(entry);
  return expect(';', "behind the pragma");
}

// ---- control directives --------------------------------------------------------------------------

bool Parser::control_value(isa::Type type, std::vector<brig::Offset>& operands) {
  uint64_t value = 0;
  if (!integer_literal_value(value, "a number", isa::bit_size(type) == 32 ? UINT32_MAX : UINT64_MAX))
    return false;
  operands.push_back(builder_.add_constant(type, value));
  return true;
}

bool Parser::control() {
  here();
  const auto value = isa::value(isa::Names::control_directive, token_.text);
  const isa::ControlDirective* form = value ? isa::control_directive(*value) : nullptr;
  if (form == nullptr) return unexpected("a control directive");
  advance();
  std::vector<brig::Offset> operands;
  for (unsigned i = 0; i < form->operands; ++i) {
    if (i != 0 && !expect(',', "between the numbers")) return false;
    operand_here(i, token_);
    if (form->takes_wavesize && accept_word("WAVESIZE"))
      operands.push_back(builder_.add_wavesize());
    else if (!control_value(form->type, operands))
      return false;
  }
  hsa_brig_directive_control_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_CONTROL;
  entry.control = *value;
  entry.operands = builder_.add_offsets(operands);
  builder_.add_code(entry);
  return expect(';', "behind the control directive");
}

// ---- code blocks ---------------------------------------------------------------------------------

void Parser::block_body() {
  annotations();
  while (!token_.is('}') && token_.kind != TokenKind::end && !diagnostics_.limit_reached()) {
    if (!block_entry()) recover();
    annotations();
  }
}

/// Reports whether the current word begins the definition of a variable or fbarrier.
bool Parser::at_definition() const {
  for (const std::string_view word : {"alloc", "align", "const", "fbarrier"})
    if (token_.is_word(word)) return true;
  const size_t split = token_.kind == TokenKind::word ? token_.text.find('_') : std::string_view::npos;
  return split != std::string_view::npos &&
         isa::value(isa::Names::segment, token_.text.substr(0, split)).has_value();
}

bool Parser::block_entry() {
  if (token_.kind != TokenKind::word) return block_statement();
  if (const isa::Mnemonic* known = known_mnemonic()) {
    locate_statement();
    return instruction(known);
  }
  if (isa::value(isa::Names::control_directive, token_.text)) return control();
  if (!at_definition()) return block_statement();
  here();
  return accept_word("fbarrier") ? fbarrier({}) : variable({});
}

bool Parser::block_statement() {
  if (token_.kind == TokenKind::word) {
    locate_statement();
    return instruction(nullptr);
  }
  here();
  if (token_.is('{')) {
    if (in_argument_block_) return fail("HSAIL-10.2-arg-block", token_, "arg blocks do not nest");
    return argument_block();
  }
  if (token_.kind == TokenKind::label_identifier) return label_statement();
  return unexpected("a statement of a code block");
}

bool Parser::argument_block() {
  hsa_brig_directive_arg_block_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START;
  builder_.add_code(entry);
  advance();
  scopes_.enter(Scopes::argument_scope);
  in_argument_block_ = true;
  block_body();
  in_argument_block_ = false;
  scopes_.leave();
  here();
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END;
  builder_.add_code(entry);
  return expect('}', "at the end of the arg block");
}

bool Parser::label_statement() {
  Token name = token_;
  Scopes::Label& label = scopes_.label(name.text, builder_, name.location());
  label.entity.defined = true;
  hsa_brig_directive_label_t entry{};
  entry.base.kind = HSA_BRIG_KIND_DIRECTIVE_LABEL;
  entry.name = builder_.add_string(name.text);
  builder_.define(label.entity.symbol, builder_.add_code(entry));
  advance();
  return expect(':', "behind the label");
}

}  // namespace heddle::assemble
