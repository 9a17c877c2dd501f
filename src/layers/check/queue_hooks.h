// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked in calls of functions on queues.
#pragma once

#include "layers/check/hooks.h"

namespace heddle::check {

struct CreateQueue {
  static void before(Checker&, Call&, hsa_agent_t, uint32_t, uint32_t, QueueCallback::Function& callback,
                     void*& data, uint32_t, uint32_t, hsa_queue_t**);
  static void after(Checker&, Call&, hsa_status_t status, hsa_agent_t agent, uint32_t, uint32_t,
                    QueueCallback::Function, void*, uint32_t, uint32_t, hsa_queue_t** queue);
};
struct CreateSoftQueue {
  static void after(Checker&, Call&, hsa_status_t status, hsa_region_t, uint32_t, hsa_queue_type_t, uint32_t,
                    hsa_signal_t doorbell, hsa_queue_t** queue);
};
struct DestroyQueue {
  static void before(Checker&, Call&, hsa_queue_t* queue);
};
struct InactivateQueue {
  static void after(Checker&, Call&, hsa_status_t status, hsa_queue_t* queue);
};
struct StoreWriteIndex {
  static void before(Checker&, Call&, const hsa_queue_t* queue, uint64_t value);
};
struct AddWriteIndex {
  static void after(Checker&, Call&, uint64_t result, const hsa_queue_t* queue, uint64_t value);
};
struct SwapWriteIndex {
  static void after(Checker&, Call&, uint64_t result, const hsa_queue_t* queue, uint64_t expected,
                    uint64_t value);
};
struct StoreReadIndex {
  static void before(Checker&, Call&, const hsa_queue_t* queue, uint64_t value);
};

HEDDLE_CHECK_HOOK(hsa_queue_create, CreateQueue)
HEDDLE_CHECK_HOOK(hsa_amd_queue_intercept_create, CreateQueue)
HEDDLE_CHECK_HOOK(hsa_soft_queue_create, CreateSoftQueue)
HEDDLE_CHECK_HOOK(hsa_queue_destroy, DestroyQueue)
HEDDLE_CHECK_HOOK(hsa_queue_inactivate, InactivateQueue)
HEDDLE_CHECK_HOOK_STORE(hsa_queue_store_write_index, StoreWriteIndex)
HEDDLE_CHECK_HOOK_STORE(hsa_queue_store_read_index, StoreReadIndex)
HEDDLE_CHECK_HOOK_UPDATE(hsa_queue_add_write_index, AddWriteIndex)
HEDDLE_CHECK_HOOK_UPDATE(hsa_queue_cas_write_index, SwapWriteIndex)

}  // namespace heddle::check
