// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_agent.h"

#include <algorithm>
#include <new>

namespace heddle::cuda {
namespace {

/// Whether an error says that the context is lost, and not that the driver refuses what it was asked for.
bool is_lost(Status status) {
  constexpr Status refusals[] = {Status::invalid_value, Status::out_of_memory,
                                 Status::host_memory_already_registered, Status::not_supported};
  return std::ranges::find(refusals, status) == std::end(refusals);
}

}  // namespace

GpuAgent::GpuAgent(const hsam_host& host, LazyDriver& driver, const GpuProperties& gpu, uint32_t number)
    : host_(host), cuda_(driver), gpu_(gpu), description_(gpu, number) {}

/// What the parent has opened stays, although the driver refuses to do anything with it in the child.
void GpuAgent::forget_parent() noexcept {
  abandon(mutex_);
  abandon(announced_);
}

HSAM_Error GpuAgent::open() noexcept try {
  std::lock_guard lock(mutex_);
  if (queues_) return HSAM_Done;
  const auto api = cuda_.started();
  if (!api) return refuse(api.error());
  auto device = GpuDevice::open(**api, gpu_, description_, host_);
  if (!device) return refuse(device.error());
  for (const auto& [base, memory] : announced_)
    if (const HSAM_Error added = add_host_memory(**device, base, memory); added != HSAM_Done) return added;
  auto copies =
      std::make_unique<Copies>((*device)->context(), (*device)->device_memory(), (*device)->host_memory());
  GpuDevice* const opened = device->get();
  auto queues = std::make_unique<agents::HostAgent>(host_, log_source, std::move(*device),
                                                    agents::limits_of(description_.config().isas[0]));
  queues->set_driver(driver_);
  copies_ = std::move(copies);
  device_ = opened;
  queues_ = std::move(queues);
  announced_.clear();
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

/// Logs an error of the driver, and returns the answer that it means.
HSAM_Error GpuAgent::refuse(const DriverError& error) const {
  if (host_.log) host_.log(HSAM_LOG_ERROR, log_source, error.message.c_str());
  return error.status == Status::invalid_value ? HSAM_Invalid : HSAM_OutOfResources;
}

HSAM_Error GpuAgent::region_allocate(uint64_t memory_id, uint64_t size, uint64_t alignment,
                                     void** address) noexcept try {
  const uint64_t own = device_memory_id(description_.config().agent_id);
  if (memory_id != own && memory_id != readonly_memory_id) return HSAM_Invalid;
  if (alignment > device_memory_granule) return HSAM_Invalid;
  if (const HSAM_Error opened = open(); opened != HSAM_Done) return opened;
  const auto made = device_->device_memory().allocate(size, std::max<uint64_t>(alignment, 1));
  if (!made) return refuse(made.error());
  *address = reinterpret_cast<void*>(*made);
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

HSAM_Error GpuAgent::region_free(void* address) noexcept {
  return device_->device_memory().free(reinterpret_cast<DeviceAddress>(address)) ? HSAM_Done : HSAM_Invalid;
}

HSAM_Error GpuAgent::add_host_memory(GpuDevice& device, const void* base, const Announced& memory) const {
  auto added = device.host_memory().add(base, memory.size);
  if (added || memory.registered || is_lost(added.error().status)) return HSAM_Done;
  return refuse(added.error());
}

HSAM_Error GpuAgent::memory_allocation(const void* base, uint64_t size, bool registered) noexcept try {
  std::lock_guard lock(mutex_);
  if (device_) return add_host_memory(*device_, base, {size, registered});
  announced_.emplace(base, Announced{size, registered});
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

void GpuAgent::memory_free(const void* base) noexcept {
  std::lock_guard lock(mutex_);
  if (device_) {
    device_->host_memory().remove(base);
  } else if (const auto found = announced_.find(base); found != announced_.end()) {
    announced_.erase(found);
  }
}

HSAM_Error GpuAgent::memory_copy(void* to, const void* from, uint64_t size) noexcept try {
  if (const HSAM_Error opened = open(); opened != HSAM_Done) return opened;
  auto copied = copies_->copy(to, from, size);
  return copied ? HSAM_Done : refuse(copied.error());
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

}  // namespace heddle::cuda
