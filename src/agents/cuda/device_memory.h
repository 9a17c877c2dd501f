// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "agents/cuda/free_ranges.h"
#include "agents/cuda/gpu_context.h"
#include "support/fork_handler.h"

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
  /// Whether the window is where the driver was asked to make it. Between such windows of several GPUs there
  /// is nothing else.
  bool is_where_wanted() const;

  /// Allocates memory, whose contents are undefined. `alignment` is a power of 2, device_memory_granule at
  /// most. Throws std::bad_alloc.
  Driven<DeviceAddress> allocate(uint64_t size, uint64_t alignment);
  /// Gives what is mapped back to a driver that a fault of a kernel has made useless, which still takes it.
  /// The addresses stay. restore() has to follow.
  void give_back(const DriverApi& lost) noexcept;
  /// Maps new memory for all allocations, at their addresses, when the context has been reopened. Other GPUs
  /// have no access any more.
  Driven<void> restore();
  /// Lets another GPU, by its number at the driver, access all memory, what is allocated now and what will
  /// be. It keeps the access. The driver has to be in this process. Leaves another context with the calling
  /// thread. Throws std::bad_alloc.
  Driven<void> allow(DeviceNumber peer);
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

  DeviceMemory(GpuContext& context, uint32_t number, DeviceAddress window, uint64_t size);
  Driven<void> give_access(DeviceAddress base, uint64_t size) const;
  Driven<DeviceAddress> add_unit(uint64_t size);
  Driven<MemoryHandle> map(DeviceAddress base, uint64_t size);
  void remove_unit(DeviceAddress base);
  DeviceAddress take_from_units(uint64_t size, uint64_t alignment);
  DeviceAddress take_from(DeviceAddress base, Unit& unit, uint64_t size, uint64_t alignment);

  GpuContext& context_;
  const uint32_t number_;
  const DeviceAddress window_;
  const uint64_t window_size_;
  std::mutex mutex_;
  uint64_t generation_;                 ///< of the context in which memory is mapped
  std::vector<MemoryAccess> accesses_;  ///< of the GPU itself and those of allow()
  std::atomic<uint64_t> allowed_{0};    ///< bit n: GPU n has access
  FreeRanges unmapped_;                 ///< of the window
  std::map<DeviceAddress, Unit> units_;
  std::unordered_map<DeviceAddress, Allocation> allocations_;
};

/// The memories of all GPUs that the driver in this process has opened, so that each finds those of the
/// others by their addresses. Thread safe. Empty in the child of a fork, where the driver does nothing.
class OpenMemories {
 public:
  static OpenMemories& instance();
  /// Throws std::bad_alloc.
  void add(DeviceMemory& memory);
  /// Does nothing if the memory was not added.
  void remove(DeviceMemory& memory);
  /// The memory whose window has the address; null if there is none.
  DeviceMemory* at(DeviceAddress address) const;

 private:
  void forget_parent() noexcept;

  mutable std::shared_mutex mutex_;
  std::vector<DeviceMemory*> memories_;
  const ForkHandler fork_handler_{
      [](void* memories) noexcept { static_cast<OpenMemories*>(memories)->forget_parent(); }, this};
};

}  // namespace heddle::cuda
