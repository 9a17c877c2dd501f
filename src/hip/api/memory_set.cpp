// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Filling memory.
#include <limits>

#include "functions.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

std::byte* bytes_at(void* address) { return static_cast<std::byte*>(address); }

hipError_t fill(void* to, size_t count, Pattern pattern, hipStream_t stream, Waiting waiting) {
  size_t size = 0;
  if (__builtin_mul_overflow(count, pattern.element_size, &size)) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  fill_block({bytes_at(to)}, {size}, pattern, *target, waiting);
  return hipSuccess;
}

Pattern byte_of(int value) { return {static_cast<uint32_t>(value) & 0xFF, 1}; }

hipError_t fill_rows(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream,
                     Waiting waiting) {
  const auto target = Runtime::get().stream(stream);
  fill_block({bytes_at(to), pitch}, {width, height}, byte_of(value), *target, waiting);
  return hipSuccess;
}

hipError_t fill_extent(const hipPitchedPtr& to, int value, const hipExtent& extent, hipStream_t stream,
                       Waiting waiting) {
  const auto target = Runtime::get().stream(stream);
  fill_block({bytes_at(to.ptr), to.pitch, to.pitch * to.ysize}, {extent.width, extent.height, extent.depth},
             byte_of(value), *target, waiting);
  return hipSuccess;
}

}  // namespace

hipError_t hipMemset(void* dst, int value, size_t sizeBytes) {
  return fill(dst, sizeBytes, byte_of(value), nullptr, Waiting::yes);
}

hipError_t hipMemset_spt(void* dst, int value, size_t sizeBytes) {
  return fill(dst, sizeBytes, byte_of(value), hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemsetAsync(void* dst, int value, size_t sizeBytes, hipStream_t stream) {
  return fill(dst, sizeBytes, byte_of(value), stream, Waiting::no);
}

hipError_t hipMemsetD8(hipDeviceptr_t dest, unsigned char value, size_t count) {
  return fill(dest, count, {value, 1}, nullptr, Waiting::yes);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dest, unsigned char value, size_t count, hipStream_t stream) {
  return fill(dest, count, {value, 1}, stream, Waiting::no);
}

hipError_t hipMemsetD16(hipDeviceptr_t dest, unsigned short value, size_t count) {
  return fill(dest, count, {value, 2}, nullptr, Waiting::yes);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dest, unsigned short value, size_t count, hipStream_t stream) {
  return fill(dest, count, {value, 2}, stream, Waiting::no);
}

hipError_t hipMemsetD32(hipDeviceptr_t dest, int value, size_t count) {
  return fill(dest, count, {static_cast<uint32_t>(value), 4}, nullptr, Waiting::yes);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
  return fill(dst, count, {static_cast<uint32_t>(value), 4}, stream, Waiting::no);
}

hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height) {
  return fill_rows(dst, pitch, value, width, height, nullptr, Waiting::yes);
}

hipError_t hipMemset2D_spt(void* dst, size_t pitch, int value, size_t width, size_t height) {
  return fill_rows(dst, pitch, value, width, height, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream) {
  return fill_rows(dst, pitch, value, width, height, stream, Waiting::no);
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
  return fill_extent(pitchedDevPtr, value, extent, nullptr, Waiting::yes);
}

hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
  return fill_extent(pitchedDevPtr, value, extent, hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream) {
  return fill_extent(pitchedDevPtr, value, extent, stream, Waiting::no);
}

}  // namespace heddle::hip::api
