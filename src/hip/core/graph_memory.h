// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that nodes of graphs allocate.
#pragma once

#include <hip/runtime/types.h>
#include <hsa/hsa.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "hip/core/marker.h"

namespace heddle::hip {

class Device;
class Stream;

/// How much memory the graphs of a device have, in bytes. Memory is in use from a launch of the node that
/// allocates it until it is freed, and reserved until the device has it back. All functions are thread safe.
class GraphMemoryUsage {
 public:
  void use(size_t size);
  void end_use(size_t size);
  void reserve(size_t size);
  void give_back(size_t size);

  /// Attributes. Both throw Failure (InvalidValue). High-water marks can be set to 0, and nothing else.
  void get(hipGraphMemAttributeType attribute, void* value);
  void set(hipGraphMemAttributeType attribute, const void* value);

 private:
  std::mutex mutex_;
  size_t used_ = 0, most_used_ = 0, reserved_ = 0, most_reserved_ = 0;
};

/// Addresses that a node of a graph has from the beginning, so that other nodes can name them, with memory
/// behind them from a launch of the node on until it is freed. Nodes that allocate and free it own it, and it
/// owns itself while it is allocated, because the graph may end before.
///
/// All functions are thread safe.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  /// Reserves addresses for memory of a device, which these agents besides its own may access. Throws
  /// Failure: OutOfMemory, NotSupported if only the device's agent could provide memory and addresses
  /// together.
  static std::shared_ptr<GraphMemory> reserve(Device& device, size_t size, std::vector<hsa_agent_t> others);
  /// Returns the memory that begins at an address; null if there is none.
  static std::shared_ptr<GraphMemory> find(const void* address);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  Device& device() const { return device_; }
  std::byte* address() const { return address_; }
  bool allocated() const;
  /// Puts memory behind the addresses, for work that the stream is given later. Throws Failure: InvalidValue
  /// if it is there, OutOfMemory.
  void allocate(Stream& stream);
  /// Frees the memory when the work of the stream up to now is complete; at once if the stream is null.
  /// Throws Failure (InvalidValue) if it is not allocated.
  void free(Stream* stream);
  /// Gives memory that was freed back to the device if the work that might use it is complete.
  void settle();
  /// Waits for the work that might use memory that was freed, and then gives that memory back to the device.
  void give_back();

 private:
  GraphMemory(Device& device, size_t size, std::vector<hsa_agent_t> others);
  void map();
  void unmap();
  void enter(bool absent) const;

  Device& device_;
  size_t size_ = 0, whole_ = 0;  // as the program asked for it, and in pages
  std::vector<hsa_agent_t> others_;
  std::byte* address_ = nullptr;
  mutable std::mutex mutex_;
  bool mapped_ = false, allocated_ = false;
  MarkerPointer until_;  // what freed memory is still needed for
  std::shared_ptr<GraphMemory> keeps_itself_;
};

/// Frees the memory that begins at an address, as GraphMemory::free() does. Throws Failure (InvalidValue).
void free_graph_memory(const void* address, Stream* stream);

}  // namespace heddle::hip
