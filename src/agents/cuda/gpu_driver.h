// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "agents/cuda/gpu.h"
#include "agents/cuda/remote/remote_driver.h"

namespace heddle::cuda {

/// The driver library in this process, for all GPUs.
struct DriverHere {
  const DriverApi& api;
  /// After a fault of a kernel, the error that every function returns for good, for each GPU.
  std::atomic<Status>& lost;
};

/// The driver for one GPU, which may move: it is in this process, where calls are fastest, until a fault of a
/// kernel has made it useless there; and then in a process of its own, where it may be from the start. Users
/// call the functions of api(), wherever the driver is. Handles that the driver gave out before it moved are
/// refused afterwards with Status::process_lost, as what one process gave is by the next. Memory of the
/// device has numbers instead of handles, with which users have to be careful.
///
/// A driver in this process can also be given up because a kernel does not end. After that it is only asked
/// whether streams have ended, because any other call may wait for the kernel. What it has begun goes on,
/// also when the driver has moved, and whoever waits for a stream still can.
///
/// Thread safe, as far as the driver is. It outlives all users of its functions.
class GpuDriver {
 public:
  /// With `here`, whose parts outlive this, the driver is in this process at first; without, nowhere before
  /// start(). `gpu` is as this process sees it.
  GpuDriver(std::optional<DriverHere> here, const GpuProperties& gpu, remote::ProcessOptions options);
  GpuDriver(const GpuDriver&) = delete;
  GpuDriver& operator=(const GpuDriver&) = delete;

  const DriverApi& api() const { return *api_; }
  /// Whether the driver is in this process.
  bool is_here() const { return is_here_.load(std::memory_order_acquire); }
  /// The number of the GPU where the driver is.
  DeviceNumber number() const { return is_here() ? gpu_.number : number_there_.load(); }
  /// Why the driver cannot be used; success if it is not known that it cannot.
  Status lost() const;

  /// Starts a process that has the driver: another one if there was one. leave() has to follow if the driver
  /// is in this process. Fails with Status::no_device if the process does not show the GPU, and with
  /// Status::not_initialized in the child of a fork.
  Driven<void> start();
  /// Lets the process have the driver from now on.
  void leave() noexcept { is_here_.store(false, std::memory_order_release); }
  /// Gives the driver up, because a kernel does not end. A process ends, and its kernels with it.
  void give_up() noexcept;
  /// Looks whether the process still exists, if there is one.
  void look_after() noexcept { remote_.look_after(); }
  /// The process; it has none before start().
  remote::RemoteDriver& remote() { return remote_; }
  const remote::RemoteDriver& remote() const { return remote_; }
  /// The functions of the driver in this process if a fault of a kernel has made it useless, so that it runs
  /// no kernel any more; otherwise null.
  const DriverApi* lost_here() const {
    return here_ && here_->lost.load(std::memory_order_acquire) != Status::success ? &here_->api : nullptr;
  }

 private:
  template <auto function, typename... Parameters>
  void set(DriverFunction<Parameters...>& to);
  template <auto function, typename... Parameters>
  Status call(Parameters... values);
  template <auto function>
  Status describe(Status status, const char** text);
  bool is_going_on(Stream stream) const;
  Status reserve(DeviceAddress* window, size_t size, size_t alignment, DeviceAddress wanted,
                 unsigned long long flags);
  Driven<void> find_gpu();

  const std::optional<DriverHere> here_;
  const GpuProperties gpu_;
  const std::unique_ptr<const DriverApi> api_;
  std::atomic<bool> is_here_;
  std::atomic<bool> given_up_{false};  ///< in this process
  std::atomic<DeviceNumber> number_there_{0};
  remote::RemoteDriver remote_;
};

}  // namespace heddle::cuda
