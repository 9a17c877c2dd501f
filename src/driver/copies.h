// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What decides whether a copy needs a client at all (MVA 5.4.7).
#pragma once

#include <atomic>
#include <cstdint>

#include "driver/activity.h"
#include "driver/log.h"

namespace heddle::driver {

/// How many clients have memory whose owners copies must consider.
inline constinit std::atomic<uint32_t> clients_with_agent_memory = 0;

/// Whether Client::copy() of any client would now be a memcpy and nothing else, and nobody would learn of a
/// call that makes it: no memory has an owner that makes the copies, and nobody observes copies or calls.
/// Needs no client. It is asked before each copy, so that it looks at each word only once.
inline bool copies_are_plain_and_unobserved() noexcept {
  constexpr uint32_t kinds =
      static_cast<uint32_t>(ActivityKind::copy) | static_cast<uint32_t>(ActivityKind::api_call);
  const uint32_t logged =
      hsam_log_bit(HSAM_LOG_DEBUG, HSAM_LOG_COPY) | hsam_log_bit(HSAM_LOG_DEBUG, HSAM_LOG_API);
  return clients_with_agent_memory.load(std::memory_order_relaxed) == 0 &&
         (__atomic_load_n(Activities::observed_mask(), __ATOMIC_RELAXED) & kinds) == 0 &&
         (__atomic_load_n(LogSelection::shown_mask(), __ATOMIC_RELAXED) & logged) == 0;
}

}  // namespace heddle::driver
