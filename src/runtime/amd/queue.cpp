// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues of the AMD extension: priorities, compute units, queries.
#include <hsa/amd/queue.h>

#include <algorithm>

#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace {

constexpr uint32_t bits_of_word = 32;

static_assert(static_cast<int>(HSA_AMD_QUEUE_PRIORITY_LOW) == HSAM_QUEUE_PRIORITY_LOW &&
              static_cast<int>(HSA_AMD_QUEUE_PRIORITY_NORMAL) == HSAM_QUEUE_PRIORITY_NORMAL &&
              static_cast<int>(HSA_AMD_QUEUE_PRIORITY_HIGH) == HSAM_QUEUE_PRIORITY_HIGH);

/// The agent of a queue as clients know it; handle 0 for soft queues.
hsa_agent_t agent_of(Runtime& runtime, const hsa_queue_t* queue) {
  const heddle::driver::Agent* driver = runtime.client().queue_agent(queue);
  const Topology& topology = runtime.topology();
  for (size_t i = 0; i < topology.agent_count(); ++i)
    if (driver != nullptr && topology.agent_at(i).driver == driver) return topology.agent_at(i).handle;
  return {0};
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  return api::guard([&](Runtime& runtime) {
    queue = runtime.intercept_queues().agent_queue(queue);
    if (runtime.client().queue_agent(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (static_cast<uint32_t>(priority) > HSA_AMD_QUEUE_PRIORITY_HIGH)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.client().set_queue_priority(queue, static_cast<hsam_queue_priority>(priority));
  });
}

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       const uint32_t* cu_mask) {
  return api::guard([&](Runtime& runtime) {
    queue = runtime.intercept_queues().agent_queue(queue);
    if (runtime.client().queue_agent(queue) == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (num_cu_mask_count % bits_of_word != 0 || (num_cu_mask_count != 0 && cu_mask == nullptr))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.client().set_queue_compute_units(queue, {cu_mask, num_cu_mask_count / bits_of_word});
  });
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                       uint32_t* cu_mask) {
  return api::guard([&](Runtime& runtime) {
    queue = runtime.intercept_queues().agent_queue(queue);
    const auto units = runtime.client().queue_compute_units(queue);
    if (!units) return units.error();
    if (num_cu_mask_count == 0 || num_cu_mask_count % bits_of_word != 0 || cu_mask == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const size_t words = num_cu_mask_count / bits_of_word;
    const size_t known = std::min(words, units->size());
    std::copy_n(units->begin(), known, cu_mask);
    std::fill(cu_mask + known, cu_mask + words, 0u);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute, void* value) {
  return api::guard([&](Runtime& runtime) {
    queue = runtime.intercept_queues().agent_queue(queue);
    const auto id = runtime.client().queue_id(queue);
    if (!id) return id.error();
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (static_cast<uint32_t>(attribute)) {
      case HSA_AMD_QUEUE_INFO_AGENT:
        api::Value(value).put<hsa_agent_t>(agent_of(runtime, queue));
        return HSA_STATUS_SUCCESS;
      case HSA_AMD_QUEUE_INFO_DOORBELL_ID:
        api::Value(value).put<uint64_t>(*id);
        return HSA_STATUS_SUCCESS;
      default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

}  // namespace heddle::runtime::functions
