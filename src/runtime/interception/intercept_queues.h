// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues with interceptors (intercept_queue.h), and how rings of their doorbells reach them.
//
// The doorbell of such a queue is a signal with one destination, which is inactive: whoever sends to it
// therefore calls the signal's hook for unreachable destinations (MVA 3.11.3), which takes the packets.
// Threads that call the API do that themselves, because tools tell the caller from the thread. Sends from
// code of agents, as from kernels, only wake the thread of the signal handlers: their threads are no place
// for functions of programs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/driver.h"
#include "runtime/core/signal_handlers.h"
#include "runtime/interception/intercept_queue.h"

namespace heddle::runtime {

class InterceptQueues {
 public:
  InterceptQueues(driver::Client& client, SignalHandlers& handlers);
  /// The client, with all queues and signals, has been destroyed before.
  ~InterceptQueues();
  InterceptQueues(const InterceptQueues&) = delete;
  InterceptQueues& operator=(const InterceptQueues&) = delete;

  /// Creates a queue with interceptors. Errors are those of Client::create_queue.
  driver::StatusOr<hsa_queue_t*> create(const driver::QueueRequest& request);
  /// Adds an interceptor. INVALID_QUEUE.
  hsa_status_t add(const hsa_queue_t* queue, hsa_amd_queue_intercept_handler handler, void* data);
  /// Returns the queue from which the agent takes the packets of `queue`, which may be any queue.
  template <typename Queue>  // hsa_queue_t, const or not
  Queue* agent_queue(Queue* queue) const {
    const std::shared_ptr<InterceptQueue> found = find(queue);
    return found == nullptr ? queue : found->lower();
  }
  bool contains(const hsa_queue_t* queue) const { return find(queue) != nullptr; }
  /// Destroys a queue with interceptors. Errors are those of Client::destroy_queue.
  hsa_status_t destroy(hsa_queue_t* queue);
  /// Reports whether a signal belongs to such a queue, so that programs cannot destroy it.
  bool owns(hsa_signal_t signal) const;

 private:
  struct Entry;

  static void on_ring(hsa_signal_object* doorbell, int64_t agent);
  static bool on_retry(hsa_signal_value_t value, void* upper);
  static void on_error(hsa_status_t status, hsa_queue_t* lower, void* entry);
  std::shared_ptr<InterceptQueue> find(const hsa_queue_t* queue) const;
  std::shared_ptr<InterceptQueue> find(const hsa_signal_object* doorbell) const;
  void finish(const InterceptQueue& queue, InterceptQueue::Outcome outcome);
  hsa_status_t build(Entry& entry, const driver::QueueRequest& request);
  hsa_status_t connect(Entry& entry);
  hsa_status_t tear_down(Entry& entry);

  driver::Client& client_;
  SignalHandlers& handlers_;
  std::atomic<size_t> count_{0};
  mutable std::mutex mutex_;  // guards entries_
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace heddle::runtime
