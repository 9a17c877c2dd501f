// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The connections of a client to the agents. An agent receives client_new when the client first needs it, and
// client_remove at the end (MVA 2.6).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "driver/driver.h"
#include "driver/messages.h"

namespace heddle::driver {

class Connections {
 public:
  Connections(int64_t client, std::span<const Agent* const> agents)
      : client_(client), agents_(agents), links_(std::make_unique<Link[]>(agents.size())) {}

  int64_t client() const { return client_; }
  std::span<const Agent* const> agents() const { return agents_; }

  /// Stores the client's handle at the agent. Sends client_new first if the agent does not know the client
  /// yet.
  HSAM_Error open(const Agent& agent, int64_t* handle_at_agent);
  /// Stores the client's handle at the agent. Returns false if the agent does not know the client.
  bool find(const Agent& agent, int64_t* handle_at_agent) const;
  /// Tells all agents that the client ends, and waits until each has released it.
  void close();

 private:
  struct Link {
    std::mutex mutex;  // held while the connection is opened
    std::atomic<bool> opened{false};
    int64_t handle = 0;
    std::optional<PendingRequest> closing;
  };

  const int64_t client_;
  const std::span<const Agent* const> agents_;
  std::unique_ptr<Link[]> links_;  // by Agent::index
};

}  // namespace heddle::driver
