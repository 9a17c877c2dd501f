// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that several processes share (HSAM_SIGNAL_SHARED).
//
// The process that creates such signals keeps their blocks in segments, each a file in memory that has no
// name (memfd). A handle names the process, its descriptor of the file, and the signal's place in it; other
// processes open the file through /proc/PID/fd, where the kernel checks that they may (the same user). So
// nothing has to be cleaned up when a process dies, as it would with files in /dev/shm, and no thread has to
// serve those who attach, as it would with a socket. A segment lies at addresses of the signal table, so that
// checks of handles need not know that a signal is shared.
//
// Each process has a thread for each segment that it uses. The thread sleeps until a signal of the segment
// that has waiters gets another value, and then tests it against the waiters of its process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <thread>

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include "driver/driver.h"
#include "support/descriptor.h"
#include "support/fork_handler.h"

namespace heddle::driver {

class SharedSignals {
 public:
  static SharedSignals& instance();

  /// Creates a signal that other processes can attach. Null if memory, descriptors or threads are exhausted.
  hsam_signal* create(int64_t value, int64_t client, std::span<const Agent* const> destinations);
  /// Fills in the handle of a live shared signal. Returns false for any other signal.
  bool describe(uint64_t signal, SharedSignalHandle& handle);
  /// Attaches a signal. `is_new` tells whether this process did not use it yet. INVALID_ARGUMENT,
  /// OUT_OF_RESOURCES.
  StatusOr<hsam_signal*> attach(const SharedSignalHandle& handle, int64_t client,
                                std::span<const Agent* const> destinations, bool& is_new);
  /// Returns whether the process uses the signal only once, so that release() would end its life here.
  bool is_last_use(uint64_t signal);
  /// Undoes one create() or attach(). Returns false if there is no such signal.
  bool release(uint64_t signal);
  /// Ends the threads. Must be called when no signal is left.
  void stop();

 private:
  struct Header;
  struct Segment;

  bool find_room(Segment*& segment, size_t& slot);
  Segment* segment_of(uint64_t signal);
  StatusOr<Segment*> segment_of(const SharedSignalHandle& handle);
  Segment* make_segment();
  StatusOr<Segment*> open_segment(const SharedSignalHandle& handle);
  Segment* map(Descriptor& file, bool own);
  Segment* place();
  static bool start(Segment& segment);
  static void stop(Segment& segment);
  static void relay(Segment& segment);
  void forget_parent() noexcept;

  std::mutex mutex_;  // guards the members below
  std::list<Segment> segments_;
  const ForkHandler fork_handler_{
      [](void* signals) noexcept { static_cast<SharedSignals*>(signals)->forget_parent(); }, this};
};

}  // namespace heddle::driver
