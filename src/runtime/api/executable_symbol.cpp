// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbols of executables (Runtime 2.8.1.37 to 2.8.1.49).
#include <mutex>

#include "runtime/api/symbol_attributes.h"
#include "runtime/core/executable.h"

using namespace heddle::runtime;

namespace {

using S = const ExecutableSymbol&;
using V = api::Value;

void put_object(S symbol, V value) { value.put<uint64_t>(symbol.object.load()); }

/// The attributes that only symbols of executables have; those of code objects lack them.
constexpr api::Attribute<ExecutableSymbol> symbol_attributes[] = {
    {HSA_EXECUTABLE_SYMBOL_INFO_AGENT,
     [](S symbol, V value) {
       value.put<hsa_agent_t>(symbol.agent == nullptr ? hsa_agent_t{0} : symbol.agent->handle);
     }},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, put_object},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, put_object},
    {HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT,
     // The attribute is as wide as an address.
     [](S symbol, V value) { value.put<uintptr_t>(static_cast<uintptr_t>(symbol.object.load())); }},
    {HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME_LENGTH,
     [](S symbol, V value) {
       value.put<uint32_t>(static_cast<uint32_t>(symbol.description.linker_name.size()));
     }},
    {HSA_EXECUTABLE_SYMBOL_INFO_LINKER_NAME,
     [](S symbol, V value) { value.put_text(symbol.description.linker_name); }},
};

hsa_status_t give(const std::shared_ptr<ExecutableSymbol>& found, hsa_executable_symbol_t* symbol) {
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  *symbol = found->handle;
  return HSA_STATUS_SUCCESS;
}

bool symbol_has(const ExecutableSymbol& symbol, uint32_t attribute) {
  std::lock_guard lock(symbol.description_mutex);
  return api::symbol_has(symbol.description.kind, attribute);
}

/// Gives a kernel of a lazy code object its code if the attribute depends on it.
hsa_status_t finalize_for(ExecutableSymbol& symbol, uint32_t attribute) {
  if (attribute != HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT &&
      attribute != HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE)
    return HSA_STATUS_SUCCESS;
  const auto executable = symbol.finalizes.lock();
  return executable == nullptr ? HSA_STATUS_SUCCESS : executable->finalize_kernel(symbol);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char* module_name,
                                       const char* symbol_name, hsa_agent_t agent, int32_t call_convention,
                                       hsa_executable_symbol_t* symbol) {
  (void)call_convention;  // there is only one call convention
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (symbol_name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return give(found->find(runtime.topology().agent(agent), module_name, symbol_name), symbol);
  });
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* linker_name,
                                               const hsa_agent_t* agent, hsa_executable_symbol_t* symbol) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (linker_name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* owner = agent == nullptr ? nullptr : runtime.topology().agent(*agent);
    // An invalid agent has no symbols.
    if (agent != nullptr && owner == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    return give(found->find_linker_name(owner, linker_name), symbol);
  });
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol,
                                            hsa_executable_symbol_info_t attribute, void* value) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executable_symbols.get(executable_symbol.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    const auto number = static_cast<uint32_t>(attribute);
    if (value == nullptr || !symbol_has(*found, number)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (const hsa_status_t made = finalize_for(*found, number); made != HSA_STATUS_SUCCESS) return made;
    std::lock_guard lock(found->description_mutex);
    const hsa_status_t status = api::get_attribute(symbol_attributes, number, value, *found);
    return status == HSA_STATUS_SUCCESS ? status : api::get_symbol_info(found->description, number, value);
  });
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                                  hsa_status_t (*callback)(hsa_executable_t exec,
                                                                           hsa_agent_t agent,
                                                                           hsa_executable_symbol_t symbol,
                                                                           void* data),
                                                  void* data) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    const Agent* owner = runtime.topology().agent(agent);
    if (owner == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->symbols(), [&](const auto& symbol) {
      return symbol->agent == owner ? callback(executable, agent, symbol->handle, data) : HSA_STATUS_SUCCESS;
    });
  });
}

hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data), void* data) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->symbols(), [&](const auto& symbol) {
      return symbol->agent == nullptr ? callback(executable, symbol->handle, data) : HSA_STATUS_SUCCESS;
    });
  });
}

hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable,
    hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void* data), void* data) {
  return api::guard([&](Runtime& runtime) {
    auto found = runtime.objects().executables.get(executable.handle);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return api::iterate(found->symbols(),
                        [&](const auto& symbol) { return callback(executable, symbol->handle, data); });
  });
}

}  // namespace heddle::runtime::functions
