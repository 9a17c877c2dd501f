// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hipMemcpy3D() copies.
#include "hip/core/copy.h"
#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

Block block_of(const hipPitchedPtr& memory, const hipPos& first) {
  const size_t slice = memory.pitch * memory.ysize;
  return {static_cast<std::byte*>(memory.ptr) + first.z * slice + first.y * memory.pitch + first.x,
          memory.pitch, slice};
}

}  // namespace

BlockCopy block_copy_of(const hipMemcpy3DParms& params) {
  if (params.srcArray != nullptr || params.dstArray != nullptr) throw Failure(hipErrorNotSupported);
  if (params.srcPtr.ptr == nullptr || params.dstPtr.ptr == nullptr) throw Failure(hipErrorInvalidValue);
  const hipExtent& extent = params.extent;
  if (extent.width + params.srcPos.x > params.srcPtr.pitch ||
      extent.width + params.dstPos.x > params.dstPtr.pitch)
    throw Failure(hipErrorInvalidPitchValue);
  return {block_of(params.dstPtr, params.dstPos),
          block_of(params.srcPtr, params.srcPos),
          {extent.width, extent.height, extent.depth}};
}

}  // namespace heddle::hip
