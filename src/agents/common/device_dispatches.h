// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "agents/common/expected_duration.h"
#include "agents/common/launcher.h"
#include "agents/common/ring.h"

namespace heddle::agents {

/// The dispatches of a queue that its device has been given and that have not ended. The thread of the queue
/// calls all members but stop().
class DeviceDispatches {
 public:
  explicit DeviceDispatches(std::unique_ptr<Launcher> launcher) : launcher_(std::move(launcher)) {}

  /// A dispatch that has ended, or failed.
  struct Ended {
    KernelDispatch dispatch;
    uint32_t wave_size = 1;
    uint64_t started = 0, ended = 0;  ///< ticks
    bool stopped = false;             ///< it may have been asked to end early
    std::optional<Failure> failure;
  };

  Result<void, Failure> launch(const KernelDispatch& dispatch, Launcher::Notice notice);
  /// To be called when no launch follows for now.
  void notify() noexcept { launcher_->notify(); }
  uint32_t in_flight() const { return static_cast<uint32_t>(launched_.size()); }

  /// Whether take() would return something. The device is asked only if something is in flight.
  bool has_ended();
  /// Takes the oldest dispatch if it has ended or failed. With one that has failed, all behind it are
  /// dropped, because nothing may be said of them.
  std::optional<Ended> take();
  /// When the thread should look again if it sleeps until then (ticks). UINT64_MAX if none is in flight. A
  /// device could wake the thread only by an event for each dispatch, which would cost as much as half a
  /// launch.
  uint64_t next_look() const;
  /// Until when the thread should poll, because a dispatch is about to end (ticks); 0 if it may sleep.
  uint64_t poll_until() const;
  /// How long the thread polls for work when none is in flight (ticks): about as long as the last dispatch
  /// took, because programs often dispatch kernels of about the same length one after the other, and to wake
  /// the thread would delay each of them.
  uint64_t idle_polling() const { return std::min(last_duration_, longest_idle_polling); }
  /// Asks the device whether it has failed; to be called after a sleep.
  void look_for_failure();

  void stop() noexcept;
  void drain() noexcept { launcher_->drain(); }

 private:
  struct Launched {
    KernelDispatch dispatch;
    uint32_t wave_size = 1;
    /// When it was launched (ticks) if nothing else was in flight; otherwise 0, because it begins when the
    /// one before it ends.
    uint64_t at = 0;
    uint64_t key = 0;       ///< of what it is expected to take
    bool is_timed = false;  ///< somebody may want to know when it ended
  };
  /// The oldest dispatches whose ends have been seen together, and what they took.
  struct Row {
    uint64_t key = 0;
    uint64_t duration = 0;      ///< ticks
    uint64_t count = 0;         ///< 0: there is nothing to take note of
    uint64_t dispatch_key = 0;  ///< of each of several like dispatches; 0 if they are not alike
  };

  static constexpr uint64_t longest_idle_polling = HSAM_TIMESTAMP_FREQUENCY / 1000;  ///< 1 ms

  Row row_of(uint64_t count, uint64_t now) const;
  void note_row() noexcept;
  uint64_t row_key(uint64_t count) const;
  uint64_t expected_duration(uint64_t count) const;
  /// For the oldest dispatches, up to the first whose end the device tells.
  LookTimes look_times() const;

  const std::unique_ptr<Launcher> launcher_;
  Ring<Launched> launched_;     ///< oldest first
  uint64_t taken_ = 0;          ///< dispatches that have ended and been taken
  uint64_t seen_ = 0;           ///< dispatches that had ended when the device was last asked
  uint64_t last_ended_ = 0;     ///< ticks
  uint64_t last_duration_ = 0;  ///< ticks
  Row row_;                     ///< the row that has just ended, until note_row() passes it to expected_
  ExpectedDurations expected_;
  std::atomic<bool> stopped_{false};
};

}  // namespace heddle::agents
