// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of the runtime do. Programs call the exported functions of the same names, which only
// call an entry of a table (interception/api_tables.h); the entry is one of these functions unless a tool has
// replaced it. The runtime itself calls these functions, so that tools do not see its own calls.
#pragma once

#include <hsa/hsa_ven_heddle_trace.h>

namespace heddle::runtime::functions {

#define HEDDLE_DECLARE(name) decltype(::name)(name);
HSA_CORE_API_FUNCTIONS(HEDDLE_DECLARE)
HSA_AMD_EXT_API_FUNCTIONS(HEDDLE_DECLARE)
HSA_FINALIZER_EXT_API_FUNCTIONS(HEDDLE_DECLARE)
HSA_IMAGE_EXT_API_FUNCTIONS(HEDDLE_DECLARE)
HSA_PC_SAMPLING_EXT_API_FUNCTIONS(HEDDLE_DECLARE)
HEDDLE_API_FUNCTIONS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

}  // namespace heddle::runtime::functions
