// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions that create queues of agents have in common.
#pragma once

#include <hsa/hsa.h>

#include "driver/driver.h"
#include "runtime/core/runtime.h"

namespace heddle::runtime::api {

/// The arguments of a function that creates a queue of an agent.
struct QueueArguments {
  hsa_agent_t agent;
  uint32_t size;
  uint32_t type;
  void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data);
  void* data;
  uint32_t private_segment_size, group_segment_size;
  hsa_queue_t** queue;
};

/// Checks the arguments, of which the size has to be at least `smallest`, and makes a request of them.
/// INVALID_AGENT, INVALID_ARGUMENT.
hsa_status_t make_queue_request(Runtime& runtime, const QueueArguments& arguments, uint32_t smallest,
                                driver::QueueRequest& request);

/// Stores the queue that `create` makes of the request.
template <typename Create>
hsa_status_t create_queue(Runtime& runtime, const QueueArguments& arguments, uint32_t smallest,
                          Create create) {
  driver::QueueRequest request;
  const hsa_status_t status = make_queue_request(runtime, arguments, smallest, request);
  if (status != HSA_STATUS_SUCCESS) return status;
  auto created = create(request);
  if (!created) return created.error();
  *arguments.queue = *created;
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime::api
