// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "agents/common/expected_duration.h"

namespace heddle::cuda {

/// How long the copies of one direction are expected to take: as long as the last ones of the same size, or
/// as their size would take at the greatest speed that has been seen. Not thread safe. All times are in
/// ticks.
class CopyDurations {
 public:
  void note(uint64_t bytes, uint64_t duration) noexcept {
    expect(bytes, duration);
    if (bytes >= least_for_speed && duration != 0) speed_ = std::max(speed_, bytes / duration);
  }

  /// Takes note of a copy that had ended before anybody looked, after `duration`. What it took is not known,
  /// so that the next one is expected to take half of that. Some copies are looked for too early until the
  /// expectation has risen again; noted as it is, a sleep that ended too late would make the next ones too
  /// long, too.
  void note_less_than(uint64_t bytes, uint64_t duration) noexcept { expect(bytes, duration / 2); }

  /// Never 0.
  uint64_t expected(uint64_t bytes) const {
    const uint64_t known = durations_.expected(bytes);
    return std::max<uint64_t>(known != 0 ? known : start_time + bytes / speed_, 1);
  }

 private:
  /// Smaller copies say more about what every copy takes than about the link.
  static constexpr uint64_t least_for_speed = 1 << 20;
  static constexpr uint64_t start_time = 5 * agents::ticks_per_microsecond;

  void expect(uint64_t bytes, uint64_t duration) noexcept {
    try {
      durations_.note(bytes, duration);
    } catch (const std::bad_alloc&) {
      durations_ = {};
    }
  }

  agents::ExpectedDurations durations_;
  /// Bytes in a tick. At first that of PCI Express 4.0 with 16 lanes: a thread that polls too early wastes a
  /// little time once.
  uint64_t speed_ = 25'000 / agents::ticks_per_microsecond;
};

}  // namespace heddle::cuda
