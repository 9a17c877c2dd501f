// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that names are unique in their scope, that declarations are compatible with each other and with the
// definition (PRM 4.6.2, 4.3.2, 4.3.3, 4.12), and that references go to the right one of them (PRM 18.5.1.1).
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::brig {

namespace {

/// Returns the name of a directive that has one. It is in the same position in all of them.
Offset name_of(const Module& module, Offset directive) {
  return module.code_as<hsa_brig_directive_label_t>(directive).name;
}

/// Returns the linkage of a variable, fbarrier or executable.
unsigned linkage_of(const Module& module, Offset directive) {
  switch (module.code_kind(directive)) {
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return module.code_as<hsa_brig_directive_variable_t>(directive).linkage;
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return module.code_as<hsa_brig_directive_fbarrier_t>(directive).linkage;
    default:
      return module.code_as<hsa_brig_directive_executable_t>(directive).linkage;
  }
}

}  // namespace

bool Checker::check_symbols() {
  const size_t before = diagnostics_.error_count();
  check_module_symbols();
  for (const Offset executable : executables_) check_local_symbols(executable);
  if (!superseded_.empty()) check_references();
  for (Offset at = module_.code_begin(); at < module_.code_end() && !diagnostics_.limit_reached();
       at = module_.next_code(at)) {
    if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_PRAGMA) check_pragma_scope(at);
    if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_VARIABLE) check_initializer_scope(at);
  }
  return clean_since(before);
}

Offset Checker::text_of(Offset string) {
  const auto [known, is_new] = texts_.try_emplace(string);
  if (is_new) known->second = first_of_text_.try_emplace(module_.string(string), string).first->second;
  return known->second;
}

void Checker::check_module_symbols() {
  struct Symbol {
    Offset first;
    Offset definition;  // 0 if none yet
  };
  std::unordered_map<Offset, Symbol> symbols;  // by text_of()
  std::vector<Offset> repeated;                // every declaration and definition after the first
  std::vector<Offset> needed;                  // first declarations whose definition must be in this module
  for (Offset at = module_.code_begin(); at < module_.code_end() && !diagnostics_.limit_reached();) {
    const Offset here = at;
    at = module_.is_executable(at) ? module_.code_as<hsa_brig_directive_executable_t>(at).next_module_entry
                                   : module_.next_code(at);
    const unsigned kind = module_.code_kind(here);
    if (kind == HSA_BRIG_KIND_DIRECTIVE_EXTENSION || kind == HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION)
      continue;
    const std::string_view name = module_.name(here);
    if (name.empty()) continue;
    const bool defines = kind == HSA_BRIG_KIND_DIRECTIVE_MODULE || module_.is_definition(here);
    const auto [place, is_new] =
        symbols.try_emplace(text_of(name_of(module_, here)), Symbol{here, defines ? here : 0});
    if (is_new) {
      if (!defines && linkage_of(module_, here) == HSA_BRIG_LINKAGE_MODULE) needed.push_back(here);
      continue;
    }
    Symbol& symbol = place->second;
    repeated.push_back(here);
    if (module_.code_kind(symbol.first) != kind) {
      code_error(here, "HSAIL-4.6.2-redefinition",
                 fmt::format("{} is a {} here and a {} before", name, isa::name(isa::Names::kind, kind),
                             isa::name(isa::Names::kind, module_.code_kind(symbol.first))));
      code_note(symbol.first, "first seen here");
      continue;
    }
    if (defines && symbol.definition != 0) {
      code_error(here, "HSAIL-4.6.2-redefinition", fmt::format("a second definition of {}", name));
      code_note(symbol.definition, "first defined here");
      continue;
    }
    if (defines) symbol.definition = here;
    check_compatible(symbol.first, here);
  }
  for (const Offset directive : repeated) {
    const Symbol& symbol = symbols.find(text_of(name_of(module_, directive)))->second;
    const Offset canonical = symbol.definition != 0 ? symbol.definition : symbol.first;
    if (directive != canonical) superseded_.insert(directive);
    if (symbol.first == canonical) continue;
    superseded_.insert(symbol.first);
    first_declarations_.emplace(canonical, symbol.first);
  }
  for (const Offset declaration : needed) {
    if (symbols.find(text_of(name_of(module_, declaration)))->second.definition != 0) continue;
    code_error(declaration, "HSAIL-4.12.2-undefined",
               fmt::format("{} has module linkage, but no definition in the module; is prog missing?",
                           module_.name(declaration)));
  }
}

void Checker::check_local_symbols(Offset executable) {
  std::unordered_map<Offset, Offset> names;  // by text_of()
  std::unordered_map<Offset, Offset> labels;
  std::unordered_map<Offset, Offset> arg_names;
  const auto add = [&](std::unordered_map<Offset, Offset>& scope, Offset at) {
    const std::string_view name = module_.name(at);
    if (name.empty() || diagnostics_.limit_reached()) return;
    const auto [first, is_new] = scope.try_emplace(text_of(name_of(module_, at)), at);
    if (is_new) return;
    code_error(at, "HSAIL-4.6.2-redefinition", fmt::format("a second {} in this scope", name));
    code_note(first->second, "first defined here");
  };
  const auto add_argument = [&](Offset at) {
    add(arg_names, at);
    const auto outer = names.find(text_of(name_of(module_, at)));
    if (outer != names.end()) hidden_[scope_of(at)].emplace(outer->second, at);
  };
  module_.for_each_formal(executable, [&](Offset formal, bool) { add(names, formal); });
  module_.for_each_in_code_block(executable, [&](Offset at) {
    switch (module_.code_kind(at)) {
      case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START:
        return arg_names.clear();
      case HSA_BRIG_KIND_DIRECTIVE_LABEL:
        return add(labels, at);
      case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
        return scopes_[scope_of(at)].is_arg_block ? add_argument(at) : add(names, at);
      default:
        return;
    }
  });
}

