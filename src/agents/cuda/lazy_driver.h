// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver library, which is opened and started when a GPU is first used.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agents/cuda/driver_api.h"
#include "agents/cuda/gpu.h"
#include "agents/cuda/gpu_driver.h"
#include "agents/cuda/gpu_memo.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// Where the driver is.
enum class DriverPlace : uint8_t {
  here,              ///< in this process, also when it is of no use any more after a fault of a kernel
  here_until_fault,  ///< in this process, and after a fault in processes of their own, one for each GPU
  elsewhere,         ///< in such processes from the start, and never in this one
};

/// Tells which GPUs there are, from what an earlier process has remembered if it can, and otherwise by
/// starting the driver. Lives as long as the process, because the driver does. Thread safe. The child of a
/// fork starts anew, with what the driver lets it do.
class LazyDriver {
 public:
  /// `library` is the name or path of the driver library. Without a memo nothing is remembered. `program` is
  /// the path of heddle-cuda-host, unless the driver is always here.
  LazyDriver(std::string library, std::optional<GpuMemo> memo, DriverPlace place = DriverPlace::here,
             std::string program = {});

  /// Returns the GPUs that can become agents; the same each time once it has succeeded.
  Driven<std::vector<GpuProperties>> gpus();

  /// Returns the functions of the driver, which has been started. Fails if it does not start, and if it does
  /// not show the GPUs that gpus() has returned: a memo that is no longer true is forgotten, so that the next
  /// process sees them as they are.
  Driven<const DriverApi*> started();

  DriverPlace place() const { return place_; }
  /// Makes the driver of a GPU that gpus() has returned, and starts it. Fails as started() does. Not if it is
  /// always here.
  Driven<std::unique_ptr<GpuDriver>> make_driver(const GpuProperties& gpu);

  /// Whether the library has been opened.
  bool is_open() const;

 private:
  Driven<std::vector<GpuProperties>> start();
  Driven<std::vector<GpuProperties>> look_from_outside();
  DriverError changed();
  void forget_parent() noexcept;

  const std::string library_, program_;
  const DriverPlace place_;
  const std::optional<GpuMemo> memo_;
  mutable std::mutex mutex_;                        ///< guards all that follows
  std::unique_ptr<const DriverApi> api_;            ///< null until the library has been opened
  std::optional<std::vector<GpuProperties>> told_;  ///< what gpus() has returned
  bool started_ = false;                            ///< the driver shows the GPUs in told_
  bool opened_there_ = false;                       ///< another process has opened the library
  std::atomic<Status> lost_here_{Status::success};  ///< needs no lock
  const ForkHandler fork_handler_{
      [](void* driver) noexcept { static_cast<LazyDriver*>(driver)->forget_parent(); }, this};
};

}  // namespace heddle::cuda
