// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of rows and blocks.
#include "functions.h"
#include "hip/core/array.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

std::byte* bytes_at(const void* address) { return static_cast<std::byte*>(const_cast<void*>(address)); }

hipError_t copy_rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                     hipMemcpyKind kind, hipStream_t stream, Waiting waiting) {
  const auto target = Runtime::get().stream(stream);
  if (width > dpitch || width > spitch) return hipErrorInvalidPitchValue;
  copy_block({bytes_at(dst), dpitch}, {bytes_at(src), spitch}, {width, height}, kind, *target, waiting);
  return hipSuccess;
}

hipError_t copy_extent(const hipMemcpy3DParms* p, hipStream_t stream, Waiting waiting) {
  if (p == nullptr) return hipErrorInvalidValue;
  const BlockCopy copy = block_copy_of(*p);
  copy_block(copy.to, copy.from, copy.size, p->kind, *Runtime::get().stream(stream), waiting);
  return hipSuccess;
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
  if (end.type == hipMemoryTypeArray) return find_array(end.array)->part(end.x, end.y, end.z, size);
  std::byte* const address = bytes_at(end.type == hipMemoryTypeHost ? end.host : end.device);
  if (address == nullptr) throw Failure(hipErrorInvalidValue);
  if (size.width > end.pitch) throw Failure(hipErrorInvalidPitchValue);
  const size_t slice = end.pitch * end.height;
  return {address + end.z * slice + end.y * end.pitch + end.x, end.pitch, slice};
}

hipError_t copy_ends(const DescribedEnd& to, const DescribedEnd& from, const BlockSize& size,
                     hipStream_t stream, Waiting waiting) {
  const auto target = Runtime::get().stream(stream);
  copy_block(block_of(to, size), block_of(from, size), size, hipMemcpyDefault, *target, waiting);
  return hipSuccess;
}

hipError_t copy_described(const hip_Memcpy2D* copy, hipStream_t stream, Waiting waiting) {
  if (copy == nullptr) return hipErrorInvalidValue;
  const hip_Memcpy2D& c = *copy;
  return copy_ends(
      {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0},
      {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0},
      {c.WidthInBytes, c.Height}, stream, waiting);
}

hipError_t copy_described(const HIP_MEMCPY3D* copy, hipStream_t stream, Waiting waiting) {
  if (copy == nullptr) return hipErrorInvalidValue;
  const HIP_MEMCPY3D& c = *copy;
  return copy_ends({c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, c.dstZ,
                    c.dstPitch, c.dstHeight},
                   {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, c.srcZ,
                    c.srcPitch, c.srcHeight},
                   {c.WidthInBytes, c.Height, c.Depth}, stream, waiting);
}

}  // namespace

hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
  return copy_rows(dst, dpitch, src, spitch, width, height, kind, nullptr, Waiting::yes);
}

hipError_t hipMemcpy2D_spt(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                           size_t height, hipMemcpyKind kind) {
  return copy_rows(dst, dpitch, src, spitch, width, height, kind, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy_rows(dst, dpitch, src, spitch, width, height, kind, stream, Waiting::no);
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* p) { return copy_extent(p, nullptr, Waiting::yes); }

hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* p) {
  return copy_extent(p, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* p, hipStream_t stream) {
  return copy_extent(p, stream, Waiting::no);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* pCopy) {
  return copy_described(pCopy, nullptr, Waiting::yes);
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* pCopy, hipStream_t stream) {
  return copy_described(pCopy, stream, Waiting::no);
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* pCopy) {
  return copy_described(pCopy, nullptr, Waiting::yes);
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* pCopy) { return copy_described(pCopy, nullptr, Waiting::yes); }

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* pCopy, hipStream_t stream) {
  return copy_described(pCopy, stream, Waiting::no);
}

}  // namespace heddle::hip::api
