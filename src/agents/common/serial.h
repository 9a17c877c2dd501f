// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serialised dispatch: an agent does less at the same time than programs allow, so that errors that come
// from missing synchronisation can be told from others (HEDDLE_SERIALIZE).
#pragma once

#include <deque>
#include <mutex>

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include "support/fork_handler.h"

namespace heddle::agents {

/// What is serialised.
struct SerialMode {
  bool before = false;  ///< a dispatch starts when no other dispatch of the agent is running any more
  bool after = false;   ///< a queue's next packet is looked at when the packets before it are complete

  /// Reads the setting SERIALIZE. A value that means nothing is a warning in the log, and changes nothing.
  static SerialMode from_setting(const hsam_host& host, const char* log_source);
};

/// The right to run a dispatch, of which an agent has one if dispatches are serialised. Queues get it in the
/// order in which they have asked. Thread safe.
class SerialTurn {
 public:
  /// Takes the right for the queue whose thread has this waiter. If another queue has it, or has asked for
  /// it before, notes the request and returns false; the waiter is kicked when it is this queue's turn. May
  /// be called again with the same waiter. Throws std::bad_alloc.
  bool take(hsam_waiter& waiter);
  /// Whether take() would succeed.
  bool is_free_for(const hsam_waiter& waiter) const;
  /// Gives the right back; the next queue gets it.
  void give_back();
  /// Withdraws the request of a queue that has not got the right.
  void withdraw(const hsam_waiter& waiter);

 private:
  void tell_next();
  void forget_parent() noexcept;

  mutable std::mutex mutex_;
  bool taken_ = false;
  std::deque<hsam_waiter*> requests_;  ///< oldest first
  const ForkHandler fork_handler_{
      [](void* turn) noexcept { static_cast<SerialTurn*>(turn)->forget_parent(); }, this};
};

}  // namespace heddle::agents
