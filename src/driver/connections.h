// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client's standing with each agent: client_new when it first needs the agent, client_remove at the end
// (MVA 2.6).
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

  /// Stores the client's handle at the agent; sends client_new if the agent does not know the client yet.
  HSAM_Error open(const Agent& agent, int64_t* handle_at_agent);
  /// The handle at an agent that knows the client; false if it does not.
  bool find(const Agent& agent, int64_t* handle_at_agent) const;
  /// Tells all agents that the client ends, and waits until each has let go of it.
  void close();

 private:
  struct Link {
    std::mutex mutex;  // over the opening
    std::atomic<bool> opened{false};
    int64_t handle = 0;
    std::optional<PendingRequest> closing;
  };

  const int64_t client_;
  const std::span<const Agent* const> agents_;
  std::unique_ptr<Link[]> links_;  // by Agent::index
};

}  // namespace heddle::driver
