// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/signal.h>
#include <sys/prctl.h>

#include <cstdint>

namespace heddle::agents {

inline constexpr uint64_t ticks_per_microsecond = HSAM_TIMESTAMP_FREQUENCY / 1'000'000;

/// Lets the system wake the calling thread at most a microsecond late. Otherwise it may do so 50 us late, to
/// wake several threads at a time.
inline void wake_precisely() { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }

/// The pauses of a thread that polls for work before it sleeps. To wake a sleeping thread takes longer than
/// many kernels do, and programs dispatch one kernel after the other.
class Polling {
 public:
  /// The thread polls until `end` (ticks).
  explicit Polling(uint64_t end) : start_(hsam_timestamp()), end_(end) {}

  /// To be called after each look. Pauses, and after some time also offers the processor to other threads:
  /// what the thread waits for may come from one of them. False if the thread has polled for long enough, or
  /// the machine is so busy that sleeping gives the processor back sooner.
  bool pause() {
    if (!hsam_pause(steps_++, start_)) return true;
    const uint64_t now = hsam_timestamp();
    if (now >= end_) return false;
    return now - start_ < pure || hsam_offer_processor(now) != 0;
  }

 private:
  static constexpr uint64_t pure = 5 * ticks_per_microsecond;

  const uint64_t start_, end_;
  uint32_t steps_ = 0;
};

}  // namespace heddle::agents
