// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/linker_name.h"

namespace heddle::runtime {

namespace {

constexpr std::string_view separator = "::";

/// Names with module scope begin with &, names with function scope with % (PRM 4.6.2).
bool is_symbol_name(std::string_view name) { return name.size() > 1 && (name[0] == '&' || name[0] == '%'); }

}  // namespace

bool split_linker_name(std::string_view linker_name, SplitName& names) {
  const size_t at = linker_name.find(separator);
  if (at == std::string_view::npos) {
    names = {linker_name, {}};
    return is_symbol_name(linker_name);
  }
  names = {linker_name.substr(at + separator.size()), linker_name.substr(0, at)};
  return is_symbol_name(names.symbol) && is_symbol_name(names.module);
}

bool join_linker_name(std::string_view symbol, std::string_view module, std::string& linker_name) {
  if (!is_symbol_name(symbol)) return false;
  linker_name.clear();
  if (!module.empty()) linker_name.append(module).append(separator);
  linker_name.append(symbol);
  return true;
}

std::string_view bare_name(std::string_view name) {
  if (!name.empty() && name.front() == '&') name.remove_prefix(1);
  return name;
}

bool names_match(std::string_view name, std::string_view asked) {
  constexpr std::string_view suffix = ".kd";
  const std::string_view bare = bare_name(name);
  std::string_view wanted = bare_name(asked);
  for (;;) {
    if (bare == wanted) return true;
    if (!wanted.ends_with(suffix)) return false;
    wanted.remove_suffix(suffix.size());
  }
}

}  // namespace heddle::runtime
