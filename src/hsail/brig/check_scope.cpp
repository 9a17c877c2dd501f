// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what may be named where. The scope of a name begins where it is declared and ends with the module,
// code block or arg block in which it is declared, and a variable of an arg block hides what has the same
// name outside (PRM 4.6.2). Text cannot refer to anything else, so a module that does could not be printed.
#include <algorithm>

#include <fmt/format.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"

namespace heddle::brig {
namespace {

/// Adds a value to a short list unless it is there already. Returns false if the list is full.
template <typename Value>
bool add_once(std::vector<Value>& values, Value value, size_t most) {
  if (std::find(values.begin(), values.end(), value) != values.end()) return true;
  if (values.size() == most) return false;
  values.push_back(value);
  return true;
}

}  // namespace

Offset Checker::first_declaration(Offset symbol) const {
  const auto found = first_declarations_.find(symbol);
  return found == first_declarations_.end() ? symbol : found->second;
}

bool Checker::is_declared(Offset symbol, Offset at) const {
  return symbol <= at || first_declaration(symbol) < at;
}

bool Checker::is_hidden(Offset symbol, Offset at) const {
  const auto in_block = hidden_.find(scope_of(at));
  if (in_block == hidden_.end()) return false;
  const auto hiding = in_block->second.find(symbol);
  return hiding != in_block->second.end() && hiding->second < at;
}

bool Checker::check_visible(Offset at, unsigned index, Offset symbol) {
  const uint32_t scope = scope_of(symbol);
  const std::string_view name = module_.name(symbol);
  if (!sees(scope_of(at), scope)) {
    operand_of_error(at, index, "BRIG-4.6.2-scope", fmt::format("{} belongs to another code block", name));
  } else if (!is_declared(symbol, at)) {
    operand_of_error(at, index, "BRIG-4.6.2-declared", fmt::format("{} is declared only after this", name));
  } else if (scope != 0 && !hidden_.empty() && is_hidden(symbol, at)) {
    operand_of_error(at, index, "BRIG-4.6.2-hidden",
                     fmt::format("a variable of this arg block hides {}", name));
  } else {
    return true;
  }
  return false;
}

// ---- lists of operands ----

void Checker::add_local(Named& named, Offset symbol) {
  if (!named.more_locals && !add_once(named.locals, symbol, Named::locals_told_apart))
    named.more_locals = true;
}

void Checker::add_name(Named& named, Offset symbol) {
  named.nameless |= module_.name(symbol).empty();
  // A label is visible in the whole code block, also before its definition and in arg blocks.
  if (code_kind(symbol) == HSA_BRIG_KIND_DIRECTIVE_LABEL) {
    add_once(named.label_owners, scopes_[scope_of(symbol)].executable, Named::several);
    return;
  }
  named.latest = std::max(named.latest, first_declaration(symbol));
  add_once(named.scopes, scope_of(symbol), Named::several);
  if (scope_of(symbol) != 0) add_local(named, symbol);
}

void Checker::add_names_of(Named& named, Offset operand) {
  switch (operand_kind(operand)) {
    case HSA_BRIG_KIND_OPERAND_REGISTER:
      named.has_registers = true;
      return named.registers.add(register_of(module_, operand));
    case HSA_BRIG_KIND_OPERAND_CODE_REF:
      return add_name(named, code_ref(module_, operand));
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
      if (const Offset symbol = expression_of(module_, operand).symbol; symbol != 0) add_name(named, symbol);
      return;
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST: {
      const Named& inner =
          named_in(module_.operand_as<hsa_brig_operand_constant_operand_list_t>(operand).elements);
      named.latest = std::max(named.latest, inner.latest);
      for (const uint32_t scope : inner.scopes) add_once(named.scopes, scope, Named::several);
      for (const Offset symbol : inner.locals) add_local(named, symbol);
      named.more_locals |= inner.more_locals;
      return;
    }
    default:
      return;
  }
}

/// Recurses into constants, whose nesting check_constant_list() has found to be finite.
const Checker::Named& Checker::named_in(Offset list) {
  const auto [known, is_new] = named_in_lists_.try_emplace(list);
  Named& named = known->second;
  if (!is_new) return named;
  for (const Offset operand : module_.offsets(list)) add_names_of(named, operand);
  return named;
}

bool Checker::sees_all(Offset at, const Named& named) const {
  const uint32_t here = scope_of(at);
  const auto is_seen = [&](uint32_t scope) { return sees(here, scope); };
  const auto is_of_this_executable = [&](Offset owner) { return owner == scopes_[here].executable; };
  if (named.nameless || named.latest > at ||
      !std::all_of(named.scopes.begin(), named.scopes.end(), is_seen) ||
      !std::all_of(named.label_owners.begin(), named.label_owners.end(), is_of_this_executable))
    return false;
  if (!hidden_.contains(here)) return true;
  return !named.more_locals && std::none_of(named.locals.begin(), named.locals.end(),
                                            [&](Offset symbol) { return is_hidden(symbol, at); });
}

/// Checks that a pragma names only what is in scope (PRM 13.4) and has a name, because anything else cannot
/// be written as text.
void Checker::check_pragma_scope(Offset pragma) {
  const Named& named = named_in(module_.code_as<hsa_brig_directive_pragma_t>(pragma).operands);
  if (named.has_registers && scope_of(pragma) == 0)
    code_error(pragma, "HSAIL-13.4-register", "registers belong to code blocks");
  else if (!sees_all(pragma, named))
    code_error(pragma, "BRIG-13.4-scope", "a pragma names only what is in scope where it stands");
}

void Checker::check_initializer_scope(Offset variable) {
  const Offset init = module_.code_as<hsa_brig_directive_variable_t>(variable).init;
  if (init == 0) return;
  Named named;
  add_names_of(named, init);
  if (sees_all(variable, named)) return;
  code_error(variable, "BRIG-4.6.2-scope", "an initial value names only what is in scope where it stands", 1);
}

}  // namespace heddle::brig
