// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "agents/cuda/device_memory.h"
#include "codeobject/ptx_dispatch.h"
#include "support/fork_handler.h"

namespace heddle::cuda {

/// A table of ranges in the memory of a GPU, for kernels that check their addresses. It does not change.
class RangeTable {
 public:
  /// Copies the ranges into memory of the GPU, which outlives the table, as `context` does. Throws
  /// std::bad_alloc.
  static Driven<std::shared_ptr<const RangeTable>> create(GpuContext& context, DeviceMemory& device,
                                                          const std::vector<ptx_kernel::MemoryRange>& ranges);
  ~RangeTable();
  RangeTable(const RangeTable&) = delete;
  RangeTable& operator=(const RangeTable&) = delete;

  DeviceAddress address() const { return address_; }
  uint32_t size() const { return size_; }

 private:
  RangeTable(DeviceMemory& device, DeviceAddress address, uint32_t size)
      : device_(device), address_(address), size_(size) {}

  DeviceMemory& device_;
  const DeviceAddress address_;
  const uint32_t size_;
};

/// The memory that clients were given for a GPU, to the byte: what they may access in kernels. What the agent
/// has for itself, and the rest of pages and units that the driver maps, does not belong to it. Thread safe.
class AccessibleMemory {
 public:
  /// Both outlive this.
  AccessibleMemory(GpuContext& context, DeviceMemory& device) : context_(context), device_(device) {}

  /// Adds [base, base + size). Ranges may be added several times, and overlap. Throws std::bad_alloc.
  void add(const void* base, uint64_t size);
  /// Removes a range that was added with this base; does nothing if there is none.
  void remove(const void* base) noexcept;

  /// From now on table() has what clients were given for another GPU, too, as long as that is there. Throws
  /// std::bad_alloc.
  void include(const std::shared_ptr<const AccessibleMemory>& peer);

  /// Returns the ranges of this object, without those of include(), in ascending order. Overlapping ranges
  /// are joined. Throws std::bad_alloc.
  std::vector<ptx_kernel::MemoryRange> ranges() const;

  /// Returns a table, in memory of the GPU, of these ranges and those of include(). A new table is made only
  /// if the ranges have changed. Kernels may read the table as long as the caller keeps the returned pointer.
  /// Throws std::bad_alloc.
  Driven<std::shared_ptr<const RangeTable>> table();

 private:
  /// What has been added to one of these, by base.
  using Added = std::multimap<uint64_t, uint64_t>;

  static std::vector<ptx_kernel::MemoryRange> joined(const Added& added);
  Added copy() const;

  GpuContext& context_;
  DeviceMemory& device_;
  mutable std::mutex mutex_;
  Added added_;  ///< base and size
  std::vector<std::weak_ptr<const AccessibleMemory>> peers_;
  std::atomic<uint64_t> changes_{1};         ///< counts what is added and removed; written under the lock
  std::shared_ptr<const RangeTable> table_;  ///< the last one
  uint64_t table_changes_ = 0;               ///< those of this and all peers that table_ has
  uint64_t generation_ = 0;                  ///< of the context, when table_ was copied
  const ForkHandler fork_handler_{[](void* memory) noexcept {
                                    abandon(static_cast<AccessibleMemory*>(memory)->mutex_);
                                    abandon(static_cast<AccessibleMemory*>(memory)->added_);
                                    abandon(static_cast<AccessibleMemory*>(memory)->peers_);
                                  },
                                  this};
};

}  // namespace heddle::cuda
