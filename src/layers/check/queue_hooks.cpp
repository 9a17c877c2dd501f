// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/queue_hooks.h"

#include <fmt/format.h>

namespace heddle::check {
namespace {

uint64_t address_of(const hsa_queue_t* queue) { return reinterpret_cast<uint64_t>(queue); }

void fail(Checker& checker, const hsa_queue_t* handle) {
  Queue* queue = checker.queues.find(address_of(handle));
  if (queue != nullptr) queue->failed = true;
  checker.flights.queue_ended(address_of(handle));
}

/// The queue has an error and processes no more packets; those in it are no longer in flight.
void failed(hsa_status_t status, hsa_queue_t* source, void* data) {
  Call call("the callback of a queue");
  guarded(call, [&](Checker& checker) { fail(checker, source); });
  const auto* callback = static_cast<const QueueCallback*>(data);
  callback->function(status, source, callback->data);
}

}  // namespace

void CreateQueue::before(Checker& checker, Call&, hsa_agent_t, uint32_t, uint32_t,
                         QueueCallback::Function& callback, void*& data, uint32_t, uint32_t, hsa_queue_t**) {
  // The runtime logs errors of queues without a callback, and must be able to tell.
  if (callback == nullptr) return;
  data = checker.queues.keep({callback, data});
  callback = &failed;
}

void CreateQueue::after(Checker& checker, Call& call, hsa_status_t status, hsa_agent_t agent, uint32_t,
                        uint32_t, QueueCallback::Function, void*, uint32_t, uint32_t, hsa_queue_t** queue) {
  if (status != HSA_STATUS_SUCCESS) return;
  checker.queues.made(*queue, agent);
  const uint64_t doorbell = (*queue)->doorbell_signal.handle;
  checker.signals.set_doorbell(doorbell, address_of(*queue));
  checker.objects.make(Kind::signal, doorbell, call.event(), true);
}

void CreateSoftQueue::after(Checker& checker, Call&, hsa_status_t status, hsa_region_t, uint32_t,
                            hsa_queue_type_t, uint32_t, hsa_signal_t doorbell, hsa_queue_t** queue) {
  if (status != HSA_STATUS_SUCCESS) return;
  checker.queues.made(*queue, {});
  checker.signals.set_doorbell(doorbell.handle, address_of(*queue));
}

void DestroyQueue::before(Checker& checker, Call& call, hsa_queue_t* handle) {
  const Queue* queue = checker.queues.find(address_of(handle));
  if (queue == nullptr || !checker.objects.is_live(Kind::queue, address_of(handle))) return;
  const uint64_t doorbell = queue->header.doorbell_signal.handle;
  checker.signals.set_doorbell(doorbell, 0);
  if (queue->agent.handle != 0) checker.objects.destroy(Kind::signal, doorbell, call.event());
  checker.flights.queue_ended(address_of(handle));
  checker.queues.destroyed(address_of(handle));
}

void InactivateQueue::after(Checker& checker, Call&, hsa_status_t status, hsa_queue_t* queue) {
  if (status == HSA_STATUS_SUCCESS) fail(checker, queue);
}

void StoreWriteIndex::before(Checker& checker, Call& call, const hsa_queue_t* handle, uint64_t value) {
  Queue* queue = checker.queues.find(address_of(handle));
  if (queue == nullptr) return;
  const uint64_t current = api::hsa_queue_load_write_index_relaxed(handle);
  Queues::check_store(current, value, call.findings);
  checker.queues.reserve(*queue, current, value, call.event(), call.findings);
}

void AddWriteIndex::after(Checker& checker, Call& call, uint64_t result, const hsa_queue_t* handle,
                          uint64_t value) {
  Queue* queue = checker.queues.find(address_of(handle));
  if (queue != nullptr) checker.queues.reserve(*queue, result, result + value, call.event(), call.findings);
}

void SwapWriteIndex::after(Checker& checker, Call& call, uint64_t result, const hsa_queue_t* handle,
                           uint64_t expected, uint64_t value) {
  Queue* queue = checker.queues.find(address_of(handle));
  if (queue == nullptr || result != expected) return;
  Queues::check_store(expected, value, call.findings);
  checker.queues.reserve(*queue, expected, value, call.event(), call.findings);
}

void StoreReadIndex::before(Checker& checker, Call& call, const hsa_queue_t* handle, uint64_t value) {
  const Queue* queue = checker.queues.find(address_of(handle));
  if (queue == nullptr || queue->agent.handle == 0) return;
  call.add(rules::read_index,
           fmt::format("the read index of queue {} is set to {}, and only its agent may do that",
                       queue->header.id, value),
           life_of(*checker.objects.find(Kind::queue, address_of(handle))));
}

}  // namespace heddle::check
