// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between memory and arrays. Widths and offsets are in bytes, also those in arrays.
#include <algorithm>

#include "functions.h"
#include "hip/core/array.h"
#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

enum class Direction : bool { to_array, from_array };

/// Throws Failure for a kind that says that the array is memory of the host.
void check_direction(Direction direction, hipMemcpyKind kind) {
  const hipMemcpyKind wrong =
      direction == Direction::to_array ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice;
  if (kind == hipMemcpyHostToHost || kind == wrong) throw Failure(hipErrorInvalidMemcpyDirection);
}

void copy_part(Direction direction, const Block& part, const Block& memory, const BlockSize& size,
               hipMemcpyKind kind, Stream& stream, Waiting waiting) {
  const bool to_array = direction == Direction::to_array;
  copy_block(to_array ? part : memory, to_array ? memory : part, size, kind, stream, waiting);
}

struct Rows {
  hipArray_const_t array;
  size_t x, y;
  const void* memory;
  size_t pitch, width, height;
};

hipError_t copy_rows(Direction direction, const Rows& rows, hipMemcpyKind kind, hipStream_t stream,
                     Waiting waiting) {
  const auto array = find_array(rows.array);
  const auto target = Runtime::get().stream(stream);
  check_direction(direction, kind);
  if (rows.memory == nullptr) return hipErrorInvalidValue;
  if (rows.width > rows.pitch) return hipErrorInvalidPitchValue;
  const BlockSize size{rows.width, rows.height};
  auto* const memory = static_cast<std::byte*>(const_cast<void*>(rows.memory));
  copy_part(direction, array->part(rows.x, rows.y, 0, size), {memory, rows.pitch}, size, kind, *target,
            waiting);
  return hipSuccess;
}

/// Copies bytes of rows that follow each other: the end of a row, whole rows, the beginning of the last one.
hipError_t copy_bytes(Direction direction, const Array& array, size_t offset, const void* memory,
                      size_t count, hipMemcpyKind kind, hipStream_t stream = nullptr,
                      Waiting waiting = Waiting::yes) {
  check_direction(direction, kind);
  const size_t row = array.row_size(), all = row * array.rows();
  if (memory == nullptr || offset > all || count > all - offset) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(stream);
  auto* at = static_cast<std::byte*>(const_cast<void*>(memory));
  while (count != 0) {
    const size_t x = offset % row;
    const size_t width = std::min(count, row - x);
    const BlockSize size{width, x == 0 && count >= row ? count / row : 1};
    copy_part(direction, array.part(x, offset / row, 0, size), {at, width}, size, kind, *target, waiting);
    const size_t copied = width * size.height;
    at += copied;
    offset += copied;
    count -= copied;
  }
  return hipSuccess;
}

/// Where a byte of all rows lies, and how many bytes of its row follow.
struct Place {
  size_t x, y, rest;
};
Place place_of(const Array& array, size_t offset) {
  const size_t row = array.row_size();
  return {offset % row, offset / row, row - offset % row};
}

/// Returns where a byte of a row lies among the bytes of all rows.
size_t offset_in(const Array& array, size_t x, size_t y) {
  if (x >= array.row_size() || y >= array.rows())
    throw Failure(hipErrorInvalidValue, "the part is not inside of the array");
  return y * array.row_size() + x;
}

}  // namespace

hipError_t hipMemcpy2DToArray(hipArray* dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                              size_t width, size_t height, hipMemcpyKind kind) {
  return copy_rows(Direction::to_array, {dst, wOffset, hOffset, src, spitch, width, height}, kind, nullptr,
                   Waiting::yes);
}

