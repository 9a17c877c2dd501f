// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu_agent.h"

#include <algorithm>
#include <new>

#include "support/exception_safety.h"

namespace heddle::cuda {

GpuAgent::GpuAgent(const hsam_host& host, LazyDriver& driver, const GpuProperties& gpu, uint32_t number)
    : host_(host), cuda_(driver), gpu_(gpu), description_(gpu, number, driver.place() != DriverPlace::here) {}

/// What the parent has opened stays, although the driver refuses to do anything with it in the child.
void GpuAgent::forget_parent() noexcept {
  abandon(mutex_);
  abandon(announced_);
}

Driven<std::unique_ptr<GpuDevice>> GpuAgent::open_device() {
  if (cuda_.place() == DriverPlace::here) {
    const auto api = cuda_.started();
    if (!api) return api.error();
    return GpuDevice::open(**api, gpu_, description_, host_);
  }
  auto made = cuda_.make_driver(gpu_);
  if (!made) return made.error();
  gpu_driver_ = std::move(*made);
  for (const auto& [base, memory] : announced_)
    if (memory.place) gpu_driver_->remote().files().add(base, memory.size, *memory.place);
  return GpuDevice::open(*gpu_driver_, gpu_, description_, host_);
}

HSAM_Error GpuAgent::open() noexcept try {
  if (is_open_.load(std::memory_order_acquire)) return HSAM_Done;
  std::lock_guard lock(mutex_);
  if (queues_) return HSAM_Done;
  auto device = open_device();
  if (!device) return refuse(device.error());
  for (const auto& [base, memory] : announced_)
    if (const HSAM_Error added = add_host_memory(**device, base, memory); added != HSAM_Done) return added;
  auto copies =
      std::make_unique<Copies>((*device)->context(), (*device)->device_memory(), (*device)->host_memory());
  auto async =
      std::make_unique<AsyncCopies>((*device)->context(), *copies, (*device)->host_memory(),
                                    [this](void* cookie, const Driven<void>& done) { reply(cookie, done); });
  GpuDevice* const opened = device->get();
  auto queues = std::make_unique<agents::HostAgent>(host_, log_source, std::move(*device),
                                                    agents::limits_of(description_.config().isas[0]));
  queues->set_driver(driver_);
  copies_ = std::move(copies);
  async_copies_ = std::move(async);
  device_ = opened;
  queues_ = std::move(queues);
  announced_.clear();
  is_open_.store(true, std::memory_order_release);
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

/// Opens the GPU, or starts its process again.
HSAM_Error GpuAgent::ready() noexcept try {
  if (const HSAM_Error opened = open(); opened != HSAM_Done) return opened;
  auto revived = device_->revive();
  return revived ? HSAM_Done : refuse(revived.error());
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
  if (const HSAM_Error opened = ready(); opened != HSAM_Done) return opened;
  const auto made = device_->device_memory().allocate(size, std::max<uint64_t>(alignment, 1));
  if (!made) return refuse(made.error());
  bool is_given = false;
  const Finally take_back([&] {
    if (!is_given) device_->device_memory().free(*made);
  });
  device_->accessible_memory().add(reinterpret_cast<void*>(*made), size);
  is_given = true;
  *address = reinterpret_cast<void*>(*made);
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

HSAM_Error GpuAgent::region_free(void* address) noexcept {
  // In this order, because another thread may get the address as soon as it is free.
  device_->accessible_memory().remove(address);
  return device_->device_memory().free(reinterpret_cast<DeviceAddress>(address)) ? HSAM_Done : HSAM_Invalid;
}

HSAM_Error GpuAgent::add_host_memory(GpuDevice& device, const void* base, const Announced& memory) const {
  // First, because it may throw.
  device.accessible_memory().add(base, memory.size);
  auto added = device.host_memory().add(base, memory.size);
  if (!added) device.accessible_memory().remove(base);
  // What a driver refuses that never comes back is of no use to anybody.
  const bool is_over = !device.can_be_revived() && !added && is_lost(added.error().status);
  if (added || memory.registered || is_over) return HSAM_Done;
  return refuse(added.error());
}

/// Where memory lies that another process has to map, or may have to.
std::optional<remote::HostFiles::Place> GpuAgent::place_of(int64_t client, const void* base) const {
  int32_t file = -1;
  uint64_t offset = 0;
  if (cuda_.place() == DriverPlace::here || !driver_ || !driver_->memory_file) return std::nullopt;
  if (driver_->memory_file(client, base, &file, &offset) != HSAM_Done) return std::nullopt;
  return remote::HostFiles::Place{file, offset};
}

/// Adds memory that the process of the GPU has to have, or may have to. If the driver is lost, the next
/// process gets the memory.
HSAM_Error GpuAgent::add_with_file(const void* base, const Announced& memory) {
  remote::HostFiles& files = gpu_driver_->remote().files();
  if (memory.place) files.add(base, memory.size, *memory.place);
  const HSAM_Error added = add_host_memory(*device_, base, memory);
  if (added != HSAM_Done) files.remove(base);
  return added;
}

HSAM_Error GpuAgent::memory_allocation(int64_t client, const void* base, uint64_t size,
                                       bool registered) noexcept try {
  const Announced memory = {size, registered, registered ? std::nullopt : place_of(client, base)};
  std::lock_guard lock(mutex_);
  if (device_ && gpu_driver_) return add_with_file(base, memory);
  if (device_) return add_host_memory(*device_, base, memory);
  announced_.emplace(base, memory);
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

void GpuAgent::memory_free(const void* base) noexcept {
  std::lock_guard lock(mutex_);
  if (device_) {
    device_->host_memory().remove(base);
    device_->accessible_memory().remove(base);
    if (gpu_driver_) gpu_driver_->remote().files().remove(base);
  } else if (const auto found = announced_.find(base); found != announced_.end()) {
    announced_.erase(found);
  }
}

HSAM_Error GpuAgent::memory_copy(void* to, const void* from, uint64_t size) noexcept try {
  if (const HSAM_Error opened = ready(); opened != HSAM_Done) return opened;
  auto copied = copies_->copy(to, from, size);
  return copied ? HSAM_Done : refuse(copied.error());
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

/// Answers a request that was not answered at once.
void GpuAgent::reply(void* cookie, const Driven<void>& done) const noexcept {
  if (driver_) driver_->agent_reply(done ? HSAM_Done : refuse(done.error()), cookie);
}

HSAM_Error GpuAgent::memory_copy_start(const hsam_copy& copy, void* cookie) noexcept try {
  if (const HSAM_Error opened = ready(); opened != HSAM_Done) return opened;
  auto started = async_copies_->start(copy, cookie);
  if (!started) return refuse(started.error());
  return *started ? HSAM_Async : HSAM_Not_Supported;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

/// Whether the driver is in a process of the GPU, which sees no other GPU, or will be when it starts.
bool GpuAgent::is_apart() const noexcept {
  if (!is_open_.load(std::memory_order_acquire)) return cuda_.place() == DriverPlace::elsewhere;
  return !device_->is_here();
}

uint32_t GpuAgent::peer_access(const GpuAgent& owner) const noexcept {
  const DeviceNumber number = owner.gpu_.number;
  if (is_apart() || owner.is_apart() || number < 0 || number >= 64) return 0;
  const auto has = [&](uint64_t gpus) { return (gpus >> number & 1) != 0; };
  return (has(gpu_.peers) ? HSAM_PEER_COPIES : 0u) | (has(gpu_.atomic_peers) ? HSAM_PEER_KERNELS : 0u);
}

HSAM_Error GpuAgent::peer_allow(GpuAgent& peer) noexcept try {
  if ((peer.peer_access(*this) & HSAM_PEER_KERNELS) == 0) return HSAM_Invalid;
  for (GpuAgent* const agent : {this, &peer})
    if (const HSAM_Error opened = agent->ready(); opened != HSAM_Done) return opened;
  if (auto allowed = device_->device_memory().allow(peer.gpu_.number); !allowed)
    return refuse(allowed.error());
  if (!peer.device_->reach_also(device_->device_memory())) return HSAM_Not_Supported;
  peer.device_->accessible_memory().include(device_->shared_accessible_memory());
  return HSAM_Done;
} catch (const std::bad_alloc&) {
  return HSAM_OutOfResources;
}

}  // namespace heddle::cuda
