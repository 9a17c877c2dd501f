// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the dispatches of a device are expected to take, by what dispatches of the same kernel and size
// took before. A thread that waits for one sleeps for most of that time, and polls around the expected end,
// so that it neither keeps a processor busy nor sees the end late.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "agents/common/polling.h"

namespace heddle::agents {

/// For the thread of one queue; not thread safe. All times are in ticks.
class ExpectedDurations {
 public:
  /// Dispatches of the same kernel with grids of the same number of work-items are expected to take as long.
  static uint64_t key(uint64_t kernel_object, uint64_t work_items) {
    return kernel_object ^ work_items * 0x9e3779b97f4a7c15u;
  }

  /// The key of a row of dispatches whose ends are learned together, from the key of those before and that of
  /// the next; the key of the first is that of the dispatch.
  static uint64_t key_of_row(uint64_t row, uint64_t next) {
    return std::rotl(row, 7) * 0x9e3779b97f4a7c15u + next;
  }

  /// Takes note of a dispatch, or a row of them, that has ended. Shorter ones count at once and longer ones
  /// by a quarter: a thread that wakes too early polls a little longer, but one that wakes too late has lost
  /// time.
  void note(uint64_t key, uint64_t duration) {
    if (durations_.size() >= keys_max && !durations_.contains(key)) durations_.clear();
    uint64_t& expected = durations_.try_emplace(key, duration).first->second;
    expected = duration < expected ? duration : expected + (duration - expected) / 4;
  }

  /// Returns 0 if nothing is known.
  uint64_t expected(uint64_t key) const {
    const auto found = durations_.find(key);
    return found == durations_.end() ? 0 : found->second;
  }

 private:
  static constexpr size_t keys_max = 1024;

  std::unordered_map<uint64_t, uint64_t> durations_;
};

/// When a thread looks for the end of a dispatch, or of a row of them.
class LookTimes {
 public:
  /// `expected` is the duration that the dispatch is expected to have; 0 if that is not known.
  LookTimes(uint64_t began, uint64_t expected) : began_(began), expected_(expected) {}

  /// The time until which a thread that is awake polls; 0 if it had better sleep.
  uint64_t poll_until(uint64_t now) const {
    const uint64_t end = began_ + expected_ + early();
    return expected_ != 0 && now >= wake_at() && now < end ? end : 0;
  }

  /// The time until which a thread that does not poll sleeps: for a part of the time that the dispatch has
  /// run, because it may end or fail before it is expected to, but not beyond the time at which to poll.
  uint64_t sleep_until(uint64_t now) const {
    const uint64_t later =
        now + std::clamp((now - std::min(now, began_)) / sleep_part, shortest_sleep, longest_sleep);
    return expected_ != 0 && now < wake_at() ? std::min(wake_at(), later) : later;
  }

 private:
  static constexpr uint64_t early_part = 16;                         // of the expected time
  static constexpr uint64_t sleep_part = 64;                         // of the time since the dispatch began
  static constexpr uint64_t wake_time = 20 * ticks_per_microsecond;  // what it takes a thread to wake
  static constexpr uint64_t shortest_sleep = 20 * ticks_per_microsecond;
  static constexpr uint64_t longest_sleep = 1000 * ticks_per_microsecond;

  /// How long before and after the expected end a thread polls.
  uint64_t early() const { return std::min(expected_ / early_part, longest_sleep) + wake_time; }
  uint64_t wake_at() const { return began_ + expected_ - std::min(expected_, early()); }

  const uint64_t began_, expected_;
};

}  // namespace heddle::agents
