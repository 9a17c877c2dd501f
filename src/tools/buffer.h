// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind a buffer argument: its bytes before the run, and what is made of them afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "argument.h"
#include "support/result.h"

namespace heddle::tools {

/// A buffer whose type and size are known. Files have been read; generated values appear when it is filled.
struct PlannedBuffer {
  BufferArgument argument;
  const ElementType* type = nullptr;
  std::vector<uint64_t> shape;
  std::vector<std::byte> contents;  ///< of files, from `offset` on
  size_t offset = 0;

  uint64_t elements() const;
  uint64_t bytes() const { return elements() * type->size; }
};

/// Reads the file of the argument, if it has one. Messages name the file.
Result<PlannedBuffer> plan_buffer(const BufferArgument& argument);
/// Writes the initial values; `memory` has the size of the buffer.
void fill_buffer(const PlannedBuffer& buffer, std::span<std::byte> memory);
/// Writes the destination, in the format that its name says.
Result<void> save_buffer(const PlannedBuffer& buffer, std::span<const std::byte> memory);

/// CRC-32 as in gzip and zlib, so that other programs can check it.
uint32_t checksum(std::span<const std::byte> bytes);
/// Checksum, smallest and largest value, and the first few, on one line.
std::string summarize(const PlannedBuffer& buffer, std::span<const std::byte> memory);
/// "f32[1024]", "u8[400][600][4]".
std::string describe_shape(const ElementType& type, std::span<const uint64_t> shape);

}  // namespace heddle::tools
