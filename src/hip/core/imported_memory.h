// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of other processes.
#pragma once

#include <hsa/hsa_ext_amd.h>

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace heddle::hip {

class Device;

/// What the program has opened by handles. What is opened again has the same address, and has to be closed as
/// often. All functions are thread safe.
class ImportedMemory {
 public:
  /// The memory that a handle names, and the part that the program gets.
  struct Part {
    hsa_amd_ipc_memory_t handle;
    size_t size;  // of the whole
    size_t offset, length;
    bool freeable;  // whether hipFree() closes it
  };

  /// Attaches memory for all devices that can map it, and returns where the part is. `device` is the one
  /// whose memory it is for the program, and must be among them. Throws Failure (MapFailed).
  std::byte* open(const Part& part, const Device& device);
  /// Closes what open() returned; the caller has waited for work that uses it. Throws Failure (InvalidValue).
  void close(std::byte* address);
  /// Detaches all that was opened for a device.
  void release(const Device& device);

 private:
  struct Attached {
    std::byte* base;
    const Device* device;
    std::vector<hsa_agent_t> agents;          // which can access it
    std::map<std::byte*, size_t> parts = {};  // how often each was opened
  };
  using Key = std::array<uint32_t, 8>;

  static Attached attach_for(const Part& part, const Device& device);
  void detach_if_unused(std::map<Key, Attached>::iterator attached);

  std::mutex mutex_;
  std::map<Key, Attached> attached_;
};

}  // namespace heddle::hip
