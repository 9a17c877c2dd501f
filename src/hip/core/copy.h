// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills of memory in the order of streams.
#pragma once

#include <hip/runtime/types.h>

#include <cstddef>

#include "hip/core/stream.h"

namespace heddle::hip {

/// A block of memory: rows of `width` bytes that are `pitch` bytes apart, and layers of rows that are `slice`
/// bytes apart.
struct Block {
  std::byte* address;
  size_t pitch = 0;
  size_t slice = 0;
};
struct BlockSize {
  size_t width = 0;
  size_t height = 1;
  size_t depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  size_t bytes() const { return width * height * depth; }
};

/// Whether the host waits for the end of a copy or fill.
enum class Waiting : bool { no, yes };

/// Whether host threads may access the memory: all memory but that of devices which hosts do not reach.
bool host_reaches(const void* address);

/// Checks that a kind is one, and that the allocations to which the addresses belong hold as many bytes.
/// Throws Failure (InvalidMemcpyDirection, InvalidValue).
void check_copy(const void* to, const void* from, size_t size, hipMemcpyKind kind);

/// Copies bytes. Memory that the program has neither allocated here nor registered is read or written before
/// the call returns, as HIP promises, also with Waiting::no. Throws Failure.
void copy(void* to, const void* from, size_t size, hipMemcpyKind kind, Stream& stream, Waiting waiting);

/// Copies a block. Throws Failure, also InvalidPitchValue for a pitch that is less than the width.
void copy_block(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind, Stream& stream,
                Waiting waiting);

/// What hipMemcpy3D() copies.
struct BlockCopy {
  Block to, from;
  BlockSize size;
};

/// Throws Failure: InvalidValue, InvalidHandle for what is no array; of hipMemcpy3DParms also
/// InvalidPitchValue for a pitch below the width, which descriptions of the driver have InvalidValue for.
BlockCopy block_copy_of(const hipMemcpy3DParms& params);
BlockCopy block_copy_of(const HIP_MEMCPY3D& params);
BlockCopy block_copy_of(const hip_Memcpy2D& params);

/// Checks a copy of a block as copy_block() does. Throws Failure.
void check_block(const Block& to, const Block& from, const BlockSize& size, hipMemcpyKind kind);

/// Checks a fill as fill_block() does. Throws Failure (InvalidValue), also for memory that HIP does not know.
void check_fill(const Block& to, const BlockSize& size);

/// While an object of this class exists on a thread, the thread's copies with Waiting::no access also the
/// program's own memory when it is their turn, not before they return. Nodes of graphs copy so.
class CopyInTurn {
 public:
  CopyInTurn();
  ~CopyInTurn();
  CopyInTurn(const CopyInTurn&) = delete;
  CopyInTurn& operator=(const CopyInTurn&) = delete;
};

/// Fills a block with elements of 1, 2 or 4 bytes. Throws Failure.
struct Pattern {
  uint32_t value;
  size_t element_size;
};
void fill_block(const Block& to, const BlockSize& size, Pattern pattern, Stream& stream, Waiting waiting);

}  // namespace heddle::hip
