// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of which a wave executes one for each work-item, and why it does not do better.
#pragma once

#include <string>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

class Widening;

/// An operation that takes a wave about as long as if its work-items executed it one after the other.
struct CostlyOperation {
  enum class Kind : uint8_t {
    gather,        ///< an instruction that loads from an address of each lane
    scatter,       ///< an instruction that stores at an address of each lane
    lane_by_lane,  ///< an instruction for each lane
  };
  Kind kind = Kind::lane_by_lane;
  /// The place in the source of the kernel, as debug information has it; line 0 if it is not known.
  std::string file;
  unsigned line = 0;
  std::string reason;  ///< for authors of kernels: a clause without a full stop
};

/// Says of an instruction of the scalar function that is widened as one of this kind where it comes from, and
/// what of it keeps the wave from executing it once.
CostlyOperation describe(const Widening& widening, const llvm::Instruction& instruction,
                         CostlyOperation::Kind kind);

}  // namespace heddle::finalizer::spmd
