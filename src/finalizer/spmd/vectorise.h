// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function of a wave from what one work-item does: all stages, in their order.
#pragma once

#include "finalizer/spmd/entry_tests.h"
#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/widen.h"

namespace heddle::finalizer::spmd {

/// Replaces calls by the bodies of the functions that they call, as far as these are defined, do not lead
/// back to themselves, and the caller does not become larger than `largest` instructions.
void inline_calls(llvm::Function& caller, size_t largest);

/// For which waves a function is made.
enum class BodyKind : uint8_t {
  row,  ///< the work-items are consecutive in x, the first one a multiple of the lanes, and all active
  partial_row,  ///< the same, but only the lanes of a mask are active
  general,      ///< any work-items of a work-group, of which those of a mask are active
};

struct VectoriseRequest {
  WidenRequest widen;
  /// Bodies other than those for rows have another argument behind the context: the mask of the active lanes,
  /// of which there is at least one.
  BodyKind body = BodyKind::general;
  uint32_t wavesize = 0;        ///< WAVESIZE of the ISA
  bool merges_groups = false;   ///< ShapeRequest::merges_groups
  bool follows_slices = false;  ///< whether ShapeRequest::follows_slices is true of the waves of rows
  /// How bodies for rows may refuse waves. They do only if EntryTestRequest::create_refusal is set. Partial
  /// rows are not refused because of bounds.
  EntryTestRequest tests;
};

/// Returns these functions and all others that direct calls lead to from them.
std::vector<llvm::Function*> called_functions(llvm::ArrayRef<llvm::Function*> roots);

/// Makes the function of a wave from `scalar`, a kernel's body or another function (lower/spmd.h), whose
/// registers are values. It stays as it is. The body goes into `declared`, or into a new function if that is
/// null (widen()). If a wave cannot execute the function, returns an Error that says why, for people to read.
Result<WideFunction> vectorise(llvm::Function& scalar, const VectoriseRequest& request,
                               llvm::Function* declared = nullptr);

}  // namespace heddle::finalizer::spmd
