// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions that create queues of agents have in common.
#pragma once

#include <hsa/hsa.h>

#include "driver/driver.h"
#include "runtime/core/runtime.h"

namespace heddle::runtime::api {

/// Fills in agent, size and type, and how the program is called. INVALID_AGENT, INVALID_ARGUMENT.
hsa_status_t make_queue_request(Runtime& runtime, hsa_agent_t agent, uint32_t size, uint32_t type,
                                driver::QueueRequest& request);

}  // namespace heddle::runtime::api
