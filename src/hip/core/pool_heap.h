// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a memory pool: which are used, which are free, and which are free for some streams only.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hip/core/marker.h"

namespace heddle::hip {

class Stream;

/// Cuts chunks, which the owner allocates, into blocks. A request gets the smallest free block that is large
/// enough; the rest of it stays free, and neighbours that are free become one block. A block that was freed
/// in the order of a stream is *pending* until the stream's work before it is complete: the same stream may
/// have it at once, others after they have waited.
///
/// Not thread safe.
class PoolHeap {
 public:
  /// A multiple of this is the size and the address of each block.
  static constexpr size_t granularity = 256;

  struct Pending {
    std::byte* address;
    const Stream* stream;
    MarkerPointer until;
  };

  void add_chunk(std::byte* address, size_t size);
  /// Which end of `keep` counts where chunks do not fit it: at least so many bytes stay reserved, or, as long
  /// as there are such chunks, at most.
  enum class Keep : uint8_t { at_least, at_most };
  /// Removes chunks of which nothing is used or pending while more than `keep` bytes are reserved, and
  /// returns their addresses.
  std::vector<std::byte*> remove_chunks(size_t keep, Keep which = Keep::at_least);
  std::vector<std::byte*> chunks() const;
  /// Returns the chunk in which a block lies, and its size.
  std::pair<std::byte*, size_t> chunk_of(const std::byte* address) const;

  /// Takes a free block of at least this size; nullptr if there is none.
  std::byte* take(size_t size);
  /// Makes all pending blocks free whose streams have come so far.
  void settle();
  /// Takes a pending block, of the stream alone or also of others; what the stream has to wait for is in
  /// `until`, null if nothing.
  std::byte* take_pending(size_t size, const Stream& stream, bool of_others, MarkerPointer& until);
  /// Gives a used block back: free at once if `until` is null.
  void give(std::byte* address, const Stream* stream, MarkerPointer until);

  size_t reserved() const { return reserved_; }
  size_t used() const { return used_; }

 private:
  enum class State : uint8_t { free, pending, used };
  struct Block {
    size_t size;
    State state;
    bool first;  // of its chunk
  };
  using Blocks = std::map<std::byte*, Block>;

  std::byte* use(Blocks::iterator block, size_t size);
  /// Cuts the end off a block, and returns it, in the same state; end() if nothing is left.
  Blocks::iterator cut(Blocks::iterator block, size_t size);
  void make_free(Blocks::iterator block);
  void forget_free(Blocks::iterator block);

  Blocks blocks_;
  std::multimap<size_t, std::byte*> free_;
  std::list<Pending> pending_;
  size_t reserved_ = 0, used_ = 0;
};

}  // namespace heddle::hip
