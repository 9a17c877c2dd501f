// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agents/cuda/driver_api.h"
#include "agents/cuda/remote/bounce.h"
#include "agents/cuda/remote/connection.h"
#include "agents/cuda/remote/host_files.h"

namespace heddle::cuda::remote {

/// The driver in a process of its own, for one GPU. A fault of a kernel ends that process and not this one,
/// and start() makes another process. Handles of the driver belong to the process that gave them: later ones
/// refuse them with Status::process_lost. Thread safe, as far as the driver is. It outlives all users of its
/// functions.
class RemoteDriver {
 public:
  explicit RemoteDriver(ProcessOptions options);
  RemoteDriver(const RemoteDriver&) = delete;
  RemoteDriver& operator=(const RemoteDriver&) = delete;

  /// Starts a process, if there is none or it is lost. Nothing of the process before is left. Fails in the
  /// child of a fork, which has only a part of what its parent had.
  Result<void, Error> start();
  /// Whether there is no process that can be used, and why.
  Status lost() const;
  /// Ends the process, for the reason that users of it are given.
  void end(Status why) noexcept;
  /// Looks whether the process still exists.
  void look_after() noexcept;
  /// Whether this is the child of a fork.
  bool is_in_child() const { return in_child_; }
  /// The number of the process; 0 if there is none.
  int64_t process_id() const;

  /// The functions of the driver. They return Status::not_initialized before start().
  const DriverApi& api() const { return *api_; }
  /// Where host memory lies that the GPU may be given. cuMemHostRegister refuses all other memory, with
  /// Status::not_supported.
  HostFiles& files() { return files_; }
  const HostFiles& files() const { return files_; }

  // ---- for the functions of the driver (stubs.cpp)

  std::shared_ptr<Connection> connection() const;
  /// The name or the text of an error if it is known, and what it is from now on. It lives as long as this.
  const char* known_text(bool is_name, Status status) const;
  const char* keep_text(bool is_name, Status status, std::string_view text);
  /// Notes memory that the process has mapped, and whether all of a range is such memory.
  void note_mapped(uint64_t address, uint64_t size);
  void forget_mapped(uint64_t address);
  bool is_mapped(uint64_t address, uint64_t size) const;
  /// The size of what is mapped at an address; 0 if nothing is.
  uint64_t mapped_size(uint64_t address) const;
  BounceBuffers& bounce() { return bounce_; }
  /// The addresses of this process behind which the process of the GPU has memory of the device.
  std::mutex windows_mutex;
  std::unordered_map<uint64_t, size_t> windows;

 private:
  void learn_errors();
  void forget_parent() noexcept;

  const ProcessOptions options_;
  bool in_child_ = false;
  const std::unique_ptr<const DriverApi> api_;
  HostFiles files_;
  std::mutex start_mutex_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::shared_ptr<Connection> connection_;
  uint16_t generation_ = 0;
  std::map<uint64_t, uint64_t> mapped_;
  std::map<std::pair<bool, Status>, std::string> texts_;
  BounceBuffers bounce_;
  const ForkHandler fork_handler_{
      [](void* driver) noexcept { static_cast<RemoteDriver*>(driver)->forget_parent(); }, this};
};

/// The functions of the driver that `driver` has carried out by its process.
std::unique_ptr<const DriverApi> make_api(RemoteDriver& driver);

}  // namespace heddle::cuda::remote
