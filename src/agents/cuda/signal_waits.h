// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/signal.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace heddle::cuda {

/// The waits for signals that a host thread carries out for work-items. A record at each signal watches it,
/// so that no value is missed that it has only for a moment. For one thread.
class SignalWaits {
 public:
  /// Whatever ends a wait also wakes `waiter`, which outlives this.
  explicit SignalWaits(hsam_waiter& waiter) : waiter_(waiter) {}
  ~SignalWaits() { clear(); }
  SignalWaits(const SignalWaits&) = delete;
  SignalWaits& operator=(const SignalWaits&) = delete;

  /// Begins a wait for a live signal until `deadline` (ticks), and returns its number, which is not 0. Throws
  /// std::bad_alloc.
  uint64_t begin(hsam_signal& signal, hsa_signal_condition_t condition, int64_t compare, uint64_t deadline);
  /// Whether there is a wait with this number.
  bool contains(uint64_t number) const { return waits_.contains(number); }
  /// The value that ends a wait, which is forgotten then: the one that met the condition, or the present one
  /// after the deadline. Nothing if it goes on.
  std::optional<int64_t> take(uint64_t number);
  /// The deadline of a wait (ticks); UINT64_MAX if it has none.
  uint64_t deadline(uint64_t number) const;
  /// Ends all waits.
  void clear();

 private:
  struct Wait {
    hsam_wait_record record = {};
    uint64_t deadline = UINT64_MAX;
  };

  hsam_waiter& waiter_;
  uint64_t last_number_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<Wait>> waits_;
};

}  // namespace heddle::cuda
