// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads are inside an API call. The last hsa_shut_down waits until none is, because calls use what it
// destroys (Runtime 2.1.1.2).
//
// The operations on signals and queue indices are not counted: they touch nothing but the memory behind their
// handle, and some of them wait for as long as the program likes.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::runtime {

/// From construction to destruction, this thread is inside an API call. Calls may be nested, as they are when
/// a callback makes one; the outermost one counts. Costs two atomic operations on a cache line that few
/// threads share.
///
/// The order of things is what makes it work: a call is counted first and then looks whether the runtime is
/// there, and who ends the runtime hides it first and then looks for calls. All of these accesses are
/// sequentially consistent, so that one of the two sees the other.
class CallUnderWay {
 public:
  CallUnderWay() noexcept;
  ~CallUnderWay();
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;

  /// Whether this thread is inside a call.
  static bool on_this_thread() noexcept;
  /// Whether any thread is. Those that are not seen have begun after this was called.
  static bool on_any_thread() noexcept;
  /// In the child of a fork, where only the thread that forked is left.
  static void forget_other_threads() noexcept;

 private:
  /// Threads inside calls. Each thread counts in one of the shards, so that calls of several threads do not
  /// fight for a cache line.
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
