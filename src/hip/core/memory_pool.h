// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool from which memory is allocated, and to which it is given back, in the order of streams.
#pragma once

#include <hip/runtime/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "hip/core/device.h"
#include "hip/core/pool_heap.h"

namespace heddle::hip {

/// What other processes know of a pool.
struct PoolSharing {
  bool exported = false;  ///< whether they may import memory of the pool
  bool imported = false;  ///< whether the pool is another process's, so that nothing is allocated here
  uint32_t id = 0;        ///< by which exported pointers name the pool
};

/// All functions are thread safe. A pool lives as long as memory of it is used, also if the program has
/// destroyed it.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// A pool that reserves at most `most` bytes; 0 means as many as the device has.
  explicit MemoryPool(Device& device, const PoolSharing& sharing = {}, size_t most = 0);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  Device& device() const { return device_; }
  const PoolSharing& sharing() const { return sharing_; }
  /// Returns the chunk in which memory of the pool lies, and the size of the chunk.
  std::pair<std::byte*, size_t> chunk_of(const std::byte* address);

  /// Throws Failure (InvalidValue) if the pool is another process's, so that nothing can be allocated of it.
  void refuse_if_imported() const;
  /// Returns memory for work of the stream, which must order other streams behind it itself. Throws Failure
  /// (OutOfMemory, also beyond the pool's own limit; InvalidValue if the pool is another process's).
  std::byte* allocate(size_t size, Stream& stream);
  /// Gives memory of this pool back when the work of the stream up to now is complete; at once if the stream
  /// is null.
  void free(std::byte* address, Stream* stream);

  /// Gives memory that nobody uses back to the device until at most `keep` bytes are reserved.
  void trim(size_t keep);
  /// Does so after work was waited for, as far as the pool's threshold says.
  void trim_to_threshold();

  /// Attributes. Both throw Failure (InvalidValue).
  void get(hipMemPoolAttr attribute, void* value);
  void set(hipMemPoolAttr attribute, const void* value);

  hipMemAccessFlags access(const Device& device);
  /// Lets a device access the pool's memory, or not any more. Throws Failure.
  void set_access(const Device& device, hipMemAccessFlags flags);

 private:
  struct Flags {
    int follow_events = 1, opportunistic = 1, internal_dependencies = 1;
  };
  int* flag(hipMemPoolAttr attribute);
  std::byte* find_block(size_t size, Stream& stream);
  size_t room_for(size_t size);
  void grow(size_t size);
  void share(std::byte* chunk);

  Device& device_;
  PoolSharing sharing_;
  size_t limit_;  // what may be reserved
  std::mutex mutex_;
  PoolHeap heap_;
  Flags flags_;
  uint64_t threshold_ = 0, most_reserved_ = 0, most_used_ = 0;
  std::map<int, hsa_agent_t> others_;         // devices with access, beside the owner
  std::shared_ptr<MemoryPool> keeps_itself_;  // while memory of the pool is used
};

/// Returns the pool that a device has from the beginning, or that hipDeviceSetMemPool chose. Throws Failure.
std::shared_ptr<MemoryPool> default_pool(Device& device);
std::shared_ptr<MemoryPool> current_pool(Device& device);
/// Returns what a handle names. Throws Failure (InvalidValue) if there is no such pool.
std::shared_ptr<MemoryPool> find_pool(hipMemPool_t handle);
/// Returns a handle. Those of default pools are made when they are asked for.
hipMemPool_t handle_of(const std::shared_ptr<MemoryPool>& pool);

}  // namespace heddle::hip
