// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays with levels of detail.
#pragma once

#include <hip/runtime/types.h>

#include <memory>
#include <mutex>
#include <vector>

#include "hip/core/array.h"

namespace heddle::hip {

/// Several arrays, each half as large in every dimension as the one before, rounded down, but never smaller
/// than one element. Layers and faces of cubes stay as many. All functions are thread safe.
class MipmappedArray {
 public:
  /// Allocates the levels: as many as asked for, but at least one and at most as many as halving gives.
  /// Throws Failure as Array's constructor.
  MipmappedArray(Device& device, const ArrayShape& shape, unsigned levels);
  ~MipmappedArray();
  MipmappedArray(const MipmappedArray&) = delete;
  MipmappedArray& operator=(const MipmappedArray&) = delete;

  Device& device() const { return levels_.front()->device(); }
  const ArrayShape& shape() const { return levels_.front()->shape(); }
  size_t levels() const { return levels_.size(); }
  const std::shared_ptr<Array>& level(size_t number) const { return levels_[number]; }

  /// Returns a handle of a level for the program, a new one with each call: programs may free it, which frees
  /// no memory. The last handles go with this array. Throws Failure (InvalidValue).
  hipArray_t handle_of_level(unsigned number);

 private:
  std::vector<std::shared_ptr<Array>> levels_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<char>> names_;  // whose addresses are handles
};

/// Returns the array for a handle. Throws Failure (`otherwise`) if there is none.
std::shared_ptr<MipmappedArray> find_mipmapped_array(hipMipmappedArray_const_t handle, hipError_t otherwise);

}  // namespace heddle::hip
