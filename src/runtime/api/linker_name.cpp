// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linker names of the finalizer extension (Runtime 3.2.1.22, 3.2.1.23).
#include "runtime/core/linker_name.h"

#include <hsa/hsa_ext_finalize.h>

#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

/// Stores the length and, if there is a buffer, the name with a NUL.
void give(std::string_view name, char* buffer, uint32_t* length) {
  *length = static_cast<uint32_t>(name.size());
  if (buffer != nullptr) api::Value(buffer).put_c_string(name);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_symbol_split_hsail_linker_name(const char* linker_name, uint32_t linker_name_length,
                                                    hsa_isa_t isa, char* symbol_name,
                                                    uint32_t* symbol_name_length, char* module_name,
                                                    uint32_t* module_name_length) {
  return api::guard([&](Runtime& runtime) {
    if (linker_name == nullptr || symbol_name_length == nullptr || module_name_length == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.topology().isa(isa) == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    SplitName names;
    if (!split_linker_name({linker_name, linker_name_length}, names))
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    give(names.symbol, symbol_name, symbol_name_length);
    give(names.module, module_name, module_name_length);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_ext_symbol_join_hsail_linker_name(const char* symbol_name, uint32_t symbol_name_length,
                                                   const char* module_name, uint32_t module_name_length,
                                                   hsa_isa_t isa, char* linker_name,
                                                   uint32_t* linker_name_length) {
  return api::guard([&](Runtime& runtime) {
    if (symbol_name == nullptr || (module_name == nullptr && module_name_length != 0) ||
        linker_name_length == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.topology().isa(isa) == nullptr) return HSA_STATUS_ERROR_INVALID_ISA;
    std::string joined;
    if (!join_linker_name({symbol_name, symbol_name_length}, {module_name, module_name_length}, joined))
      return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    give(joined, linker_name, linker_name_length);
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
