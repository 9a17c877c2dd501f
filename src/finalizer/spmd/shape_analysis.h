// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the shapes of all values of a function.
#pragma once

#include <vector>

#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

/// Which work-items the lanes of a wave are.
enum class Body : uint8_t {
  row,      ///< lane i is the i-th of work-items that are consecutive in x and equal in y and z, in all lanes
  general,  ///< any, perhaps none in some lanes
};

using TestedInstructions = llvm::SmallPtrSet<const llvm::Instruction*, 8>;

/// What is known of the waves that execute a function.
struct ShapeRequest {
  uint32_t lanes = 1;  ///< of a wave: a power of two, at most 256
  Body body = Body::general;
  /// Whether all lanes are active when the function begins.
  bool all_active = false;
  /// Powers of two that divide, for Body::row, the workitemid in x of lane 0, and the size in x of the
  /// packet's work-groups. If that size is a multiple of `lanes`, both are `lanes`.
  uint64_t first_id_alignment = 1;
  uint64_t group_size_alignment = 1;
  /// The distance in bytes from the private segment of one lane to that of the next, or 0 if it is not known.
  int64_t private_stride = 0;
  /// Whether the lanes are work-items with consecutive flattened IDs in a full work-group, that of lane 0
  /// being a multiple of `lanes`. Only then do promises for slices of work-items (PRM 2.12.1) hold for waves.
  bool follows_slices = false;
  /// Whether the lanes may be work-items of several work-groups. Then promises for whole work-groups do not
  /// hold for waves.
  bool merges_groups = false;
  uint32_t wavesize = 0;  ///< WAVESIZE, which width(WAVESIZE) speaks of; 0: not known
  /// What code has tested before it is executed (entry_tests.h): extensions whose operands do not wrap around
  /// between the lanes of the wave, and comparisons that have the same result in all lanes.
  TestedInstructions tested;
  /// The shapes of the function's arguments. Those after the end of the list are varying, but the context,
  /// argument 0, is always uniform.
  std::vector<Shape> arguments;
};

/// Computes the shapes of the values of a function. Its registers are values and its addresses pointers with
/// offsets (lower/values.h). Best results need loops in LCSSA form: a value of a loop that work-items leave
/// in different iterations is varying if anything but a phi uses it behind the loop. In a function with
/// irreducible control flow everything varies.
Shapes compute_shapes(llvm::Function& function, const ShapeRequest& request);

}  // namespace heddle::finalizer::spmd
