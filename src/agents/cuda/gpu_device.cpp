// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_device.h"

#include "agents/cuda/loaded_code.h"
#include "agents/cuda/queue_launcher.h"

namespace heddle::cuda {

Driven<std::unique_ptr<GpuDevice>> GpuDevice::open(const DriverApi& api, const GpuProperties& gpu,
                                                   const Description& description, const hsam_host& log) {
  std::unique_ptr<GpuDevice> device(new GpuDevice(description, log));
  auto context = GpuContext::open(api, gpu);
  if (!context) return context.error();
  device->context_ = std::move(*context);
  auto memory = DeviceMemory::create(*device->context_);
  if (!memory) return memory.error();
  device->device_memory_ = std::move(*memory);
  device->host_memory_ = std::make_unique<HostMemory>(*device->context_);
  return device;
}

Result<std::shared_ptr<agents::LoadedCode>, Error> GpuDevice::load(
    std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) {
  auto code = LoadedGpuCode::load(*this, code_object, variables);
  if (!code) return code.error();
  if (const std::string& warnings = (*code)->warnings(); !warnings.empty() && log_.log)
    log_.log(HSAM_LOG_WARNING, log_source, warnings.c_str());
  return std::shared_ptr<agents::LoadedCode>(std::move(*code));
}

Result<std::unique_ptr<agents::Launcher>, Error> GpuDevice::make_launcher(const agents::QueueOwner& owner) {
  auto launcher = QueueLauncher::create(*this, owner);
  if (!launcher) return Error{launcher.error().message};
  return std::unique_ptr<agents::Launcher>(std::move(*launcher));
}

}  // namespace heddle::cuda