bool Checker::same_variable(Offset first, Offset second, bool open_array) const {
  const auto& a = module_.code_as<hsa_brig_directive_variable_t>(first);
  const auto& b = module_.code_as<hsa_brig_directive_variable_t>(second);
  const bool same_dim = u64(a.dim) == u64(b.dim) || (open_array && (u64(a.dim) == 0 || u64(b.dim) == 0));
  return a.type == b.type && a.align == b.align && same_dim;
}

bool Checker::same_formals(Offset first, Offset second) const {
  const auto& a = module_.code_as<hsa_brig_directive_executable_t>(first);
  const auto& b = module_.code_as<hsa_brig_directive_executable_t>(second);
  if (a.out_arg_count != b.out_arg_count || a.in_arg_count != b.in_arg_count) return false;
  bool same = true;
  Offset other = module_.next_code(second);
  module_.for_each_formal(first, [&](Offset formal, bool) {
    same = same && same_variable(formal, other, false);
    other = module_.next_code(other);
  });
  return same;
}

void Checker::check_compatible(Offset first, Offset second) {
  bool good = true;
  switch (module_.code_kind(first)) {
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE: {
      const auto& a = module_.code_as<hsa_brig_directive_variable_t>(first);
      const auto& b = module_.code_as<hsa_brig_directive_variable_t>(second);
      constexpr unsigned is_const = HSA_BRIG_VARIABLE_MODIFIER_CONST;
      good = same_variable(first, second, true) && a.segment == b.segment && a.linkage == b.linkage &&
             a.allocation == b.allocation && (a.modifier & is_const) == (b.modifier & is_const);
      break;
    }
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      good = module_.code_as<hsa_brig_directive_fbarrier_t>(first).linkage ==
             module_.code_as<hsa_brig_directive_fbarrier_t>(second).linkage;
      break;
    case HSA_BRIG_KIND_DIRECTIVE_MODULE:
      return;
    default:
      good =
          same_formals(first, second) && module_.code_as<hsa_brig_directive_executable_t>(first).linkage ==
                                             module_.code_as<hsa_brig_directive_executable_t>(second).linkage;
  }
  if (!good) {
    code_error(second, "BRIG-4.6.2-compatible",
               fmt::format("{} differs from its declaration at 0x{:x}", module_.name(second), first));
  }
}

/// Numbers the distinct values of everything that same_formals() compares.
uint32_t Checker::formals_class(Offset executable) {
  const auto [known, is_new] = formals_classes_.try_emplace(executable);
  if (!is_new) return known->second;
  std::string formals;
  const auto append = [&](const auto& value) {
    formals.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(module_.code_as<hsa_brig_directive_executable_t>(executable).out_arg_count);
  module_.for_each_formal(executable, [&](Offset formal, bool) {
    const auto& variable = module_.code_as<hsa_brig_directive_variable_t>(formal);
    append(variable.type);
    append(variable.align);
    append(variable.dim);
  });
  const auto next = static_cast<uint32_t>(class_of_formals_.size());
  known->second = class_of_formals_.try_emplace(std::move(formals), next).first->second;
  return known->second;
}

/// Checks that no operand refers to a declaration if there is a definition or an earlier declaration.
void Checker::check_references() {
  const auto check = [&](Offset operand, Offset ref) {
    if (superseded_.count(ref) == 0) return;
    operand_error(operand, "BRIG-18.5.1.1-reference",
                  fmt::format("refers to a declaration of {} instead of its definition or first declaration",
                              module_.name(ref)));
  };
  for (Offset at = module_.operands_begin(); at < module_.operands_end();
       at += module_.operand_entry(at).byte_count) {
    if (diagnostics_.limit_reached()) return;
    switch (module_.operand_entry(at).kind) {
      case HSA_BRIG_KIND_OPERAND_ADDRESS:
        check(at, module_.operand_as<hsa_brig_operand_address_t>(at).symbol);
        break;
      case HSA_BRIG_KIND_OPERAND_CODE_REF:
        check(at, module_.operand_as<hsa_brig_operand_code_ref_t>(at).ref);
        break;
      case HSA_BRIG_KIND_OPERAND_CODE_LIST: {
        const Offset list = module_.operand_as<hsa_brig_operand_code_list_t>(at).elements;
        const auto elements = module_.offsets(list);
        walk_once(Asked::references, 0, list, elements.size(), [&] {
          for (const Offset ref : elements)
            if (!diagnostics_.limit_reached()) check(at, ref);
        });
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace heddle::brig
