// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/cuda/loaded_code.h"
#include "agents/cuda/queue_launcher.h"
#include "support/exception_safety.h"

namespace heddle::cuda {

Driven<void> GpuDevice::make_parts(const DriverApi& api, const GpuProperties& gpu) {
  auto context = GpuContext::open(api, gpu);
  if (!context) return context.error();
  context_ = std::move(*context);
  auto memory = DeviceMemory::create(*context_, description_.config().agent_id);
  if (!memory) return memory.error();
  device_memory_ = std::move(*memory);
  if (is_here()) OpenMemories::instance().add(*device_memory_);
  reach_ = {device_memory_->window(), device_memory_->window_size()};
  host_memory_ = std::make_unique<HostMemory>(*context_, driver_);
  accessible_memory_ = std::make_shared<AccessibleMemory>(*context_, *device_memory_);
  return {};
}

Driven<std::unique_ptr<GpuDevice>> GpuDevice::open(const DriverApi& api, const GpuProperties& gpu,
                                                   const Description& description, const hsam_host& log) {
  std::unique_ptr<GpuDevice> device(new GpuDevice(description, log));
  if (auto made = device->make_parts(api, gpu); !made) return made.error();
  return device;
}

Driven<std::unique_ptr<GpuDevice>> GpuDevice::open(GpuDriver& driver, const GpuProperties& gpu,
                                                   const Description& description, const hsam_host& log) {
  std::unique_ptr<GpuDevice> device(new GpuDevice(description, log));
  device->driver_ = &driver;
  GpuProperties numbered = gpu;
  numbered.number = driver.number();
  if (auto made = device->make_parts(driver.api(), numbered); !made) return made.error();
  return device;
}

GpuDevice::Reach GpuDevice::reach() {
  std::lock_guard lock(reach_mutex_);
  return reach_;
}

bool GpuDevice::reach_also(const DeviceMemory& peer) {
  if (!device_memory_->is_where_wanted() || !peer.is_where_wanted()) return false;
  std::lock_guard lock(reach_mutex_);
  const DeviceAddress end = std::max(reach_.begin + reach_.size, peer.window() + peer.window_size());
  reach_.begin = std::min(reach_.begin, peer.window());
  reach_.size = end - reach_.begin;
  return true;
}

void GpuDevice::note_code(const std::shared_ptr<KernelCode>& code) {
  if (!driver_) return;
  std::lock_guard lock(codes_mutex_);
  std::erase_if(codes_, [](const auto& noted) { return noted.expired(); });
  codes_.push_back(code);
}

Result<void, Error> GpuDevice::restore_code() {
  std::vector<std::weak_ptr<KernelCode>> codes;
  {
    std::lock_guard lock(codes_mutex_);
    codes = codes_;
  }
  for (const auto& noted : codes)
    if (const auto code = noted.lock())
      if (auto restored = code->restore(); !restored) return restored;
  return {};
}

/// Memory that only the driver in this process could have is no longer the GPU's.
Driven<void> GpuDevice::restore_host_memory() {
  const auto left = host_memory_->restore();
  if (!left) return left.error();
  for (const auto& [base, size] : *left) {
    accessible_memory_->remove(base);
    if (!log_.log) continue;
    const std::string message = fmt::format(
        "the GPU cannot access the {} bytes of registered memory at {} any more, because they are memory of "
        "the operating system, which the process of the GPU does not have",
        size, base);
    log_.log(HSAM_LOG_WARNING, log_source, message.c_str());
  }
  return {};
}

/// Lets the process have the driver. It also needs the memory that this process has, and other GPUs have no
/// way to memory there.
void GpuDevice::leave_this_process() {
  OpenMemories::instance().remove(*device_memory_);
  host_memory_->leave_this_process();
  if (const DriverApi* lost = driver_->lost_here()) device_memory_->give_back(*lost);
}

Driven<void> GpuDevice::restore() {
  if (auto done = driver_->start(); !done) return done;
  if (driver_->is_here()) leave_this_process();
  if (auto done = context_->reopen(driver_->number()); !done) return done;
  if (auto done = device_memory_->restore(); !done) return done;
  if (auto done = restore_host_memory(); !done) return done;
  if (auto done = restore_code(); !done) return DriverError{Status::unknown, done.error().message};
  return {};
}

void GpuDevice::log_move(bool was_here) const {
  if (!log_.log) return;
  log_.log(HSAM_LOG_WARNING, log_source,
           was_here
               ? "the driver of the GPU was lost in this process and has been started in a process of its "
                 "own; the contents of the memory of the GPU are lost"
               : "the process of the GPU was lost and has been started again; the contents of the memory "
                 "of the GPU are lost");
}

Driven<void> GpuDevice::revive() {
  if (!driver_) return {};
  driver_->look_after();
  if (whole_ && driver_->lost() == Status::success) return {};
  std::lock_guard lock(revive_mutex_);
  if (whole_ && driver_->lost() == Status::success) return {};
  whole_ = false;
  const bool was_here = driver_->is_here();
  // Half of it is of no use, and the next attempt starts from nothing.
  const Finally settle([&] {
    if (!whole_) driver_->remote().end(Status::process_lost);
  });
  auto restored = restore();
  whole_ = restored.ok();
  if (restored) log_move(was_here);
  return restored;
}

Result<std::shared_ptr<agents::LoadedCode>, Error> GpuDevice::load(
    std::span<const std::byte> code_object, std::span<const hsam_variable_address> variables) {
  if (auto revived = revive(); !revived) return Error{revived.error().message};
  // revive() could overlook code that a thread loads meanwhile.
  std::shared_lock lock(revive_mutex_);
  auto code = LoadedGpuCode::load(*this, code_object, variables);
  if (!code) return code.error();
  if (const std::string& warnings = (*code)->warnings(); !warnings.empty() && log_.log)
    log_.log(HSAM_LOG_WARNING, log_source, warnings.c_str());
  return std::shared_ptr<agents::LoadedCode>(std::move(*code));
}

Result<std::unique_ptr<agents::Launcher>, Error> GpuDevice::make_launcher(const agents::QueueOwner& owner) {
  if (auto revived = revive(); !revived) return Error{revived.error().message};
  auto launcher = QueueLauncher::create(*this, owner);
  if (!launcher) return Error{launcher.error().message};
  return std::unique_ptr<agents::Launcher>(std::move(*launcher));
}

}  // namespace heddle::cuda
