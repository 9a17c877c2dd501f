// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of rows and blocks.
#include "functions.h"
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

/// Returns the address that counts for a type of memory. Throws Failure (NotSupported) for arrays.
std::byte* address_of(hipMemoryType type, const void* host, hipDeviceptr_t device) {
  if (type == hipMemoryTypeArray) throw Failure(hipErrorNotSupported);
  std::byte* const address = bytes_at(type == hipMemoryTypeHost ? host : device);
  if (address == nullptr) throw Failure(hipErrorInvalidValue);
  return address;
}

hipError_t copy_described(const hip_Memcpy2D* copy, hipStream_t stream, Waiting waiting) {
  if (copy == nullptr) return hipErrorInvalidValue;
  std::byte* const from = address_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice);
  std::byte* const to = address_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice);
  return copy_rows(to + copy->dstY * copy->dstPitch + copy->dstXInBytes, copy->dstPitch,
                   from + copy->srcY * copy->srcPitch + copy->srcXInBytes, copy->srcPitch, copy->WidthInBytes,
                   copy->Height, hipMemcpyDefault, stream, waiting);
}

hipError_t copy_described(const HIP_MEMCPY3D* copy, hipStream_t stream, Waiting waiting) {
  if (copy == nullptr) return hipErrorInvalidValue;
  const size_t from_slice = size_t{copy->srcPitch} * copy->srcHeight,
               to_slice = size_t{copy->dstPitch} * copy->dstHeight;
  std::byte* const from = address_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice);
  std::byte* const to = address_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice);
  const auto target = Runtime::get().stream(stream);
  copy_block({to + copy->dstZ * to_slice + copy->dstY * size_t{copy->dstPitch} + copy->dstXInBytes,
              copy->dstPitch, to_slice},
             {from + copy->srcZ * from_slice + copy->srcY * size_t{copy->srcPitch} + copy->srcXInBytes,
              copy->srcPitch, from_slice},
             {copy->WidthInBytes, copy->Height, copy->Depth}, hipMemcpyDefault, *target, waiting);
  return hipSuccess;
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
