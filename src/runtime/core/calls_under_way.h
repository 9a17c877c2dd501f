// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the threads that are inside an API call. The last hsa_shut_down waits until there are none, because
// calls use what it destroys (Runtime 2.1.1.2).
//
// The operations on signals and queue indices are not counted: they touch nothing but the memory behind their
// handle, and some of them wait for as long as the program likes.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::runtime {

/// Marks this thread as inside an API call for the lifetime of the object. Calls are nested if a callback
/// makes a call; only the outermost call counts. Costs two atomic operations on a cache line that few threads
/// share.
///
/// A call is counted before it checks whether the runtime exists, and hsa_shut_down hides the runtime before
/// it checks for calls. All of these accesses are sequentially consistent, so either the call finds no
/// runtime or the thread that shuts down finds the call.
class CallUnderWay {
 public:
  CallUnderWay() noexcept;
  ~CallUnderWay();
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;

  /// Reports whether this thread is inside a call.
  static bool on_this_thread() noexcept;
  /// Reports whether any thread is inside a call. A call that it misses began after on_any_thread() was
  /// entered.
  static bool on_any_thread() noexcept;
  /// Must be called in the child of a fork, where only the thread that forked exists.
  static void forget_other_threads() noexcept;

 private:
  /// Counts threads inside calls. Each thread uses one of the shards, so threads rarely compete for a cache
  /// line.
  struct alignas(64) Shard {
    std::atomic<uint32_t> threads{0};
  };
  static constexpr uint32_t shard_count = 32;
  static Shard shards_[shard_count];
  static std::atomic<uint32_t> next_shard_;

  struct ThisThread {
    Shard* shard = nullptr;
    uint32_t depth = 0;  // of nested calls
  };
  static ThisThread& this_thread() noexcept;
};

}  // namespace heddle::runtime
