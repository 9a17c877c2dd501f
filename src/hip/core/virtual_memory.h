// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory without an address, and the addresses to which it is mapped.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "hip/core/device.h"

namespace heddle::hip {

/// What hipMemCreate() and hipMemImportFromShareableHandle() make, and what hipMemMap() does with it. HSA
/// keeps memory and mappings; this class knows the properties of the memory, which HSA does not, and enters
/// mappings into the map of all memory.
///
/// All functions are thread safe, and throw Failure: InvalidValue for what does not exist or does not fit,
/// OutOfMemory.
class VirtualMemory {
 public:
  using Handle = hipMemGenericAllocationHandle_t;
  using DeviceAccess = std::pair<const Device*, hipMemAccessFlags>;

  /// Creates memory of a device, with one reference. Throws Failure (NotSupported) if only the device's agent
  /// could provide it.
  Handle create(const Device& device, size_t size, const hipMemAllocationProp& properties);
  /// Creates a handle for memory of another process; the caller keeps the descriptor. A device has to be
  /// named because programs ask where the memory is.
  Handle import(const Device& device, int file);
  /// Returns a new descriptor, which the caller owns.
  int export_file(Handle handle) const;
  /// Removes a reference. The memory stays as long as it is mapped.
  void release(Handle handle);
  /// Returns the handle of what is mapped at an address, and adds a reference.
  Handle retain(void* address);
  hipMemAllocationProp properties(Handle handle) const;

  void map(void* address, size_t size, Handle handle);
  /// Undoes the mappings of which the range consists, after the work of all devices.
  void unmap(void* address, size_t size);
  /// Says which devices access the mappings of which the range consists. Work of devices is waited for if
  /// there was access before, because it may be taken away.
  void set_access(void* address, size_t size, std::span<const DeviceAccess> wanted);
  /// Returns the access that a device was given.
  hipMemAccessFlags access(void* address, const Device& device) const;

  /// Forgets the memory of a device, and unmaps it.
  void release(const Device& device);

 private:
  struct Memory {
    hsa_amd_vmem_alloc_handle_t handle;
    hipMemAllocationProp properties;
    size_t references = 1;
  };
  struct Mapping {
    size_t size;
    std::shared_ptr<Memory> memory;
    std::map<const Device*, hipMemAccessFlags> access = {};
  };
  using Mappings = std::map<std::byte*, Mapping>;

  Handle add(hsa_amd_vmem_alloc_handle_t handle, const hipMemAllocationProp& properties);
  const std::shared_ptr<Memory>& find(Handle handle) const;
  /// Returns the mappings of which a range consists, and nothing else.
  std::vector<Mappings::iterator> mappings_of(void* address, size_t size);
  /// Whether work may access mappings of a range.
  bool is_in_use(void* address, size_t size);
  static void enter(const Mappings::value_type& mapping);

  mutable std::mutex mutex_;
  std::map<Handle, std::shared_ptr<Memory>> memories_;
  Mappings mappings_;
};

/// Returns what sizes and addresses of a device's memory without an address are multiples of. Throws Failure.
size_t granularity_of(const Device& device, hipMemAllocationGranularity_flags option);

}  // namespace heddle::hip
