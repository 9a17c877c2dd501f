// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hipMemcpy3D() and its relatives copy.
#include "hip/core/array.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

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
  if (size.width > memory.pitch) throw Failure(hipErrorInvalidPitchValue);
  if (first.x > memory.pitch - size.width)
    throw Failure(hipErrorInvalidValue, "a copy reaches beyond the rows of its memory");
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

/// One end of a copy of hip_Memcpy2D or HIP_MEMCPY3D, whose positions and pitches are in bytes and rows.
struct DescribedEnd {
  hipMemoryType type;
  const void* host;
  hipDeviceptr_t device;
  hipArray_t array;
  size_t x, y, z, pitch, height;
};

Block block_of(const DescribedEnd& end, const BlockSize& size) {
  if (end.type == hipMemoryTypeArray) {
    if (end.array == nullptr) throw Failure(hipErrorInvalidValue);
    return find_array(end.array)->part(end.x, end.y, end.z, size);
  }
  const void* const first = end.type == hipMemoryTypeHost ? end.host : end.device;
  auto* const address = static_cast<std::byte*>(const_cast<void*>(first));
  if (address == nullptr) throw Failure(hipErrorInvalidValue);
  // Rows without a pitch follow each other.
  const size_t pitch = end.pitch != 0 ? end.pitch : size.width;
  if (size.width > pitch) throw Failure(hipErrorInvalidValue, "the pitch is less than the width of the copy");
  // Without a height of their own, layers have that of the copy. A copy of one layer needs none.
  const size_t height = end.height != 0 ? end.height : size.height;
  const bool rows_fit = size.depth <= 1 || (end.y <= height && size.height <= height - end.y);
  if (end.x > pitch - size.width || !rows_fit)
    throw Failure(hipErrorInvalidValue, "a copy reaches beyond the rows or layers of its memory");
  const size_t slice = pitch * height;
  std::byte* const begin = address + end.z * slice + end.y * pitch + end.x;
  if (end.type == hipMemoryTypeDevice && !Runtime::get().memory().find(begin))
    throw Failure(hipErrorInvalidValue, "a copy is said to begin in memory of a device, and does not");
  return {begin, pitch, slice};
}

}  // namespace

BlockCopy block_copy_of(const hip_Memcpy2D& params) {
  const hip_Memcpy2D& c = params;
  const BlockSize size{c.WidthInBytes, c.Height};
  return {
      block_of({c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0},
               size),
      block_of({c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0},
               size),
      size};
}

BlockCopy block_copy_of(const HIP_MEMCPY3D& params) {
  const HIP_MEMCPY3D& c = params;
  const BlockSize size{c.WidthInBytes, c.Height, c.Depth};
  return {block_of({c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, c.dstZ,
                    c.dstPitch, c.dstHeight},
                   size),
          block_of({c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, c.srcZ,
                    c.srcPitch, c.srcHeight},
                   size),
          size};
}

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
