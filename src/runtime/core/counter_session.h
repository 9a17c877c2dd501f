// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions of performance counters (Runtime 3.4.1.8, 3.4.1.14 to 3.4.1.28).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "driver/activity.h"
#include "driver/driver.h"
#include "runtime/core/performance_counter.h"

namespace heddle::runtime {

/// The value of a counter. Which member holds it follows from the type of the counter.
struct CounterReading {
  uint64_t number = 0;
  double real = 0;
};

/// A session context with its session. While the session runs it observes the activities that change its
/// counters. Thread safe.
class CounterSession final : public driver::ActivityObserver {
 public:
  /// The counters and the client outlive the session.
  CounterSession(std::span<const PerformanceCounter> counters, driver::Client& client);
  ~CounterSession();
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;

  /// Includes or excludes the counter with this index, which exists. INVALID_SESSION_STATE.
  hsa_status_t include(uint32_t index, bool included);
  bool includes(uint32_t index) const;

  // The functions of the manual of the same names.
  hsa_status_t enable();
  hsa_status_t disable();
  hsa_status_t start();
  hsa_status_t stop();

  /// Reads the counter with this index, which exists. INVALID_SAMPLING_CONTEXT.
  hsa_status_t read(uint32_t index, CounterReading& reading) const;

  void observe(const driver::Activity& activity) noexcept override;

 private:
  enum class State : uint8_t {
    disabled,
    enabled,  ///< not started yet
    running,
    stopped,
  };

  /// A counter of the enabled session.
  struct Count {
    const PerformanceCounter* counter = nullptr;
    uint32_t index = 0;
    std::atomic<uint64_t> amount{0};  ///< of activities
    uint64_t state_at_stop = 0;       ///< of counters with is_state
    HardwareCounter hardware;
  };

  void pause();
  uint64_t state_of(const PerformanceCounter& counter) const;
  uint64_t amount_of(const Count& count) const;
  CounterReading convert(const PerformanceCounter& counter, uint64_t amount) const;

  const std::span<const PerformanceCounter> counters_;
  driver::Client& client_;

  mutable std::mutex mutex_;
  State state_ = State::disabled;
  std::vector<bool> included_;  ///< by index
  /// Does not change while the session is enabled, so observe() reads it without the lock.
  std::vector<std::unique_ptr<Count>> counts_;
  uint64_t since_ = 0;  ///< system timestamp of the last start; constant while the session runs
  uint64_t ran_ = 0;    ///< ticks that the session has run, up to the last stop
};

}  // namespace heddle::runtime
