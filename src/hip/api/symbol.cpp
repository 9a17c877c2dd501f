// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of device code.
#include "functions.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

hipError_t copy_to(const void* symbol, const void* src, size_t size, size_t offset, hipMemcpyKind kind,
                   hipStream_t stream, Waiting waiting) {
  if (kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost) return hipErrorInvalidMemcpyDirection;
  const auto target = Runtime::get().stream(stream);
  copy(part_of_variable(symbol, target->device(), size, offset), src, size, kind, *target, waiting);
  return hipSuccess;
}

hipError_t copy_from(void* dst, const void* symbol, size_t size, size_t offset, hipMemcpyKind kind,
                     hipStream_t stream, Waiting waiting) {
  if (kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice) return hipErrorInvalidMemcpyDirection;
  const auto target = Runtime::get().stream(stream);
  copy(dst, part_of_variable(symbol, target->device(), size, offset), size, kind, *target, waiting);
  return hipSuccess;
}

}  // namespace

hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol) {
  if (devPtr == nullptr) return hipErrorInvalidValue;
  *devPtr = find_variable(symbol, Runtime::get().device()).address;
  return hipSuccess;
}

hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
  if (size == nullptr) return hipErrorInvalidValue;
  *size = find_variable(symbol, Runtime::get().device()).size;
  return hipSuccess;
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                             hipMemcpyKind kind) {
  return copy_to(symbol, src, sizeBytes, offset, kind, nullptr, Waiting::yes);
}

hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                 hipMemcpyKind kind) {
  return copy_to(symbol, src, sizeBytes, offset, kind, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t sizeBytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
  return copy_to(symbol, src, sizeBytes, offset, kind, stream, Waiting::no);
}

hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                               hipMemcpyKind kind) {
  return copy_from(dst, symbol, sizeBytes, offset, kind, nullptr, Waiting::yes);
}

hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                   hipMemcpyKind kind) {
  return copy_from(dst, symbol, sizeBytes, offset, kind, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t sizeBytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return copy_from(dst, symbol, sizeBytes, offset, kind, stream, Waiting::no);
}

}  // namespace heddle::hip::api
