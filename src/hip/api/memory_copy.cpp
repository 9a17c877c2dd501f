// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of bytes.
#include "functions.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

hipError_t copy_in(hipStream_t stream, void* to, const void* from, size_t size, hipMemcpyKind kind,
                   Waiting waiting) {
  const auto target = Runtime::get().stream(stream);
  copy(to, from, size, kind, *target, waiting);
  return hipSuccess;
}

}  // namespace

hipError_t hipMemcpy(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
  return copy_in(nullptr, dst, src, sizeBytes, kind, Waiting::yes);
}

hipError_t hipMemcpy_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind) {
  return copy_in(hipStreamPerThread, dst, src, sizeBytes, kind, Waiting::yes);
}

hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  return copy_in(stream, dst, src, sizeBytes, kind, Waiting::yes);
}

hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return copy_in(stream, dst, src, sizeBytes, kind, Waiting::no);
}

hipError_t hipMemcpyAsync_spt(void* dst, const void* src, size_t sizeBytes, hipMemcpyKind kind,
                              hipStream_t stream) {
  return hipMemcpyAsync(dst, src, sizeBytes, kind, stream == nullptr ? hipStreamPerThread : stream);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void* src, size_t sizeBytes) {
  return hipMemcpy(dst, src, sizeBytes, hipMemcpyHostToDevice);
}

hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t sizeBytes) {
  return hipMemcpy(dst, src, sizeBytes, hipMemcpyDeviceToHost);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes) {
  return hipMemcpy(dst, src, sizeBytes, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void* src, size_t sizeBytes, hipStream_t stream) {
  return hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyHostToDevice, stream);
}

hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
  return hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyDeviceToHost, stream);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t sizeBytes, hipStream_t stream) {
  return hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyDeviceToDevice, stream);
}

hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t sizeBytes) {
  Runtime::get().device(dstDeviceId);
  Runtime::get().device(srcDeviceId);
  return hipMemcpy(dst, src, sizeBytes, hipMemcpyDefault);
}

hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDevice, size_t sizeBytes,
                              hipStream_t stream) {
  Runtime::get().device(dstDeviceId);
  Runtime::get().device(srcDevice);
  return hipMemcpyAsync(dst, src, sizeBytes, hipMemcpyDefault, stream);
}

}  // namespace heddle::hip::api
