// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "agents/cuda/free_ranges.h"
#include "agents/cuda/gpu_context.h"

namespace heddle::cuda {

/// The memory of a GPU, behind one window of addresses that is reserved once. "Is this device memory?" is
/// thus two comparisons, for the host as for kernels. Memory is mapped in units of device_memory_granule;
/// small allocations share them. Thread safe.
class DeviceMemory {
 public:
  /// Reserves the window. Each GPU of the process has a `number` of its own. `context` outlives this.
  static Driven<std::unique_ptr<DeviceMemory>> create(GpuContext& context, uint32_t number);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  DeviceAddress window() const { return window_; }
  uint64_t window_size() const { return window_size_; }
  bool contains(uint64_t address) const { return address - window_ < window_size_; }

  /// Allocates memory, whose contents are undefined. `alignment` is a power of 2, device_memory_granule at
  /// most. Throws std::bad_alloc.
  Driven<DeviceAddress> allocate(uint64_t size, uint64_t alignment);
  /// Maps new memory for all allocations, at their addresses, when the context has been reopened.
  Driven<void> restore();
  /// Frees what allocate() returned; false if that is not the address of an allocation.
  bool free(DeviceAddress address);

 private:
  /// Mapped memory: the base is its key in units_.
  struct Unit {
    uint64_t size = 0;
    MemoryHandle physical = 0;
    uint64_t used = 0;  ///< bytes of allocations
    FreeRanges left;
  };
  struct Allocation {
    uint64_t size;
    DeviceAddress unit;
  };

  DeviceMemory(GpuContext& context, DeviceAddress window, uint64_t size)
      : context_(context), window_(window), window_size_(size), unmapped_(window, size) {}
  Driven<DeviceAddress> add_unit(uint64_t size);
  Driven<MemoryHandle> map(DeviceAddress base, uint64_t size);
  void remove_unit(DeviceAddress base);
  DeviceAddress take_from_units(uint64_t size, uint64_t alignment);
  DeviceAddress take_from(DeviceAddress base, Unit& unit, uint64_t size, uint64_t alignment);

  GpuContext& context_;
  const DeviceAddress window_;
  const uint64_t window_size_;
  std::mutex mutex_;
  FreeRanges unmapped_;  ///< of the window
  std::map<DeviceAddress, Unit> units_;
  std::unordered_map<DeviceAddress, Allocation> allocations_;
};

}  // namespace heddle::cuda
