// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells what an instruction does with subnormal numbers. A target whose processor has a mode that flushes
// them can use the mode for programs in which no instruction has to keep them.
#pragma once

#include <cstdint>

#include "hsail/isa/isa.h"

namespace heddle::finalizer {

enum class Subnormals : uint8_t {
  indifferent,  ///< does not depend on whether they are flushed, or promises nothing (PRM 5.14)
  flushed,      ///< flushes them (PRM 4.19.3)
  kept,         ///< computes with them, or may call unknown code that does
};

/// Returns what an instruction does with subnormal numbers. Instructions on f16 are indifferent: they flush
/// by integer operations, and compute in wider types, in which no value of f16 is subnormal. Instructions
/// that only move or change bits are indifferent, too.
Subnormals subnormals_in(const isa::Fields& instruction);

}  // namespace heddle::finalizer
