// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues of one client: their memory, their lifetime and the delivery of their errors (Runtime 2.5, MVA
// 2.8 and 4).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "driver/connections.h"
#include "driver/driver.h"
#include "driver/queue_memory.h"
#include "driver/signals.h"

namespace heddle::driver {

class Memory;
class Queue;

class Queues {
 public:
  Queues(Connections& connections, Signals& signals, Memory& memory);
  ~Queues();

  StatusOr<hsa_queue_t*> create(const QueueRequest& request);
  StatusOr<hsa_queue_t*> create_soft(const Region& region, uint32_t size, hsa_queue_type32_t type,
                                     uint32_t features, hsa_signal_t doorbell);
  hsa_status_t inactivate(hsa_queue_t* queue);
  hsa_status_t set_priority(const hsa_queue_t* queue, hsam_queue_priority priority);
  hsa_status_t set_compute_units(const hsa_queue_t* queue, std::span<const uint32_t> mask);
  StatusOr<std::vector<uint32_t>> compute_units(const hsa_queue_t* queue) const;
  hsa_status_t destroy(hsa_queue_t* queue);
  void destroy_all();

  /// Returns null for anything but a live queue. The address is not dereferenced.
  std::shared_ptr<Queue> find(const hsa_queue_t* queue) const;
  const Agent* agent_of(const hsa_queue_t* queue) const;
  /// Stores agent and id of the queue with this handle. Returns false if there is none.
  bool identify(int64_t queue_handle, const Agent** agent, uint64_t* id) const;
  /// Returns the ids of the agent's live queues, oldest first.
  std::vector<uint64_t> ids_of(const Agent& agent) const;
  /// Returns how many packets of the agent's queues have been claimed by producers and not been taken yet.
  uint64_t waiting_packets(const Agent& agent) const;

  /// Reports an error from an agent: the queue has failed. Calls the application's callback if there is one
  /// and the queue is still active.
  void report_error(int64_t queue_handle, hsa_status_t status, const char* message,
                    const std::optional<MemoryFault>& fault = std::nullopt);

 private:
  template <typename Member, typename... Arguments>
  hsa_status_t request(const Queue& queue, const char* message, Member member, Arguments... arguments);
  StatusOr<std::shared_ptr<Queue>> connect(std::shared_ptr<Queue> queue, const QueueRequest& request);
  void insert(const std::shared_ptr<Queue>& queue);
  void erase(const Queue& queue);
  hsa_status_t tear_down(Queue& queue);

  Connections& connections_;
  Signals& signals_;
  Memory& memory_;
  QueueMemory blocks_;              // outlives the queues
  bool lock_all_payloads_ = false;  // some agent requires safe-to-access memory for all queues
  mutable std::mutex mutex_;
  std::unordered_map<const hsa_queue_t*, std::shared_ptr<Queue>> by_address_;
  std::map<int64_t, std::shared_ptr<Queue>> by_handle_;
  std::vector<uint32_t> count_;  // live queues by Agent::index
};

}  // namespace heddle::driver
