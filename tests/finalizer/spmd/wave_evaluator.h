// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes SPMD IR for one work-item, or linearised SPMD IR for the work-items of a wave in lock-step. It is
// stricter than any machine: it follows poison, and what only the active work-items know is poison for the
// others.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "finalizer/llvm.h"
#include "finalizer/spmd/spmd_function.h"

namespace heddle::testing {

/// One argument of the function for each work-item.
using LaneValues = std::vector<uint64_t>;

/// What the execution of one work-item can be told by.
struct LaneOutcome {
  std::vector<uint32_t> memory;  ///< the words that the first argument points to
  std::vector<uint64_t> trace;   ///< stores (address, value) and calls (callee's number, argument), in order
  uint64_t result = 0;
  friend bool operator==(const LaneOutcome&, const LaneOutcome&) = default;
};

struct WaveOutcome {
  std::vector<LaneOutcome> lanes;
  std::string error;   ///< why the execution ended early, or empty
  uint64_t steps = 0;  ///< instructions executed
};

/// The values of a function's arguments. The first argument is a pointer, to memory that each work-item has
/// for itself.
struct WaveInput {
  unsigned lanes = 1;
  std::vector<LaneValues> arguments;          ///< for each argument after the first one
  std::vector<std::vector<uint32_t>> memory;  ///< for each work-item
};

/// Executes a function for each work-item by itself.
WaveOutcome run_separately(const llvm::Function& function, const WaveInput& input);

/// Executes a linearised function for all work-items together. Ends with an error
/// - if a branch depends on a value that is not uniform, or is poison,
/// - if work-items with the mask do not agree on a value whose shape is uniform,
/// - if an instruction that is not speculatable is executed with an empty mask,
/// - if a mask, or an address or a divisor of an active work-item, is poison.
WaveOutcome run_together(const finalizer::spmd::SpmdFunction& state, const WaveInput& input);

}  // namespace heddle::testing
