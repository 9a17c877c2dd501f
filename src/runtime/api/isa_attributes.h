// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/api/api.h"

namespace heddle::runtime::api {

/// Implements hsa_isa_get_info, also for the finalizer's ISAs. INVALID_INDEX, INVALID_ARGUMENT.
hsa_status_t get_isa_info(const Isa& isa, uint32_t attribute, uint32_t index, void* value);

/// Returns the ISA of this name that the finalizer can generate code for, or null if there is no such ISA or
/// no finalizer.
const Isa* find_finalizer_isa(Runtime& runtime, std::string_view name);

}  // namespace heddle::runtime::api
