// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of all functions that the check layer stands in front of: those of all tables.
#pragma once

#include <hsa/hsa_ven_heddle_trace.h>

/// Expands F(name) for each function.
#define HEDDLE_CHECK_FUNCTIONS(F)      \
  HSA_CORE_API_FUNCTIONS(F)            \
  HSA_AMD_EXT_API_FUNCTIONS(F)         \
  HSA_FINALIZER_EXT_API_FUNCTIONS(F)   \
  HSA_IMAGE_EXT_API_FUNCTIONS(F)       \
  HSA_PC_SAMPLING_EXT_API_FUNCTIONS(F) \
  HEDDLE_API_FUNCTIONS(F)
