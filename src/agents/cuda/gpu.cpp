// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/gpu.h"

#include <optional>

namespace heddle::cuda {
namespace {

/// Reads attributes of one device, and keeps the first error.
class Reader {
 public:
  Reader(const DriverApi& api, DeviceNumber device) : api_(api), device_(device) {}

  uint32_t operator()(DeviceAttribute attribute) {
    int value = 0;
    if (auto done = api_.call(api_.device_attribute, &value, attribute, device_); !done && !error_)
      error_ = done.error();
    return value < 0 ? 0 : static_cast<uint32_t>(value);
  }
  const std::optional<DriverError>& error() const { return error_; }

 private:
  const DriverApi& api_;
  const DeviceNumber device_;
  std::optional<DriverError> error_;
};

bool can_be_agent(Reader& attribute, const GpuProperties& gpu) {
  return gpu.capability >= least_capability && attribute(DeviceAttribute::unified_addressing) != 0 &&
         attribute(DeviceAttribute::virtual_memory_management) != 0 &&
         attribute(DeviceAttribute::can_use_host_pointer_for_registered_memory) != 0 &&
         attribute(DeviceAttribute::compute_mode) != compute_mode_prohibited;
}

void read_limits(Reader& attribute, GpuProperties& gpu) {
  using enum DeviceAttribute;
  constexpr DeviceAttribute block[3] = {max_block_dim_x, max_block_dim_y, max_block_dim_z};
  constexpr DeviceAttribute grid[3] = {max_grid_dim_x, max_grid_dim_y, max_grid_dim_z};
  for (int i = 0; i < 3; ++i) {
    gpu.group_max_dim[i] = attribute(block[i]);
    gpu.grid_max_blocks[i] = attribute(grid[i]);
  }
  gpu.group_max_size = attribute(max_threads_per_block);
  gpu.group_memory = attribute(max_shared_memory_per_block_opt_in);
  gpu.registers_of_a_block = attribute(max_registers_per_block);
  gpu.resident_threads = attribute(max_threads_per_multiprocessor);
}

void read_machine(Reader& attribute, GpuProperties& gpu) {
  using enum DeviceAttribute;
  gpu.capability = 10 * attribute(compute_capability_major) + attribute(compute_capability_minor);
  gpu.clock_frequency = uint64_t{attribute(clock_rate)} * 1000;
  gpu.multiprocessors = attribute(multiprocessor_count);
  gpu.warp_size = attribute(warp_size);
  gpu.l2_size = attribute(l2_cache_size);
  gpu.l1_size = attribute(max_shared_memory_per_multiprocessor);
  gpu.pci_bus = attribute(pci_bus_id);
  gpu.pci_device = attribute(pci_device_id);
  gpu.pci_domain = attribute(pci_domain_id);
}

/// Describes a device; nothing if it cannot become an agent.
Driven<std::optional<GpuProperties>> describe(const DriverApi& api, DeviceNumber number) {
  GpuProperties gpu;
  gpu.number = number;
  char name[128] = "";
  size_t memory = 0;
  if (auto done = api.call(api.device_name, name, static_cast<int>(sizeof name), number); !done)
    return done.error();
  if (auto done = api.call(api.device_memory, &memory, number); !done) return done.error();
  gpu.name = name;
  gpu.memory = memory;
  Reader attribute(api, number);
  read_machine(attribute, gpu);
  read_limits(attribute, gpu);
  const bool accepted = can_be_agent(attribute, gpu);
  if (attribute.error()) return *attribute.error();
  return accepted ? std::optional(std::move(gpu)) : std::nullopt;
}

/// Finds out which memory of others a GPU can access: none of those of which the driver cannot tell.
void find_peers(const DriverApi& api, GpuProperties& gpu, const std::vector<GpuProperties>& all) {
  for (const GpuProperties& other : all) {
    int can = 0, atomic = 0;
    if (other.number == gpu.number || other.number < 0 || other.number >= 64) continue;
    if (!api.call(api.device_can_access_peer, &can, gpu.number, other.number) || can == 0) continue;
    gpu.peers |= uint64_t{1} << other.number;
    if (api.call(api.device_peer_attribute, &atomic, PeerAttribute::native_atomics, gpu.number,
                 other.number) &&
        atomic != 0)
      gpu.atomic_peers |= uint64_t{1} << other.number;
  }
}

}  // namespace

Driven<std::vector<GpuProperties>> find_gpus(const DriverApi& api) {
  std::vector<GpuProperties> gpus;
  int count = 0;
  auto started = api.call(api.init, 0u);
  if (!started && started.error().status == Status::no_device) return gpus;
  if (!started) return started.error();
  if (auto done = api.call(api.device_count, &count); !done) return done.error();
  for (int i = 0; i < count; ++i) {
    DeviceNumber number = 0;
    if (auto done = api.call(api.device_get, &number, i); !done) return done.error();
    auto gpu = describe(api, number);
    if (!gpu) return gpu.error();
    if (*gpu) gpus.push_back(std::move(**gpu));
  }
  for (GpuProperties& gpu : gpus) find_peers(api, gpu, gpus);
  return gpus;
}

}  // namespace heddle::cuda
