// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hipMemcpy3D() copies.
#include "hip/core/array.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

Block block_of(const hipPitchedPtr& memory, const hipPos& first) {
  const size_t slice = memory.pitch * memory.ysize;
  return {static_cast<std::byte*>(memory.ptr) + first.z * slice + first.y * memory.pitch + first.x,
          memory.pitch, slice};
}

/// One end of a copy: an array, in elements, or memory, in bytes.
Block end_of(const Array* array, const hipPitchedPtr& memory, const hipPos& first, const BlockSize& size) {
  if (array != nullptr)
    return array->part(first.x * array->shape().channels.element_size(), first.y, first.z, size);
  if (memory.ptr == nullptr) throw Failure(hipErrorInvalidValue);
  if (first.x > memory.pitch || size.width > memory.pitch - first.x) throw Failure(hipErrorInvalidPitchValue);
  return block_of(memory, first);
}

/// Returns the size of a copy in bytes: the width is in elements if an array takes part.
BlockSize size_of(const hipExtent& extent, const Array* to, const Array* from) {
  const Array* const array = to != nullptr ? to : from;
  const size_t element = array != nullptr ? array->shape().channels.element_size() : 1;
  if (to != nullptr && from != nullptr && from->shape().channels.element_size() != element)
    throw Failure(hipErrorInvalidValue, "the elements of the arrays differ in size");
  size_t width = 0;
  if (__builtin_mul_overflow(extent.width, element, &width)) throw Failure(hipErrorInvalidValue);
  return {width, extent.height, extent.depth};
}

}  // namespace

BlockCopy block_copy_of(const hipMemcpy3DParms& params) {
  const bool twice = (params.srcArray != nullptr && params.srcPtr.ptr != nullptr) ||
                     (params.dstArray != nullptr && params.dstPtr.ptr != nullptr);
  if (twice) throw Failure(hipErrorInvalidValue, "a copy names an array and memory for the same end");
  const auto from = params.srcArray == nullptr ? nullptr : find_array(params.srcArray);
  const auto to = params.dstArray == nullptr ? nullptr : find_array(params.dstArray);
  const BlockSize size = size_of(params.extent, to.get(), from.get());
  return {end_of(to.get(), params.dstPtr, params.dstPos, size),
          end_of(from.get(), params.srcPtr, params.srcPos, size), size};
}

}  // namespace heddle::hip
