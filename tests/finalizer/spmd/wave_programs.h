// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random functions for tests of widening.
#pragma once

#include <memory>

#include "finalizer/llvm.h"

namespace heddle::testing {

/// Bytes of memory that each work-item has in functions of random_wave_program().
inline constexpr unsigned random_lane_bytes = 48;

/// Makes a module with a function @f (widened.h) of structured control flow, with values of many types. What
/// each work-item does is defined, and work-items do not touch each other's memory. With calls there are
/// functions that return in several places and call each other, by name and by handle, up to some depth.
std::unique_ptr<llvm::Module> random_wave_program(llvm::LLVMContext& context, uint32_t seed,
                                                  bool with_calls = false);

}  // namespace heddle::testing
