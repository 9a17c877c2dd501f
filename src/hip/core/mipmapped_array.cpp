// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/mipmapped_array.h"

#include <algorithm>
#include <bit>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

size_t most_levels(const ArrayShape& shape) {
  const hipExtent& extent = shape.extent;
  const size_t depth = is_layered(shape) ? 0 : extent.depth;
  return static_cast<size_t>(std::bit_width(std::max({extent.width, extent.height, depth})));
}

/// 0 says that there is no such dimension, and stays.
size_t half(size_t size) { return size > 1 ? size / 2 : size; }

ArrayShape next_level(ArrayShape shape) {
  shape.extent.width = half(shape.extent.width);
  shape.extent.height = half(shape.extent.height);
  if (!is_layered(shape)) shape.extent.depth = half(shape.extent.depth);
  return shape;
}

}  // namespace

MipmappedArray::MipmappedArray(Device& device, const ArrayShape& shape, unsigned levels) {
  // The shape is checked first: the greatest number follows from it.
  levels_.push_back(std::make_shared<Array>(device, shape));
  const size_t count = std::clamp<size_t>(levels, 1, most_levels(shape));
  while (levels_.size() < count)
    levels_.push_back(std::make_shared<Array>(device, next_level(levels_.back()->shape())));
}

MipmappedArray::~MipmappedArray() {
  for (const auto& name : names_) Runtime::get().arrays().take(reinterpret_cast<hipArray_t>(name.get()));
}

hipArray_t MipmappedArray::handle_of_level(unsigned number) {
  if (number >= levels_.size()) throw Failure(hipErrorInvalidValue, "the array has no such level");
  const std::scoped_lock lock(mutex_);
  names_.push_back(std::make_unique<char>());
  return Runtime::get().arrays().add_as(names_.back().get(), levels_[number]);
}

std::shared_ptr<MipmappedArray> find_mipmapped_array(hipMipmappedArray_const_t handle, hipError_t otherwise) {
  auto array = handle == nullptr
                   ? nullptr
                   : Runtime::get().mipmapped_arrays().find(const_cast<hipMipmappedArray_t>(handle));
  if (array == nullptr) throw Failure(otherwise, "there is no such mipmapped array");
  return array;
}

}  // namespace heddle::hip
