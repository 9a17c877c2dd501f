// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of buffer arguments: its initial values, and the output of its contents after the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "argument.h"
#include "support/result.h"

namespace heddle::tools {

/// A buffer of known type and size. Files have been read; generated values are computed by fill_buffer().
struct PlannedBuffer {
  BufferArgument argument;
  const ElementType* type = nullptr;
  std::vector<uint64_t> shape;
  std::vector<std::byte> contents;  ///< contents of the file; the values begin at `offset`
  size_t offset = 0;

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * type->size; }
};

/// Reads the argument's file if there is one. Error messages name the file.
Result<PlannedBuffer> plan_buffer(const BufferArgument& argument);
/// Writes the initial values; `memory` has the size of the buffer.
void fill_buffer(const PlannedBuffer& buffer, std::span<std::byte> memory);
/// Writes the destination in the format that its name implies.
Result<void> save_buffer(const PlannedBuffer& buffer, std::span<const std::byte> memory);

/// Returns the CRC-32 of gzip and zlib, so that other programs can check it.
uint32_t checksum(std::span<const std::byte> bytes);
/// Returns one line with the checksum, the smallest and largest value, and the first few values.
std::string summarize(const PlannedBuffer& buffer, std::span<const std::byte> memory);
/// Returns a description such as "f32[1024]" or "u8[400][600][4]".
std::string describe_shape(const ElementType& type, std::span<const uint64_t> shape);

}  // namespace heddle::tools
