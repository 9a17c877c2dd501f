// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program has said about its signals.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "layers/check/api.h"

namespace heddle::check {

class Signals {
 public:
  /// Notes the agents that may wait for a signal. None means any agent.
  void made(uint64_t signal, const hsa_agent_t* consumers, uint32_t count);
  void destroyed(uint64_t signal);
  /// Notes that the program has got the address of the value, so that its changes cannot be seen any more.
  void expose(uint64_t signal) { exposed_.insert(signal); }
  bool is_exposed(uint64_t signal) const { return exposed_.contains(signal); }
  void clear();

  /// Says whether an agent may wait for the signal.
  bool may_consume(uint64_t signal, uint64_t agent) const;
  /// Says whether the host may wait for the signal: it has no list of consumers, or one with an agent that is
  /// a CPU.
  bool host_may_consume(uint64_t signal) const;

  /// Notes that a signal is the doorbell of a queue (0: no longer).
  void set_doorbell(uint64_t signal, uint64_t queue);
  /// Returns the queue of a doorbell, or 0.
  uint64_t queue_of(uint64_t signal) const;

 private:
  std::unordered_map<uint64_t, std::vector<uint64_t>> consumers_;  // only lists with agents
  std::unordered_map<uint64_t, uint64_t> doorbells_;
  std::unordered_set<uint64_t> exposed_;
};

/// Returns the value of a signal, which must be live.
inline int64_t value_of(uint64_t signal) { return api::hsa_signal_load_relaxed(hsa_signal_t{signal}); }

}  // namespace heddle::check
