// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of other processes and of other software that clients have mapped.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include <hsa/hsa_ext_amd.h>

#include "driver/driver.h"
#include "driver/shared_import.h"
#include "runtime/core/topology.h"
#include "support/intervals.h"

namespace heddle::runtime::amd {

/// The mappings of one client. Thread safe.
class ImportedMemory {
 public:
  struct Description {
    hsa_amd_pointer_type_t type = HSA_EXT_POINTER_TYPE_UNKNOWN;  ///< IPC or GRAPHICS
    void* base = nullptr;
    size_t size = 0;
    std::vector<const Agent*> agents = {};  ///< empty: all
    void* user_data = nullptr;
  };
  using Memory = std::variant<driver::SharedImport, driver::SharedMapping>;

  explicit ImportedMemory(driver::Client& client) : client_(client) {}
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;

  /// Keeps a mapping and tells agents of it. Returns its address. OUT_OF_RESOURCES if an agent refuses it.
  driver::StatusOr<void*> add(Memory memory, size_t size, std::vector<const Agent*> agents);
  /// Unmaps the memory of this type that begins at `base`. Returns false if there is none.
  bool remove(hsa_amd_pointer_type_t type, void* base);
  /// Returns a copy of what is known of the memory that contains the address.
  std::optional<Description> find(const void* address) const;
  /// Returns whether imported memory contains the address.
  bool set_user_data(const void* address, void* user_data);

 private:
  struct Import {
    Description description;
    Memory memory;
    bool is_registered = false;
  };
  using Imports = std::map<uintptr_t, Import>;
  template <typename I>
  static auto containing(I& imports, const void* address) {
    return interval_at(imports, reinterpret_cast<uintptr_t>(address),
                       [](const Import& import) { return import.description.size; });
  }

  driver::Client& client_;
  mutable std::mutex mutex_;
  Imports imports_;  ///< by address
};

}  // namespace heddle::runtime::amd
