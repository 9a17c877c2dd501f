// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the AMD extension for tools: queues with interceptors, and queues of the runtime itself.
#include <hsa/hsa_api_trace.h>

#include "runtime/api/api.h"
#include "runtime/api/queue_request.h"

using namespace heddle::runtime;

namespace {

/// Room for a packet and for one that tells of room. ROCm asks for the same.
constexpr uint32_t smallest_queue = 3;

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                            void (*callback)(hsa_status_t status, hsa_queue_t* source,
                                                             void* data),
                                            void* data, uint32_t private_segment_size,
                                            uint32_t group_segment_size, hsa_queue_t** queue) {
  return api::guard([&](Runtime& runtime) {
    const api::QueueArguments arguments = {
        agent, size, type, callback, data, private_segment_size, group_segment_size, queue};
    return api::create_queue(runtime, arguments, smallest_queue, [&](const driver::QueueRequest& request) {
      return runtime.intercept_queues().create(request);
    });
  });
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue, hsa_amd_queue_intercept_handler callback,
                                              void* user_data) {
  return api::guard([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.intercept_queues().add(queue, callback, user_data);
  });
}

hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void*) {
  return api::guard(
      [&](Runtime&) { return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS; });
}

}  // namespace heddle::runtime::functions
