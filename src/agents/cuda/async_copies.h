// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "agents/cuda/copies.h"
#include "agents/cuda/copies_in_flight.h"
#include "agents/cuda/copy_durations.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// Copies of a GPU for which no thread waits. Each direction has a stream of its own, so that they overlap.
/// Behind each copy the stream writes its number to a word in host memory, which one thread watches. It
/// sleeps for most of the time that a copy is expected to take, and polls around its end; and it polls for a
/// moment when the last one has ended, because programs often submit one copy after the other. Thread safe.
class AsyncCopies {
 public:
  /// Is told of the end of a copy, on whichever thread.
  using Ended = std::function<void(void* cookie, const Driven<void>& done)>;

  /// All arguments outlive the object. Throws std::bad_alloc.
  AsyncCopies(GpuContext& context, Copies& copies, HostMemory& host, Ended ended);
  /// Waits for all copies that have begun.
  ~AsyncCopies();
  AsyncCopies(const AsyncCopies&) = delete;
  AsyncCopies& operator=(const AsyncCopies&) = delete;

  /// Begins a copy, and returns whether it will end without a thread that waits: not if memory of the host
  /// takes part that the GPU does not access by itself. If so, `ended` is told of the end with the cookie,
  /// once, possibly before this returns. After an error the copy has not begun, and uses no memory any more.
  /// Throws std::bad_alloc.
  Driven<bool> start(const hsam_copy& copy, void* cookie);

 private:
  /// Copies that will not go on, and the progress of their lane when they were taken from it. What is told of
  /// them is made before they are taken, so that nothing can fail then.
  struct Lost {
    Driven<void> failed;
    uint64_t progress = 0;
    std::vector<InFlight> copies;
  };
  /// The copies of one direction. The threads that begin copies and the one that watches use different cache
  /// lines.
  struct Lane {
    const uint64_t* progress = nullptr;         ///< number of the latest copy that has ended
    alignas(cache_line) std::mutex submission;  ///< held while something is added to the stream
    Stream stream = nullptr;                    ///< null before the first copy
    uint64_t generation = 0;                    ///< of the context in which the stream was made
    uint64_t submitted = 0;                     ///< number of the latest copy
    CopiesInFlight in_flight;
    alignas(cache_line) std::mutex taking;  ///< held while something is taken from in_flight
    // The rest is used by the thread that watches.
    uint64_t seen = 0;  ///< of *progress
    CopyDurations durations;
    uint64_t last_end = 0;  ///< when a copy was last seen to end, in ticks
  };
  /// What a look at all lanes has found.
  struct Look {
    bool has_ended = false;     ///< a copy
    bool is_in_flight = false;  ///< another one
    uint64_t poll_until = 0;    ///< ticks; 0: there is no need to poll
    uint64_t sleep_until = UINT64_MAX;
  };
  /// What is lost in the child of a fork, where the thread does not exist.
  struct State {
    State() {
      for (size_t i = 0; i < copy_directions; ++i) lanes[i].in_flight.count_in(begun[i]);
    }
    /// What the thread is told by those that begin copies: they wake it, and count the copies of each lane.
    alignas(cache_line) hsam_waiter waiter{};
    std::array<std::atomic<uint64_t>, copy_directions> begun{};
    alignas(cache_line) std::array<Lane, copy_directions> lanes;
    std::atomic<bool> is_ready{false};  ///< the words and the thread exist
    std::atomic<bool> stop{false};
    std::mutex thread_mutex;  ///< guards the thread
    std::thread thread;
  };

  bool is_accessible(CopyDirection direction, const hsam_copy& copy, CopyEnds& ends) const;
  Driven<bool> prepare();
  Driven<void> provide_words();
  bool has_thread();
  Driven<void> wait_for_left(Stream stream) const;
  Driven<void> provide_stream(Lane& lane, std::optional<Lost>& lost);
  Driven<void> submit(Lane& lane, const hsam_copy& copy, const CopyEnds& ends, uint64_t number);
  static bool withdraw_last(Lane& lane);
  static Lost take_all(Lane& lane, const DriverError& error);
  void tell_of(const std::optional<Lost>& lost) noexcept;
  void look_for_failure(Lane& lane);
  void look_for_failures() noexcept;
  static bool take_ended(Lane& lane, InFlight& first) noexcept;
  void end_finished(Lane& lane, Look& found) noexcept;
  static void plan(const Lane& lane, const InFlight& next, Look& found);
  Look look() noexcept;
  bool is_anything_new() const noexcept;
  bool poll(uint64_t until) const noexcept;
  void run();

  GpuContext& context_;
  Copies& copies_;
  HostMemory& host_;
  const Ended ended_;
  std::mutex words_mutex_;
  void* words_ = nullptr;  ///< the lanes' progress, in host memory
  State state_;
  const ForkHandler fork_handler_{[](void* copies) noexcept {
                                    auto* const own = static_cast<AsyncCopies*>(copies);
                                    abandon(own->state_);
                                    abandon(own->words_mutex_);
                                    own->words_ = nullptr;
                                  },
                                  this};
};

}  // namespace heddle::cuda
