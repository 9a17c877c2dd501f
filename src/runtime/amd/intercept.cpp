// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the AMD extension for tools: queues with interceptors, and queues of the runtime itself.
#include <hsa/hsa_api_trace.h>

#include "driver/log.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t, uint32_t, hsa_queue_type32_t,
                                            void (*)(hsa_status_t status, hsa_queue_t* source, void* data),
                                            void*, uint32_t, uint32_t, hsa_queue_t**) {
  return api::guard([&](Runtime&) {
    driver::log_error("queues with interceptors are not provided");
    return HSA_STATUS_ERROR;
  });
}

hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t*, hsa_amd_queue_intercept_handler, void*) {
  return api::guard([&](Runtime&) { return HSA_STATUS_ERROR_INVALID_QUEUE; });
}

hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void*) {
  return api::guard(
      [&](Runtime&) { return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS; });
}

}  // namespace heddle::runtime::functions
