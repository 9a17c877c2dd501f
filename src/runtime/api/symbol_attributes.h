// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes that symbols of executables and of code objects have in common. They have the same numbers
// in both enumerations (Runtime 2.8.1.45, 2.8.1.62).
#pragma once

#include "runtime/api/api.h"
#include "runtime/core/symbol.h"

namespace heddle::runtime::api {

/// Writes the value of an attribute. Returns INVALID_ARGUMENT if there is no such attribute, or symbols of
/// this kind lack it.
hsa_status_t get_symbol_info(const SymbolDescription& symbol, uint32_t attribute, void* value);

/// Reports whether symbols of this kind have the attribute.
bool symbol_has(hsa_symbol_kind_t kind, uint32_t attribute);

}  // namespace heddle::runtime::api
