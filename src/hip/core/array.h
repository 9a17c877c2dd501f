// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array of HIP: memory of a device that textures and surfaces are made of.
#pragma once

#include <hip/runtime/types.h>

#include "hip/core/channels.h"
#include "hip/core/copy.h"
#include "hip/core/device.h"

namespace heddle::hip {

/// What an array is, as the program describes it: a height of 0 means one dimension, a depth of 0 at most
/// two, and with hipArrayLayered the depth is the number of layers. With hipArrayCubemap it is that of the
/// six faces of each cube. Sizes are in elements.
struct ArrayShape {
  Channels channels;
  hipExtent extent{};
  unsigned flags = hipArrayDefault;
};

/// Whether the depth counts layers or faces, which are images of their own.
inline bool is_layered(const ArrayShape& shape) {
  return (shape.flags & (hipArrayLayered | hipArrayCubemap)) != 0;
}

/// The memory has HSA's linear layout, so that it can be copied like any other and that one array serves
/// images of several formats.
class Array {
 public:
  /// Allocates the memory. Throws Failure: InvalidValue for a shape that no image of the device has,
  /// NotSupported if the device has no images of the kind, OutOfMemory.
  Array(Device& device, const ArrayShape& shape);
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  Device& device() const { return device_; }
  const ArrayShape& shape() const { return shape_; }
  const Block& block() const { return block_; }
  /// An image that covers the array.
  hsa_ext_image_descriptor_t image(const hsa_ext_image_format_t& format) const;
  size_t row_size() const { return shape_.extent.width * shape_.channels.element_size(); }
  size_t rows() const { return std::max<size_t>(shape_.extent.height, 1); }
  size_t layers() const { return std::max<size_t>(shape_.extent.depth, 1); }

  /// Returns the part that begins at a byte of a row; the width of its size is in bytes. Throws Failure
  /// (InvalidValue) if it is not inside.
  Block part(size_t x, size_t y, size_t z, const BlockSize& size) const;

 private:
  Device& device_;
  ArrayShape shape_;
  Block block_{};
};

/// Returns the array for a handle. Throws Failure (`otherwise`) if there is none.
std::shared_ptr<Array> find_array(hipArray_const_t handle, hipError_t otherwise = hipErrorInvalidHandle);

}  // namespace heddle::hip
