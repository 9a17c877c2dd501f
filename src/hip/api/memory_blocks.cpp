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

template <typename Params>
hipError_t copy_described(const Params* params, hipStream_t stream, Waiting waiting) {
  if (params == nullptr) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  const BlockCopy copy = block_copy_of(*params);
  copy_block(copy.to, copy.from, copy.size, hipMemcpyDefault, *target, waiting);
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
