// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signals and signal groups of one client, and the messages to agents about them (MVA 2.7).
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "driver/connections.h"
#include "driver/driver.h"
#include "driver/signal_table.h"
#include "support/slot_table.h"

namespace heddle::driver {

class Signals {
 public:
  explicit Signals(Connections& connections);

  StatusOr<hsa_signal_t> create(int64_t value, SignalTable::Kind kind,
                                std::span<const Agent* const> consumers);
  /// Attaches a signal of another process. INVALID_ARGUMENT, OUT_OF_RESOURCES.
  StatusOr<hsa_signal_t> attach(const SharedSignalHandle& handle);
  /// Returns false if there is no such signal.
  bool destroy(uint64_t handle, SignalTable::Kind kind);
  void destroy_all();

  /// Returns the agent's own handle for the signal, or the signal's handle if the agent gets no signal
  /// messages.
  int64_t handle_at_agent(uint64_t handle, const Agent& agent) const;
  /// Sends unblock_destination to the agent, unless the signal is removed from it. The signal is kept from
  /// being removed meanwhile.
  void unblock(uint64_t handle, const Agent& agent) const;

  StatusOr<hsa_signal_group_t> create_group(std::span<const hsa_signal_t> signals,
                                            std::span<const Agent* const> consumers);
  hsa_status_t destroy_group(hsa_signal_group_t group);
  StatusOr<SignalsOfGroup> signals_of(hsa_signal_group_t group) const;
  static hsa_status_t wait_any(const std::vector<hsam_signal*>& signals,
                               const hsa_signal_condition_t* conditions, const int64_t* compares,
                               hsa_wait_state_t hint, hsa_signal_t* signal, int64_t* value);

 private:
  struct AgentHandle {
    const Agent* agent;
    int64_t handle;
  };
  struct Group;
  static constexpr uint16_t group_tag = 0x5347;

  /// Tells all agents of a signal that has been made. If that fails, the signal is destroyed.
  StatusOr<hsa_signal_t> announce_to_all(hsam_signal* signal, SignalTable::Kind kind,
                                         std::span<const Agent* const> destinations);
  static bool release(uint64_t handle, SignalTable::Kind kind);
  /// Holds sharing_ if the kind of signal needs it.
  std::unique_lock<std::mutex> lock_if_shared(SignalTable::Kind kind);
  /// Tells one agent of the signal and appends the agent's handle to `told`.
  HSAM_Error announce(hsam_signal* signal, uint32_t destination, const Agent& agent,
                      std::vector<AgentHandle>& told);
  void withdraw(std::span<const AgentHandle> told);
  HSAM_Error announce_group(uint64_t handle, Group& group, const Agent& agent);
  void withdraw_group(const Group& group);

  /// Returns the agent's own handle, or null if the agent has not been told of the signal. Needs mutex_.
  const int64_t* find_handle(uint64_t handle, const Agent& agent) const;

  Connections& connections_;
  bool messages_wanted_ = false;  // by at least one agent
  // Orders the uses of shared signals by this process: agents hear of a signal with the first use, before
  // there is a second one, and until the last one ends.
  std::mutex sharing_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::vector<AgentHandle>> told_;  // by signal handle; agents that get messages
  SlotTable<Group, group_tag> groups_;
};

}  // namespace heddle::driver
