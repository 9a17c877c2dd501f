// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "agents/common/kernel_objects.h"
#include "agents/common/launcher.h"
#include "agents/cuda/description.h"
#include "agents/cuda/device_memory.h"
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

  Result<std::shared_ptr<agents::LoadedCode>, Error> load(
      std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) override;
  Result<std::unique_ptr<agents::Launcher>, Error> make_launcher(const agents::QueueOwner& owner) override;

  GpuContext& context() { return *context_; }
  DeviceMemory& device_memory() { return *device_memory_; }
  HostMemory& host_memory() { return *host_memory_; }
  const Description& description() const { return description_; }
  agents::KernelObjects& kernels() { return kernels_; }

 private:
  GpuDevice(const Description& description, const hsam_host& log) : description_(description), log_(log) {}

  const Description& description_;
  const hsam_host& log_;
  std::unique_ptr<GpuContext> context_;
  std::unique_ptr<DeviceMemory> device_memory_;
  std::unique_ptr<HostMemory> host_memory_;
  agents::KernelObjects kernels_;
};

}  // namespace heddle::cuda
