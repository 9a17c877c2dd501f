// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors whose lanes have vectors, as vectors of their elements and back.
#pragma once

#include "finalizer/spmd/parts.h"

namespace heddle::finalizer::spmd {

/// Returns what each lane of a part has as element `index` of its vector.
llvm::Value* create_element_of_lanes(llvm::IRBuilderBase& ir, llvm::Value* part, unsigned index,
                                     const WaveShape& wave);

/// Returns the part in which the vector of each lane has the lane's elements of these vectors, of which there
/// are at least 2.
llvm::Value* create_vectors_of_lanes(llvm::IRBuilderBase& ir, llvm::ArrayRef<llvm::Value*> elements,
                                     const WaveShape& wave);

}  // namespace heddle::finalizer::spmd
