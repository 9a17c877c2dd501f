// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one runtime of the process.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <memory>
#include <vector>

#include "hip/core/array.h"
#include "hip/core/device.h"
#include "hip/core/event.h"
#include "hip/core/handles.h"
#include "hip/core/imported_memory.h"
#include "hip/core/managed_advice.h"
#include "hip/core/memory_map.h"
#include "hip/core/memory_pool.h"
#include "hip/core/mipmapped_array.h"
#include "hip/core/module.h"
#include "hip/core/stream.h"
#include "hip/core/texture.h"
#include "hip/core/texture_reference.h"
#include "hip/core/virtual_memory.h"

namespace heddle::hip {

/// Between which agents HSA makes a copy.
struct CopyAgents {
  hsa_agent_t to, from;
};

/// Whether a handle stands for a stream that the library has made for a device or a thread.
inline bool is_default_stream(hipStream_t handle) {
  return handle == nullptr || handle == hipStreamLegacy || handle == hipStreamPerThread;
}

/// Is made by the first call that needs it, and lives until the process ends, because programs use the
/// library from destructors, too.
class Runtime {
 public:
  /// Makes the runtime, once. Returns hipErrorNoDevice if there is none, and why otherwise.
  static hipError_t start();
  /// The runtime that start() made.
  static Runtime& get();

  /// Waits for all work of all devices, and prints what kernels have printed. Does nothing before start().
  static void synchronize_all();

  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  /// Returns a device that can be used. Throws Failure (InvalidDevice).
  Device& device(int number);
  /// Returns the device of a context. Throws Failure (InvalidContext).
  Device& device(hipCtx_t context);
  /// Returns the current device of the calling thread.
  Device& device();
  hsa_agent_t host() const { return host_; }
  hsa_amd_memory_pool_t host_pool() const { return host_pool_; }
  const std::vector<hsa_agent_t>& agents() const { return agents_; }

  /// Returns the stream for a handle: also the default streams. Throws Failure (ContextIsDestroyed).
  std::shared_ptr<Stream> stream(hipStream_t handle);
  /// Returns the default stream of the calling thread and its current device.
  std::shared_ptr<Stream> thread_stream();

  /// Gives the devices that have enabled access to a device's memory access to all that is allocated there.
  void share_memory(const Device& owner);
  /// Returns the agents that access memory of a device: its own, and those of the devices with access to it.
  std::vector<hsa_agent_t> agents_with_access(const Device& owner) const;
  /// Destroys what the program made on a device: memory, streams, events, modules, and variables of its code.
  void release(Device& device);

  MemoryMap& memory() { return memory_; }
  ManagedAdvice& advice() { return advice_; }
  CopyAgents copy_agents(const Device& device, const void* to, const void* from) const;
  Handles<Stream, hipStream_t>& streams() { return streams_; }
  Handles<Event, hipEvent_t>& events() { return events_; }
  Handles<Module, hipModule_t>& modules() { return modules_; }
  Handles<Array, hipArray_t>& arrays() { return arrays_; }
  Handles<MipmappedArray, hipMipmappedArray_t>& mipmapped_arrays() { return mipmapped_arrays_; }
  Handles<Texture, hipTextureObject_t>& textures() { return textures_; }
  Handles<Surface, hipSurfaceObject_t>& surfaces() { return surfaces_; }
  Handles<MemoryPool, hipMemPool_t>& memory_pools() { return memory_pools_; }
  TextureReferences& texture_references() { return texture_references_; }
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  ImportedMemory& imported_memory() { return imported_memory_; }

 private:
  Runtime();
  void find_devices();
  void release_pools(Device& device);
  static void release_graph_memory(Device& device);

  hsa_agent_t host_{};
  hsa_amd_memory_pool_t kernarg_pool_{}, host_pool_{};
  std::vector<hsa_agent_t> agents_;  // of the devices
  std::vector<std::unique_ptr<Device>> devices_;
  MemoryMap memory_;
  ManagedAdvice advice_;
  Handles<Stream, hipStream_t> streams_;
  Handles<Event, hipEvent_t> events_;
  Handles<Module, hipModule_t> modules_;
  Handles<Array, hipArray_t> arrays_;
  Handles<MipmappedArray, hipMipmappedArray_t> mipmapped_arrays_;
  Handles<Texture, hipTextureObject_t> textures_;
  Handles<Surface, hipSurfaceObject_t> surfaces_;
  Handles<MemoryPool, hipMemPool_t> memory_pools_;
  TextureReferences texture_references_;
  VirtualMemory virtual_memory_;
  ImportedMemory imported_memory_;
};

}  // namespace heddle::hip
