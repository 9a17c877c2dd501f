// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function on its way from what one work-item does to what a wave does, with all that is known of it.
#pragma once

#include <vector>

#include <llvm/IR/ValueHandle.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/masks.h"
#include "finalizer/spmd/shapes.h"

namespace heddle::finalizer::spmd {

struct SpmdFunction {
  /// A convergent operation and the block that it belongs to.
  struct Convergent {
    llvm::WeakVH call;  ///< null once the operation has been deleted
    llvm::WeakVH block;
  };

  llvm::Function& function;
  Shapes shapes;  ///< of all values
  /// The work-items that execute the function: `true`, an argument, or an instruction of the entry block. At
  /// least one does.
  llvm::Value* entry_mask = nullptr;
  MaskMap masks;                       ///< empty before linearise()
  std::vector<Convergent> convergent;  ///< as they were before linearise(), without hsail.any
};

}  // namespace heddle::finalizer::spmd
