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

/// Whether Client::copy() of any client would now be a memcpy and nothing else: no memory has an owner that
/// makes the copies, and nobody observes them. Needs no client.
inline bool copies_are_plain() noexcept {
  return clients_with_agent_memory.load(std::memory_order_relaxed) == 0 &&
         !Activities::is_observed(ActivityKind::copy) && !LogSelection::shows(HSAM_LOG_DEBUG, HSAM_LOG_COPY);
}

}  // namespace heddle::driver
