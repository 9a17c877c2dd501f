// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "agents/common/kernel_objects.h"
#include "agents/common/launcher.h"
#include "agents/cuda/accessible_memory.h"
#include "agents/cuda/description.h"
#include "agents/cuda/device_memory.h"
#include "agents/cuda/host_memory.h"
#include "agents/cuda/kernel.h"
#include "agents/cuda/remote/remote_driver.h"

namespace heddle::cuda {

/// The agent in messages of the log.
inline constexpr char log_source[] = "agent-cuda";

/// One GPU that has been opened: its context, its memory and its code. It sees memory of the client only
/// where that has been added to host_memory(). Thread safe.
class GpuDevice final : public agents::Device {
 public:
  /// `log` gets what the compiler of the driver says. All arguments outlive the device.
  static Driven<std::unique_ptr<GpuDevice>> open(const DriverApi& api, const GpuProperties& gpu,
                                                 const Description& description, const hsam_host& log);
  /// The same with the driver in another process, which has been started and sees no other GPU. `remote`
  /// outlives the device.
  static Driven<std::unique_ptr<GpuDevice>> open(remote::RemoteDriver& remote, const GpuProperties& gpu,
                                                 const Description& description, const hsam_host& log);

  /// If the process with the driver is lost, starts another one, in which everything is as before but for the
  /// contents of the memory of the GPU, which are undefined. Does nothing if the driver is in this process.
  Driven<void> revive();
  /// Whether a lost driver comes back.
  bool can_be_revived() const { return remote_ != nullptr; }
  /// Ends the process with the driver, and with it all kernels of the GPU, because one does not end. Not
  /// without such a process.
  void end_kernels() noexcept { remote_->end(Status::process_ended); }
  /// Keeps in mind that the code is to be loaded again by revive(), as long as it exists.
  void note_code(const std::shared_ptr<KernelCode>& code);

  Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) override;
  Result<std::unique_ptr<agents::Launcher>, Error> make_launcher(const agents::QueueOwner& owner) override;

  GpuContext& context() { return *context_; }
  DeviceMemory& device_memory() { return *device_memory_; }
  HostMemory& host_memory() { return *host_memory_; }
  /// The parts of device memory and host memory that clients were given. Whoever gives memory to a client
  /// adds it here.
  AccessibleMemory& accessible_memory() { return *accessible_memory_; }
  /// The same, for another GPU whose kernels may access it.
  std::shared_ptr<const AccessibleMemory> shared_accessible_memory() const { return accessible_memory_; }
  /// The addresses at which atomic operations of kernels are atomic by themselves: the window of the GPU, and
  /// from reach_also() on those of other GPUs and what is between them.
  struct Reach {
    DeviceAddress begin = 0;
    uint64_t size = 0;
  };
  Reach reach();
  /// Lets kernels use memory of another GPU as that of their own. False if there may be something else
  /// between the windows of the two.
  bool reach_also(const DeviceMemory& peer);
  const Description& description() const { return description_; }
  agents::KernelObjects& kernels() { return kernels_; }

 private:
  GpuDevice(const Description& description, const hsam_host& log) : description_(description), log_(log) {}

  Driven<void> make_parts(const DriverApi& api, const GpuProperties& gpu);
  Driven<void> restore();
  Result<void, Error> restore_code();

  const Description& description_;
  const hsam_host& log_;
  remote::RemoteDriver* remote_ = nullptr;
  std::shared_mutex revive_mutex_;
  std::atomic<bool> whole_{true};  ///< everything is in the present process
  std::mutex codes_mutex_;
  std::vector<std::weak_ptr<KernelCode>> codes_;
  std::unique_ptr<GpuContext> context_;
  std::unique_ptr<DeviceMemory> device_memory_;
  std::unique_ptr<HostMemory> host_memory_;
  std::shared_ptr<AccessibleMemory> accessible_memory_;
  std::mutex reach_mutex_;
  Reach reach_;
  agents::KernelObjects kernels_;
};

}  // namespace heddle::cuda
