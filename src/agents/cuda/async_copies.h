// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "agents/cuda/copies.h"
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
  struct InFlight {
    uint64_t number;
    uint64_t bytes;
    uint64_t began;  ///< ticks
    void* cookie;
  };
  /// Copies that will not go on, and the progress of their lane when they were taken from it.
  struct Lost {
    DriverError error;
    uint64_t progress = 0;
    std::deque<InFlight> copies;
  };
  /// The copies of one direction.
  struct Lane {
    std::mutex submission;               ///< held while something is added to the stream
    Stream stream = nullptr;             ///< null before the first copy
    uint64_t generation = 0;             ///< of the context in which the stream was made
    uint64_t submitted = 0;              ///< number of the latest copy
    const uint64_t* progress = nullptr;  ///< number of the latest copy that has ended
    uint64_t seen = 0;                   ///< of *progress, by the thread that watches
    std::mutex mutex;                    ///< guards the rest
    std::deque<InFlight> in_flight;
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
    std::array<Lane, copy_directions> lanes;
    std::mutex thread_mutex;  ///< guards the next two
    std::thread thread;
    bool stop = false;
    hsam_waiter waiter{};
  };

  bool is_accessible(CopyDirection direction, const hsam_copy& copy) const;
  Driven<void> provide_words();
  bool has_thread();
  Driven<void> provide_stream(Lane& lane, std::optional<Lost>& lost);
  Driven<void> submit(Lane& lane, const hsam_copy& copy, uint64_t number);
  static bool withdraw(Lane& lane, uint64_t number);
  static Lost take_all(Lane& lane, const DriverError& error);
  void tell_of(const std::optional<Lost>& lost);
  void look_for_failure(Lane& lane);
  void look_for_failures() noexcept;
  bool end_finished(Lane& lane) noexcept;
  static void plan(Lane& lane, Look& found);
  Look look() noexcept;
  bool is_anything_new() const noexcept;
  bool poll(uint64_t until) const noexcept;
  bool must_stop();
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
