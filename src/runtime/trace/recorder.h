// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects records of activities from all threads and hands them, on a thread of its own, to whoever writes
// the trace.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "driver/activity.h"
#include "runtime/trace/record.h"

namespace heddle::runtime::trace {

/// Threads that report an activity copy it to a buffer of fixed size. If a buffer is full, they wait until it
/// has been emptied. Records are lost only if there is no memory to sort and write them, which is an error in
/// the log.
class Recorder final : public driver::ActivityObserver {
 public:
  /// Called on the recorder's thread, and by close(), with records sorted by the time of their end.
  using Write = std::function<void(std::span<const Record> records)>;

  /// Throws std::bad_alloc, or std::system_error if no thread can be started.
  Recorder(uint32_t kinds, Write write);
  ~Recorder() { close(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Returns when all activities that were reported before are written. Thread safe.
  void flush();
  /// Ends the recording after everything that was recorded has been written. Later calls do nothing. To be
  /// called on one thread.
  void close();

  /// To be called in the child of a fork, whose only thread has a new number.
  static void forget_parent_thread() noexcept;

  void observe(const driver::Activity& activity) noexcept override;

 private:
  static constexpr size_t shard_count = 16;
  static constexpr size_t capacity = 4096;  ///< records of a shard

  /// The records of some threads. The two buffers are exchanged when one is emptied.
  struct Shard {
    std::mutex mutex;
    std::condition_variable has_room;
    std::vector<Record> records, emptied;
  };

  const char* keep_name(const char* name) noexcept;
  Shard& shard_of_this_thread() noexcept;
  void run();
  void write_some(bool everything);
  void collect();

  const uint32_t kinds_;
  const Write write_;
  std::array<Shard, shard_count> shards_;
  std::vector<Record> collected_;  ///< used by the thread that writes
  std::mutex names_mutex_;
  std::deque<std::string> names_;  ///< of kernels

  std::mutex mutex_;
  std::condition_variable wake_, flushed_;
  bool stop_ = false;
  bool full_ = false;    ///< a shard waits to be emptied
  uint64_t wanted_ = 0;  ///< flushes asked for
  uint64_t done_ = 0;    ///< flushes made
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace heddle::runtime::trace
