// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserved addresses, memory without addresses, and mappings of one to the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include <hsa/hsa_ext_amd.h>

#include "driver/driver.h"
#include "driver/memory_file.h"
#include "runtime/core/topology.h"
#include "support/intervals.h"

namespace heddle::runtime::amd {

/// The virtual memory of one client. Thread safe. Arguments are multiples of the page size; the functions
/// return the errors of the extension's functions.
class VirtualMemory {
 public:
  struct Properties {
    const Pool* pool = nullptr;
    hsa_amd_memory_type_t type = MEMORY_TYPE_NONE;
  };
  using Access = std::map<const Agent*, hsa_access_permission_t>;
  struct Description {
    void* base = nullptr;
    size_t size = 0;
    const Pool* pool = nullptr;
    Access access = {};
  };

  explicit VirtualMemory(driver::Client& client) : client_(client) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  driver::StatusOr<void*> reserve(size_t size, uint64_t address, size_t alignment);
  hsa_status_t free(void* base, size_t size);

  /// Creates a handle for memory in a file of this size, with one reference.
  uint64_t add_memory(Descriptor file, size_t size, Properties properties);
  hsa_status_t release(uint64_t handle);
  driver::StatusOr<uint64_t> retain(const void* address);
  driver::StatusOr<Properties> properties(uint64_t handle) const;
  /// Returns a new descriptor of the memory's file, which the caller owns.
  driver::StatusOr<int> export_file(uint64_t handle) const;

  hsa_status_t map(void* base, size_t size, size_t offset, uint64_t handle);
  hsa_status_t unmap(void* base, size_t size);
  hsa_status_t set_access(void* base, size_t size,
                          std::span<const std::pair<const Agent*, hsa_access_permission_t>> wanted);
  /// Returns a copy of what is known of the mapping that contains the address.
  std::optional<Description> find(const void* address) const;

 private:
  struct Memory {
    Memory(Descriptor from, size_t bytes, Properties created_with, uint64_t number)
        : file(std::move(from)), size(bytes), properties(created_with), handle(number) {}
    driver::FileOfThisProcess file;
    const size_t size;
    const Properties properties;
    const uint64_t handle;
    uint64_t references = 1;
  };
  struct Mapping {
    size_t size;
    std::shared_ptr<Memory> memory;
    Access access = {};
  };
  template <typename Map>
  static auto mapping_at(Map& mappings, const void* address) {
    return interval_at(mappings, reinterpret_cast<uintptr_t>(address),
                       [](const Mapping& mapping) { return mapping.size; });
  }
  bool is_mapped(uintptr_t begin, size_t size) const;
  std::shared_ptr<Memory> memory_of(uint64_t handle) const;
  hsa_status_t take_away(uintptr_t base, size_t size);

  driver::Client& client_;
  mutable std::mutex mutex_;
  std::map<uintptr_t, size_t> reserved_;                 ///< sizes by address
  std::map<uintptr_t, Mapping> mappings_;                ///< by address
  std::map<uint64_t, std::shared_ptr<Memory>> handles_;  ///< those with references
};

}  // namespace heddle::runtime::amd
