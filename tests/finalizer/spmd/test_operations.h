// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Definitions of target operations for tests, which tell how and for which lane they were called.
#pragma once

#include <cstdint>

#include "finalizer/llvm.h"

namespace heddle::testing {

/// What the definitions read. Code finds it by the names "test.item" and "test.active".
struct ItemState {
  uint32_t* item = nullptr;    ///< the ID of the work-item, or of lane 0 of the wave
  uint64_t* active = nullptr;  ///< the lanes that execute the function
};

/// Defines the target operations that a module declares, for waves of this many lanes. What they compute has
/// nothing to do with HSAIL, except for operations on active lanes.
void define_test_operations(llvm::Module& module, unsigned lanes);

}  // namespace heddle::testing
