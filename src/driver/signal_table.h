// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of all signals of the process. A signal's handle is the address of its block
// (include/hsam/hsam.h).
//
// Blocks and signal objects never move and are never unmapped, because a sender may still look at a block for
// an instant after the wait that its value ended has returned and the signal has been destroyed. The
// generation in the block's flags keeps such a sender from waking anybody who waits for the next signal in
// that block.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "driver/driver.h"
#include "driver/virtual_memory.h"
#include "support/fork_handler.h"

namespace heddle::driver {

class SignalTable {
 public:
  enum class Kind : uint8_t { none, application, doorbell };

  static SignalTable& instance();

  /// Fixes how many destinations a signal may have. First call wins; called before any create().
  void set_capacity(uint32_t destinations);

  /// Null when memory is exhausted. `destinations` has at most the fixed number of entries.
  hsam_signal* create(int64_t value, Kind kind, int64_t client, std::span<const Agent* const> destinations);
  /// False unless the handle is a live signal of this kind.
  bool destroy(uint64_t handle, Kind kind);

  /// none for anything that is no live signal. Takes no lock.
  Kind kind(uint64_t handle) const;
  /// Client that made a live signal.
  int64_t client(uint64_t handle) const;
  /// The live signal that the object belongs to, or null for any other address (which is not read).
  hsam_signal* find(const hsa_signal_object* object) const;
  /// The first live application signal of a client behind the handle `after` (0: the first of all); 0 if
  /// there is none.
  uint64_t next_of(int64_t client, uint64_t after) const;

 private:
  struct Entry {
    std::atomic<Kind> kind;
    std::atomic<int64_t> client;
    uint32_t generation;  // under mutex_, as is the next
    uint32_t next_free;   // slot number
  };

  bool map();
  void forget_parent() noexcept;
  /// Slot number of an address, or SIZE_MAX if it is not one of a block.
  size_t index_of(uint64_t handle) const;
  hsam_signal* block(size_t index) const { return reinterpret_cast<hsam_signal*>(blocks_.base()) + index; }
  hsa_signal_object* object(size_t index) const {
    return reinterpret_cast<hsa_signal_object*>(objects_.base() + index * object_size_);
  }
  Entry& entry(size_t index) const { return reinterpret_cast<Entry*>(entries_.base())[index]; }

  mutable std::mutex mutex_;  // over creation and destruction
  uint32_t destinations_ = 0;
  size_t object_size_ = 0;
  std::atomic<size_t> capacity_{0};  // 0 until mapped
  Mapping blocks_;
  Mapping objects_;
  Mapping entries_;
  size_t used_ = 0;  // slots that have ever been a signal
  // A list through the free slots, oldest first, so that a stale handle stays recognisable for long.
  size_t free_count_ = 0;
  size_t first_free_ = 0;
  size_t last_free_ = 0;
  const ForkHandler fork_handler_{
      [](void* table) noexcept { static_cast<SignalTable*>(table)->forget_parent(); }, this};
};

}  // namespace heddle::driver
