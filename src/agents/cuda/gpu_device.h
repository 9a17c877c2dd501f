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
#include "agents/cuda/gpu_driver.h"
#include "agents/cuda/host_memory.h"
#include "agents/cuda/kernel.h"

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
  /// The same with a driver that can move, and that has been started. It outlives the device.
  static Driven<std::unique_ptr<GpuDevice>> open(GpuDriver& driver, const GpuProperties& gpu,
                                                 const Description& description, const hsam_host& log);

  /// If the driver is lost, starts a process that has it, in which everything is as before but for the
  /// contents of the memory of the GPU, which are undefined, and memory of the host that lies in no file,
  /// which the GPU cannot access any more. Does nothing if the driver never leaves this process.
  Driven<void> revive();
  /// Whether a lost driver comes back.
  bool can_be_revived() const { return driver_ != nullptr; }
  /// Gives up the driver, and all kernels of the GPU with it, because one does not end. If the driver is in
  /// this process, the kernels go on to its end, but nobody waits for them. Only if it can be revived.
  void end_kernels() noexcept {
    driver_->give_up();
    host_memory_->keep_if_given_up();
  }
  /// Why the driver cannot be used; success if it is not known that it cannot.
  Status lost() const { return driver_ ? driver_->lost() : Status::success; }
  /// Whether the driver is in this process, so that the GPU can be a peer of others.
  bool is_here() const { return !driver_ || driver_->is_here(); }
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
  void leave_this_process();
  Driven<void> restore();
  Driven<void> restore_host_memory();
  Result<void, Error> restore_code();
  void log_move(bool was_here) const;

  const Description& description_;
  const hsam_host& log_;
  GpuDriver* driver_ = nullptr;  ///< null if the driver never leaves this process
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
