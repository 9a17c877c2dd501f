// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction does with subnormal numbers, for targets that flush them by a mode of the processor:
// such a mode serves a program in which no instruction needs the opposite.
#pragma once

#include <cstdint>

#include "hsail/isa/isa.h"

namespace heddle::finalizer {

enum class Subnormals : uint8_t {
  indifferent,  ///< computes nothing that they change, or promises nothing about them (PRM 5.14)
  flushed,      ///< flushes them (PRM 4.19.3)
  kept,         ///< computes with them, or may run code that does and is not known here
};

/// Values of f16 are indifferent: they are flushed by integer operations and computed in wider types, in
/// which no finite value of theirs is subnormal. So are the instructions that move or change bits.
Subnormals subnormals_in(const isa::Fields& instruction);

}  // namespace heddle::finalizer
