// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "agents/cuda/remote/connection.h"
#include "agents/cuda/remote/shared_pages.h"

namespace heddle::cuda::remote {

/// Memory that this process and that of a GPU share, for copies of memory that only this one has. Thread
/// safe.
class BounceBuffers {
 public:
  static constexpr size_t count = 2, size = size_t{4} << 20;

  /// A buffer that is in use.
  class Lease {
   public:
    Lease(BounceBuffers& owner, size_t number) : owner_(owner), number_(number) {}
    ~Lease() { owner_.give_back(number_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* base() const { return owner_.buffers_[number_].pages.base(); }
    /// Sees to it that the process has the buffer at the same address.
    Status map(Connection& connection) { return owner_.map(number_, connection); }

   private:
    BounceBuffers& owner_;
    const size_t number_;
  };

  /// Waits until a buffer is free. One whose base is null has no memory.
  size_t take();
  void forget_parent() noexcept;

 private:
  struct Buffer {
    SharedPages pages;
    uint16_t mapped_for = 0;  ///< the generation of the process that has it
    bool in_use = false;
  };
  void give_back(size_t number) noexcept;
  Status map(size_t number, Connection& connection);

  std::mutex mutex_;
  std::condition_variable freed_;
  Buffer buffers_[count];
};

}  // namespace heddle::cuda::remote
