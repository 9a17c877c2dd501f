// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/code_hooks.h"

namespace heddle::check {
namespace {

void note_symbol(hsa_executable_t executable, hsa_executable_symbol_t symbol) {
  Call call("the callback of an iteration");
  guarded(call, [&](Checker& checker) { checker.kernels.note_symbol(symbol.handle, executable.handle); });
}

hsa_status_t symbol_found(hsa_executable_t executable, hsa_executable_symbol_t symbol, void* data) {
  note_symbol(executable, symbol);
  const auto* call = static_cast<const Call*>(data);
  return reinterpret_cast<SymbolCallback>(call->callback)(executable, symbol, call->callback_data);
}

hsa_status_t agent_symbol_found(hsa_executable_t executable, hsa_agent_t agent,
                                hsa_executable_symbol_t symbol, void* data) {
  note_symbol(executable, symbol);
  const auto* call = static_cast<const Call*>(data);
  return reinterpret_cast<AgentSymbolCallback>(call->callback)(executable, agent, symbol,
                                                               call->callback_data);
}

template <typename Callback>
void replace(Call& call, Callback& callback, void*& data, Callback replacement) {
  if (callback == nullptr) return;
  call.callback = reinterpret_cast<void (*)()>(callback);
  call.callback_data = data;
  callback = replacement;
  data = &call;
}

}  // namespace

void GetSymbol::note(Checker& checker, hsa_executable_t executable, const hsa_executable_symbol_t* symbol) {
  checker.kernels.note_symbol(symbol->handle, executable.handle);
}

void GetSymbolInfo::after(Checker& checker, Call&, hsa_status_t status, hsa_executable_symbol_t symbol,
                          hsa_executable_symbol_info_t attribute, void* value) {
  if (status != HSA_STATUS_SUCCESS || attribute != HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT) return;
  checker.kernels.note(symbol, *static_cast<const uint64_t*>(value));
}

void IterateSymbols::before(Checker&, Call& call, hsa_executable_t, SymbolCallback& callback, void*& data) {
  replace<SymbolCallback>(call, callback, data, &symbol_found);
}

void IterateAgentSymbols::before(Checker&, Call& call, hsa_executable_t, hsa_agent_t,
                                 AgentSymbolCallback& callback, void*& data) {
  replace<AgentSymbolCallback>(call, callback, data, &agent_symbol_found);
}

void DestroyExecutable::before(Checker& checker, Call& call, hsa_executable_t executable) {
  if (checker.objects.is_live(Kind::executable, executable.handle))
    checker.flights.check_executable(executable.handle, checker.objects, call.findings);
}

void DestroyExecutable::after(Checker& checker, Call& call, hsa_status_t status,
                              hsa_executable_t executable) {
  if (status == HSA_STATUS_SUCCESS) checker.kernels.executable_destroyed(executable.handle, call.event());
}

}  // namespace heddle::check
