// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All memory that the library has given to the program, by address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

namespace heddle::hip {

class MemoryPool;

enum class MemoryKind : uint8_t {
  device,
  host,  ///< of hipHostMalloc
  managed,
  registered,  ///< the program's own, named by hipHostRegister
  variable,    ///< a variable of device code
  array,       ///< behind a hipArray_t, which frees it
  pooled,      ///< of a memory pool
  imported,    ///< of another process
  mapped,      ///< where hipMemMap() put memory
  graph        ///< of a node of a graph that allocates memory
};

struct Allocation {
  std::byte* base = nullptr;
  size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;              ///< the device that is current where the memory was allocated
  unsigned flags = 0;          ///< as the program gave them
  void* agent_base = nullptr;  ///< where it begins for kernels
  MemoryPool* pool = nullptr;  ///< of pooled memory, which keeps it alive
  bool readable = true;        ///< only mapped memory can be neither
  bool writable = true;
  bool absent = false;       ///< graph memory that is not allocated: only nodes of graphs may name it
  bool freeable = false;     ///< imported memory that hipFree() closes, because a pool has it
  bool synchronous = false;  ///< what HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS was set to

  bool on_host() const {
    return kind == MemoryKind::host || kind == MemoryKind::managed || kind == MemoryKind::registered;
  }
};

/// All functions are thread safe. Intervals do not overlap.
class MemoryMap {
 public:
  void add(const Allocation& allocation);
  /// Returns the allocation that contains the address, or nullopt.
  std::optional<Allocation> find(const void* address) const;
  /// Notes the value of HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS. Returns false if no allocation contains the
  /// address.
  bool set_synchronous(const void* address, bool value);
  /// Removes the allocation that begins at the address, and returns it; nullopt if there is none.
  std::optional<Allocation> take(const void* base);
  template <typename Function>
  void for_each(Function function) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [base, allocation] : allocations_) function(allocation);
  }
  /// Removes all allocations that satisfy the predicate, and calls it with each.
  template <typename Predicate>
  void take_if(Predicate predicate) {
    const std::unique_lock lock(mutex_);
    changed();
    std::erase_if(allocations_, [&](const auto& entry) { return predicate(entry.second); });
  }

 private:
  struct Found;

  Found look_up(uintptr_t address) const;
  /// Makes all threads forget what they have found. Called with the lock, at any time before it is released.
  void changed();

  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Allocation> allocations_;
  /// A number that no other state of any map has had. 0: empty.
  std::atomic<uint64_t> state_{0};
};

}  // namespace heddle::hip