hipError_t hipMemcpy2DToArray_spt(hipArray* dst, size_t wOffset, size_t hOffset, const void* src,
                                  size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
  return copy_rows(Direction::to_array, {dst, wOffset, hOffset, src, spitch, width, height}, kind,
                   hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpy2DToArrayAsync(hipArray* dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream) {
  return copy_rows(Direction::to_array, {dst, wOffset, hOffset, src, spitch, width, height}, kind, stream,
                   Waiting::no);
}

hipError_t hipMemcpy2DFromArray(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind) {
  return copy_rows(Direction::from_array, {src, wOffset, hOffset, dst, dpitch, width, height}, kind, nullptr,
                   Waiting::yes);
}

hipError_t hipMemcpy2DFromArray_spt(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t width, size_t height, hipMemcpyKind kind) {
  return copy_rows(Direction::from_array, {src, wOffset, hOffset, dst, dpitch, width, height}, kind,
                   hipStreamPerThread, Waiting::yes);
}

hipError_t hipMemcpy2DFromArrayAsync(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height, hipMemcpyKind kind,
                                     hipStream_t stream) {
  return copy_rows(Direction::from_array, {src, wOffset, hOffset, dst, dpitch, width, height}, kind, stream,
                   Waiting::no);
}

hipError_t hipMemcpyToArray(hipArray* dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                            hipMemcpyKind kind) {
  const auto array = find_array(dst, hipErrorInvalidValue);
  return copy_bytes(Direction::to_array, *array, offset_in(*array, wOffset, hOffset), src, count, kind);
}

hipError_t hipMemcpyFromArray(void* dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset,
                              size_t count, hipMemcpyKind kind) {
  const auto array = find_array(srcArray, hipErrorInvalidValue);
  return copy_bytes(Direction::from_array, *array, offset_in(*array, wOffset, hOffset), dst, count, kind);
}

hipError_t hipMemcpyHtoA(hipArray* dstArray, size_t dstOffset, const void* srcHost, size_t count) {
  const auto array = find_array(dstArray, hipErrorInvalidValue);
  return copy_bytes(Direction::to_array, *array, dstOffset, srcHost, count, hipMemcpyHostToDevice);
}

hipError_t hipMemcpyAtoH(void* dst, hipArray* srcArray, size_t srcOffset, size_t count) {
  const auto array = find_array(srcArray, hipErrorInvalidValue);
  return copy_bytes(Direction::from_array, *array, srcOffset, dst, count, hipMemcpyDeviceToHost);
}

hipError_t hipMemcpyHtoAAsync(hipArray* dstArray, size_t dstOffset, const void* srcHost, size_t ByteCount,
                              hipStream_t stream) {
  const auto array = find_array(dstArray, hipErrorInvalidValue);
  return copy_bytes(Direction::to_array, *array, dstOffset, srcHost, ByteCount, hipMemcpyHostToDevice, stream,
                    Waiting::no);
}

hipError_t hipMemcpyAtoHAsync(void* dstHost, hipArray* srcArray, size_t srcOffset, size_t ByteCount,
                              hipStream_t stream) {
  const auto array = find_array(srcArray, hipErrorInvalidValue);
  return copy_bytes(Direction::from_array, *array, srcOffset, dstHost, ByteCount, hipMemcpyDeviceToHost,
                    stream, Waiting::no);
}

hipError_t hipMemcpyDtoA(hipArray* dstArray, size_t dstOffset, hipDeviceptr_t srcDevice, size_t ByteCount) {
  const auto array = find_array(dstArray, hipErrorInvalidValue);
  return copy_bytes(Direction::to_array, *array, dstOffset, srcDevice, ByteCount, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyAtoD(hipDeviceptr_t dstDevice, hipArray* srcArray, size_t srcOffset, size_t ByteCount) {
  const auto array = find_array(srcArray, hipErrorInvalidValue);
  return copy_bytes(Direction::from_array, *array, srcOffset, dstDevice, ByteCount, hipMemcpyDeviceToDevice);
}

hipError_t hipMemcpyAtoA(hipArray* dstArray, size_t dstOffset, hipArray* srcArray, size_t srcOffset,
                         size_t ByteCount) {
  const auto to = find_array(dstArray, hipErrorInvalidValue);
  const auto from = find_array(srcArray, hipErrorInvalidValue);
  const auto fits = [&](const Array& array, size_t offset) {
    const size_t all = array.row_size() * array.rows();
    return offset <= all && ByteCount <= all - offset;
  };
  if (!fits(*to, dstOffset) || !fits(*from, srcOffset)) return hipErrorInvalidValue;
  const auto target = Runtime::get().stream(nullptr);
  for (size_t done = 0; done < ByteCount;) {
    const Place at = place_of(*to, dstOffset + done), of = place_of(*from, srcOffset + done);
    const BlockSize piece{std::min({ByteCount - done, at.rest, of.rest}), 1};
    copy_block(to->part(at.x, at.y, 0, piece), from->part(of.x, of.y, 0, piece), piece,
               hipMemcpyDeviceToDevice, *target, Waiting::yes);
    done += piece.width;
  }
  return hipSuccess;
}

}  // namespace heddle::hip::api
