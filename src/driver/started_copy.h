// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that agents make while no thread waits for them.
#pragma once

#include "driver/activity.h"
#include "driver/messages.h"

namespace heddle::driver {

/// What the driver needs for a copy from Client::start_copy() on, until it has ended. It belongs to the
/// caller, who lets it stay where it is meanwhile, and may use it again afterwards.
class StartedCopy : private Request {
 public:
  /// Is told of the end of the copy. May destroy the object. Must not wait for a copy.
  using Ended = void (*)(StartedCopy& copy, hsa_status_t status) noexcept;

  /// `owner` is what owner() returns. It is kept here because this cache line has already been fetched when
  /// the copy ends.
  explicit StartedCopy(Ended ended, void* owner = nullptr) : ended_(ended), owner_(owner) {}
  StartedCopy(const StartedCopy&) = delete;
  StartedCopy& operator=(const StartedCopy&) = delete;

 protected:
  void* owner() const { return owner_; }

 private:
  friend class Client;
  friend class Memory;

  /// Reports the copy, if somebody wants to know of it, and tells the caller.
  void end(HSAM_Error answer) noexcept;

  // These members lie beside the base class Request, whose neighbouring cache lines ReplyTable::reply()
  // fetches with it.
  const Ended ended_;
  void* const owner_;
  bool is_reported_ = false;  ///< somebody observes it, or the log shows it
  Activity activity_;         ///< of a copy that is reported
};

}  // namespace heddle::driver
