// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions of target operations for tests, which tell how and for which lane they were called.
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::testing {

/// What the definitions read. Code finds it by the names "test.item", "test.active" and "test.is_wave".
struct ItemState {
  uint32_t* item = nullptr;    ///< the ID of the work-item, or of lane 0 of the wave
  uint64_t* active = nullptr;  ///< the lanes that execute the function
  uint8_t* is_wave = nullptr;  ///< whether a wave executes the function, so that handles are those of waves
};

/// Defines the target operations that a module declares, for waves of this many lanes. What they compute has
/// nothing to do with HSAIL, except for operations on active lanes, and handles of functions: symbol N is the
/// function @function.N, whose form for waves is @function.N.wave.
void define_test_operations(llvm::Module& module, unsigned lanes);

}  // namespace heddle::testing
