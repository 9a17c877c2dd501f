// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the values of all work-items of a wave are kept in vectors.
#pragma once

#include <cassert>
#include <cstdint>

#include <llvm/Support/MathExtras.h>

#include "finalizer/llvm.h"

namespace heddle::finalizer::spmd {

/// How many work-items execute together, and how many of them one vector holds. A value of a wave has one
/// vector for each part. A work-item's value may itself be a vector (a packed value of HSAIL); then a part
/// has the elements of its first lane, those of the second lane, and so on.
struct WaveShape {
  unsigned lanes = 1;       ///< a power of two, at most 64
  unsigned part_lanes = 1;  ///< a power of two that divides `lanes`

  unsigned parts() const { return lanes / part_lanes; }
  bool is_valid() const {
    return llvm::isPowerOf2_32(lanes) && llvm::isPowerOf2_32(part_lanes) && part_lanes <= lanes &&
           lanes <= 64;
  }
};

/// One value of all lanes. The first part has the lanes with the lowest numbers.
using Parts = llvm::SmallVector<llvm::Value*, 4>;

/// Returns how many elements one lane has in a value of this type: 1 unless it is a vector.
unsigned elements_of(const llvm::Type& type);

/// Returns the type of a part for lanes that have values of `type`, which is a number, a pointer, or a vector
/// of these.
llvm::FixedVectorType* part_type(llvm::Type& type, const WaveShape& wave);

/// Returns a part in which all lanes have the same value.
llvm::Value* create_splat(llvm::IRBuilderBase& ir, llvm::Value* value, const WaveShape& wave);

/// Returns a vector in which lane i of a part has i + first_lane, times a factor.
llvm::Constant* lane_multiples(llvm::IntegerType& type, unsigned first_lane, int64_t factor,
                               const WaveShape& wave);

/// Returns a vector with each element `count` times in a row.
llvm::Value* create_repeated(llvm::IRBuilderBase& ir, llvm::Value* vector, unsigned count);

/// Returns a run of consecutive elements of a vector.
llvm::Value* create_slice(llvm::IRBuilderBase& ir, llvm::Value* vector, unsigned first, unsigned count);

/// Returns the value of one lane of a part, and a part with another value in one lane. `type` is that of the
/// lane's value.
llvm::Value* extract_lane(llvm::IRBuilderBase& ir, llvm::Value* part, unsigned lane, llvm::Type& type);
llvm::Value* insert_lane(llvm::IRBuilderBase& ir, llvm::Value* part, unsigned lane, llvm::Value* value);

}  // namespace heddle::finalizer::spmd
