// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of all signals of the process. A signal's handle is the address of its block
// (include/hsam/hsam.h).
//
// Blocks and signal objects never move and are never unmapped: a sender may read a block for an instant after
// its value has ended a wait and the signal has been destroyed. Such a sender ends no wait for the next
// signal in the same block, because it tests the value that the block has by then (include/hsam/signal.h).
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
  /// Signals of the kind `shared` lie in memory that processes share (shared_signals.h).
  enum class Kind : uint8_t { none, application, doorbell, shared };

  static SignalTable& instance();

  /// Fixes the number of destinations that a signal may have. The first call wins; it must precede every
  /// create().
  void set_capacity(uint32_t destinations);

  /// Returns null when memory is exhausted. There must be no more `destinations` than fixed by
  /// set_capacity().
  hsam_signal* create(int64_t value, Kind kind, int64_t client, std::span<const Agent* const> destinations);
  /// Returns false unless the handle is a live signal of this kind.
  bool destroy(uint64_t handle, Kind kind);

  /// Reserves the addresses of a segment for shared signals, and behind it those of their local parts, for
  /// the life of the process. Returns null if there are none left.
  std::byte* reserve_segment();
  /// Makes a block in such a segment a live signal of this process. Its flags and value are set already.
  void open_shared(hsam_signal* signal, int64_t client, std::span<const Agent* const> destinations);
  /// Ends the life of a shared signal in this process.
  void close_shared(hsam_signal* signal);

  /// Returns `none` for anything but a live signal. Takes no lock.
  Kind kind(uint64_t handle) const;
  /// Returns the client that created a live signal.
  int64_t client(uint64_t handle) const;
  /// Returns the live signal to which the object belongs, or null for any other address. The address is not
  /// dereferenced.
  hsam_signal* find(const hsa_signal_object* object) const;
  /// Returns the client's first live signal, except doorbells, behind the handle `after` (0: its first
  /// signal), or 0 if there is none.
  uint64_t next_of(int64_t client, uint64_t after) const;

 private:
  struct Entry {
    std::atomic<Kind> kind;
    std::atomic<int64_t> client;
    uint32_t generation;  // protected by mutex_
    uint32_t next_free;   // slot number; protected by mutex_
  };

  bool map();
  /// Sets the destinations and all members of a block except value, flags, and what survives a signal.
  static void prepare(hsam_signal& signal, hsa_signal_object& object,
                      std::span<const Agent* const> destinations);
  void forget_parent() noexcept;
  /// Returns the slot number of a block's address, or SIZE_MAX for any other address.
  size_t index_of(uint64_t handle) const;
  hsam_signal* block(size_t index) const { return reinterpret_cast<hsam_signal*>(blocks_.base()) + index; }
  hsa_signal_object* object(size_t index) const {
    return reinterpret_cast<hsa_signal_object*>(objects_.base() + index * object_size_);
  }
  Entry& entry(size_t index) const { return reinterpret_cast<Entry*>(entries_.base())[index]; }

  mutable std::mutex mutex_;  // held during creation and destruction
  uint32_t destinations_ = 0;
  size_t object_size_ = 0;
  std::atomic<size_t> capacity_{0};  // 0 until mapped
  Mapping blocks_;
  Mapping objects_;
  Mapping entries_;
  size_t used_ = 0;  // slots that have been used at least once
  // The free slots, linked oldest first, so that stale handles are recognised as long as possible.
  size_t free_count_ = 0;
  size_t first_free_ = 0;
  size_t last_free_ = 0;
  const ForkHandler fork_handler_{
      [](void* table) noexcept { static_cast<SignalTable*>(table)->forget_parent(); }, this};
};

}  // namespace heddle::driver
