// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues of the program: what it has reserved, what it has rung for, and which packets have been checked.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "layers/check/flights.h"
#include "layers/check/packets.h"

namespace heddle::check {

struct Queue {
  hsa_queue_t* handle = nullptr;
  hsa_queue_t header{};  ///< as it was made: programs and kernels can overwrite it
  hsa_agent_t agent{};   ///< handle 0 for soft queues
  AgentLimits limits;
  uint64_t checked = 0;              ///< all packets before this one have been checked or taken
  std::set<uint64_t> checked_ahead;  ///< packets behind it that have been checked
  std::map<uint64_t, Packet> seen;   ///< packets with a header that were waiting when they were last seen
  int64_t last_rung = -1;
  uint64_t reserved_by = 0;   ///< the thread that reserved last
  uint64_t reserved_end = 0;  ///< behind its packets
  Event reserved;
  bool acquired = false;      ///< a packet had an acquire fence of system scope
  uint64_t last_release = 0;  ///< 1 + the last packet with a release fence of system scope
  bool failed = false;
};

/// A dispatch that wrote, perhaps, to memory that the host can read, and has no release fence for it.
struct Unreleased {
  uint64_t queue;
  uint64_t index;
  std::string what;
  Event submitted;
};

/// The callback of a program for the errors of a queue.
struct QueueCallback {
  using Function = void (*)(hsa_status_t status, hsa_queue_t* source, void* data);
  Function function;
  void* data;
};

class Queues {
 public:
  /// Keeps a callback as long as the process lives, because the runtime may call it until then.
  QueueCallback* keep(const QueueCallback& callback) { return &callbacks_.emplace_back(callback); }
  void made(hsa_queue_t* handle, hsa_agent_t agent);
  void destroyed(uint64_t handle) { queues_.erase(handle); }
  void clear();
  /// Returns the queue, or null if it is not live.
  Queue* find(uint64_t handle);

  /// The program reserves packets: `begin` to `end`, on the calling thread.
  void reserve(Queue& queue, uint64_t begin, uint64_t end, const Event& event,
               std::vector<Finding>& findings);
  /// The program sets the write index, which is `current`, to `value`.
  static void check_store(uint64_t current, uint64_t value, std::vector<Finding>& findings);
  /// The program rings the doorbell with `value`. Checks all packets that are complete and not checked yet,
  /// and notes those in flight. `flights` may be asked for signals meanwhile.
  void ring(Queue& queue, int64_t value, const Event& event, PacketContext context, Flights& flights,
            std::vector<Finding>& findings);
  /// Looks at the packets of all queues that the program has reserved and not rung for, in order to notice
  /// headers that are written before the rest of the packet.
  void look(std::vector<Finding>& findings);

  /// The host has seen that a signal has the value for which it waited. Adds a finding if the signal
  /// completes a dispatch whose writes need not be visible to the host.
  void host_saw(uint64_t signal, std::vector<Finding>& findings);

 private:
  std::deque<QueueCallback> callbacks_;

  /// Checks the value with which the doorbell of an agent's queue is rung; packets before `limit` are
  /// reserved.
  static void check_doorbell(const Queue& queue, int64_t value, uint64_t limit,
                             std::vector<Finding>& findings);
  /// Notes the completion signal of a packet and its value before the packet is complete.
  void note_completion(uint64_t completion, int64_t value, const PacketContext& context, Flights& flights,
                       Flight& flight, std::vector<Finding>& findings);
  void check_one(Queue& queue, uint64_t index, const Packet& packet, int64_t completion_value,
                 const Event& event, const PacketContext& context, Flights& flights,
                 std::vector<Finding>& findings);
  void note_fences(Queue& queue, uint64_t index, const Packet& packet, const DispatchMemory& memory,
                   const std::string& what, const Event& event, std::vector<Finding>& findings);

  std::unordered_map<uint64_t, Queue> queues_;
  std::set<uint64_t> pending_;  // queues with packets that are reserved and not checked
  std::unordered_map<uint64_t, Unreleased> unreleased_;  // by completion signal
};

}  // namespace heddle::check
