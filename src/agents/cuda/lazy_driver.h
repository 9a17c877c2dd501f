// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver library of the process, which is opened and started when a GPU is first used.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agents/cuda/driver_api.h"
#include "agents/cuda/gpu.h"
#include "agents/cuda/gpu_memo.h"
#include "agents/cuda/remote/remote_driver.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// Tells which GPUs there are, from what an earlier process has remembered if it can, and otherwise by
/// starting the driver. Lives as long as the process, because the driver does. Thread safe. The child of a
/// fork starts anew, with what the driver lets it do.
class LazyDriver {
 public:
  /// `library` is the name or path of the driver library. Without a memo nothing is remembered.
  LazyDriver(std::string library, std::optional<GpuMemo> memo);
  /// The driver is in processes of this program (heddle-cuda-host), one for each GPU that is used, and never
  /// in this one.
  LazyDriver(std::string library, std::optional<GpuMemo> memo, std::string program);

  /// Returns the GPUs that can become agents; the same each time once it has succeeded.
  Driven<std::vector<GpuProperties>> gpus();

  /// Returns the functions of the driver, which has been started. Fails if it does not start, and if it does
  /// not show the GPUs that gpus() has returned: a memo that is no longer true is forgotten, so that the next
  /// process sees them as they are.
  Driven<const DriverApi*> started();

  /// Whether the driver is in other processes.
  bool is_remote() const { return !program_.empty(); }
  /// Starts the process of a GPU that gpus() has returned. Fails as started() does.
  struct ProcessOfGpu {
    std::unique_ptr<remote::RemoteDriver> driver;
    GpuProperties gpu;  ///< with the number that it has there
  };
  Driven<ProcessOfGpu> start_process(const GpuProperties& gpu);

  /// Whether the library has been opened.
  bool is_open() const;

 private:
  Driven<std::vector<GpuProperties>> start();
  Driven<std::vector<GpuProperties>> look_from_outside();
  DriverError changed();
  void forget_parent() noexcept;

  const std::string library_, program_;
  const std::optional<GpuMemo> memo_;
  mutable std::mutex mutex_;                        ///< guards all that follows
  std::unique_ptr<const DriverApi> api_;            ///< null until the library has been opened
  std::optional<std::vector<GpuProperties>> told_;  ///< what gpus() has returned
  bool started_ = false;                            ///< the driver shows the GPUs in told_
  bool opened_there_ = false;                       ///< another process has opened the library
  const ForkHandler fork_handler_{
      [](void* driver) noexcept { static_cast<LazyDriver*>(driver)->forget_parent(); }, this};
};

}  // namespace heddle::cuda
