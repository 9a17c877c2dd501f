// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues (Runtime 2.5).
#include <bit>

#include "runtime/amd/system_events.h"
#include "runtime/api/api.h"
#include "runtime/api/queue_request.h"
#include "runtime/core/calls_under_way.h"

using namespace heddle::runtime;

namespace {

/// Counts the callback of a queue as a call of the application, so that the last hsa_shut_down waits for it.
/// A runtime that has no references any more destroys the queue, and its error is not delivered.
void invoke_counted(heddle::driver::QueueCallback* callback, hsa_status_t status, hsa_queue_t* source,
                    void* data) {
  const CallUnderWay under_way;
  if (Runtime::current() != nullptr) callback(status, source, data);
}

/// Reports whether queues may have so many packets and this type. Only agents have cooperative queues.
bool is_soft_queue(uint32_t size, uint32_t type) {
  return std::has_single_bit(size) && (type == HSA_QUEUE_TYPE_MULTI || type == HSA_QUEUE_TYPE_SINGLE);
}
bool is_agent_queue(uint32_t size, uint32_t type) {
  return is_soft_queue(size, type == HSA_QUEUE_TYPE_COOPERATIVE ? HSA_QUEUE_TYPE_MULTI : type);
}

}  // namespace

hsa_status_t api::make_queue_request(Runtime& runtime, const QueueArguments& arguments, uint32_t smallest,
                                     heddle::driver::QueueRequest& request) {
  const Agent* found = runtime.topology().agent(arguments.agent);
  if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!is_agent_queue(arguments.size, arguments.type) || arguments.size < smallest ||
      arguments.queue == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  request.agent = found->driver;
  request.size = arguments.size;
  request.type = arguments.type;
  request.callback = arguments.callback;
  request.data = arguments.data;
  request.private_segment_size = arguments.private_segment_size;
  request.group_segment_size = arguments.group_segment_size;
  request.invoke = invoke_counted;
  request.on_memory_fault = amd::report_memory_fault;
  return HSA_STATUS_SUCCESS;
}

namespace heddle::runtime::functions {

hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type_t type,
                              void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data),
                              void* data, uint32_t private_segment_size, uint32_t group_segment_size,
                              hsa_queue_t** queue) {
  return api::guard([&](Runtime& runtime) {
    const api::QueueArguments arguments = {
        agent, size, type, callback, data, private_segment_size, group_segment_size, queue};
    constexpr uint32_t smallest = 1;
    return api::create_queue(runtime, arguments, smallest, [&](const heddle::driver::QueueRequest& request) {
      return runtime.client().create_queue(request);
    });
  });
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type_t type,
                                   uint32_t features, hsa_signal_t doorbell_signal, hsa_queue_t** queue) {
  return api::guard([&](Runtime& runtime) {
    constexpr uint32_t all_features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH | HSA_QUEUE_FEATURE_AGENT_DISPATCH;
    const Region* found = runtime.topology().region(region);
    if (found == nullptr || queue == nullptr || !is_soft_queue(size, type) || features == 0 ||
        (features & ~all_features) != 0 || doorbell_signal.handle == 0)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto created = runtime.client().create_soft_queue(*found->driver, size, type, features, doorbell_signal);
    if (!created) return created.error();
    *queue = *created;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  return api::guard([&](Runtime& runtime) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.intercept_queues().contains(queue)) return runtime.intercept_queues().destroy(queue);
    return runtime.client().destroy_queue(queue);
  });
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
  return api::guard([&](Runtime& runtime) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.client().inactivate_queue(runtime.intercept_queues().agent_queue(queue));
  });
}

}  // namespace heddle::runtime::functions
