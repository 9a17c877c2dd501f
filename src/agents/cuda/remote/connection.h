// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "agents/cuda/remote/channel.h"
#include "agents/cuda/remote/process.h"
#include "agents/cuda/remote/protocol.h"
#include "support/fork_handler.h"

namespace heddle::cuda::remote {

/// One process of a GPU, from its start to its end, and the ways to it. Once it is lost, because it ended or
/// because the driver in it refuses to do anything after a fault of a kernel, every use of it returns why, as
/// the driver would. Thread safe. In the child of a fork it is lost.
class Connection {
 public:
  /// `generation` tells this process from others of the same GPU; it is not 0.
  static Result<std::shared_ptr<Connection>, Error> open(const ProcessOptions& options, uint16_t generation);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  uint16_t generation() const { return generation_; }
  int64_t process_id() const { return process_.id; }

  /// Why the process is lost; success if it is not known to be.
  Status lost() const { return lost_.load(std::memory_order_acquire); }
  /// Ends the process, if it has not been lost for another reason before.
  void lose(Status why) noexcept;
  /// Whether the process still exists; loses the connection if not.
  bool look_after() noexcept;

  /// Has the process do something that needs a file, unless `file` is less than 0.
  Status control(std::span<const std::byte> request, int file);

  /// A channel that nobody else uses until it is given back; null, and the connection is lost or the system
  /// has no memory.
  Channel* take_channel();
  void give_back(Channel* channel) noexcept;

 private:
  Connection(Process process, uint16_t generation);
  Channel* add_channel();

  const uint16_t generation_;
  std::atomic<Status> lost_{Status::success};
  std::mutex control_mutex_;
  Process process_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<Channel*> idle_;  ///< has room for all of them

  void forget_parent() noexcept;
  const ForkHandler fork_handler_{
      [](void* connection) noexcept { static_cast<Connection*>(connection)->forget_parent(); }, this};
};

/// The errors of the driver that stay: every later call of the process returns them, too.
std::span<const Status> sticky_errors();
bool is_sticky(Status status);

}  // namespace heddle::cuda::remote
