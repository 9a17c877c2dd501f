// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked in calls of functions on executables and their symbols.
#pragma once

#include <tuple>

#include "layers/check/hooks.h"

namespace heddle::check {

using SymbolCallback = hsa_status_t (*)(hsa_executable_t, hsa_executable_symbol_t, void*);
using AgentSymbolCallback = hsa_status_t (*)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*);

/// All functions that return a symbol have the executable first and the symbol last.
struct GetSymbol {
  static void note(Checker&, hsa_executable_t executable, const hsa_executable_symbol_t* symbol);
  template <typename... Between>
  static void after(Checker& checker, Call&, hsa_status_t status, hsa_executable_t executable,
                    Between... between) {
    if (status != HSA_STATUS_SUCCESS) return;
    note(checker, executable, std::get<sizeof...(Between) - 1>(std::tuple(between...)));
  }
};
struct GetSymbolInfo {
  static void after(Checker&, Call&, hsa_status_t status, hsa_executable_symbol_t symbol,
                    hsa_executable_symbol_info_t attribute, void* value);
};
struct IterateSymbols {
  static void before(Checker&, Call&, hsa_executable_t, SymbolCallback& callback, void*& data);
};
struct IterateAgentSymbols {
  static void before(Checker&, Call&, hsa_executable_t, hsa_agent_t, AgentSymbolCallback& callback,
                     void*& data);
};
struct DestroyExecutable {
  static void before(Checker&, Call&, hsa_executable_t executable);
  static void after(Checker&, Call&, hsa_status_t status, hsa_executable_t executable);
};

HEDDLE_CHECK_HOOK(hsa_executable_get_symbol, GetSymbol)
HEDDLE_CHECK_HOOK(hsa_executable_get_symbol_by_name, GetSymbol)
HEDDLE_CHECK_HOOK(hsa_executable_symbol_get_info, GetSymbolInfo)
HEDDLE_CHECK_HOOK(hsa_executable_iterate_symbols, IterateSymbols)
HEDDLE_CHECK_HOOK(hsa_executable_iterate_program_symbols, IterateSymbols)
HEDDLE_CHECK_HOOK(hsa_executable_iterate_agent_symbols, IterateAgentSymbols)
HEDDLE_CHECK_HOOK(hsa_executable_destroy, DestroyExecutable)

}  // namespace heddle::check
