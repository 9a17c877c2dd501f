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
  /// Who writes what the thread looks at.
  enum class Writer : uint8_t {
    thread,  ///< each look may delay its write, so looks become rarer with time
    device,  ///< looks do not delay its writes, so the thread looks as often as it can
  };

  /// The thread polls until `end` (ticks).
  explicit Polling(uint64_t end, Writer writer = Writer::thread)
      : writer_(writer), start_(hsam_timestamp()), end_(end) {}

  /// To be called after each look. Pauses, and after some time also offers the processor to other threads:
  /// what the thread waits for may come from one of them. False if the thread has polled for long enough, or
  /// the machine is so busy that sleeping gives the processor back sooner.
  bool pause() {
    if (writer_ == Writer::device ? !pause_shortly() : !hsam_pause(steps_++, start_)) return true;
    const uint64_t now = hsam_timestamp();
    if (now >= end_) return false;
    return now - start_ < pure || hsam_offer_processor_rarely(now) != 0;
  }

 private:
  static constexpr uint64_t pure = 5 * ticks_per_microsecond;
  /// How often the thread looks before it looks at the clock.
  static constexpr uint32_t looks_in_a_row = 16;

  /// Returns whether it is time to look at the clock.
  bool pause_shortly() {
    hsam_cpu_relax();
    return ++steps_ % looks_in_a_row == 0;
  }

  const Writer writer_;
  const uint64_t start_, end_;
  uint32_t steps_ = 0;
};

}  // namespace heddle::agents
