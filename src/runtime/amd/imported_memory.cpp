// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/imported_memory.h"

#include <utility>

namespace heddle::runtime::amd {

ImportedMemory::~ImportedMemory() {
  while (!imports_.empty())
    remove(imports_.begin()->second.description.type, reinterpret_cast<void*>(imports_.begin()->first));
}

driver::StatusOr<void*> ImportedMemory::add(Memory memory, size_t size, std::vector<const Agent*> agents) {
  const bool is_ipc = std::holds_alternative<driver::SharedImport>(memory);
  void* base = std::visit([](const auto& mapped) -> void* { return mapped.base(); }, memory);
  Import import{{is_ipc ? HSA_EXT_POINTER_TYPE_IPC : HSA_EXT_POINTER_TYPE_GRAPHICS, base, size,
                 std::move(agents), nullptr},
                std::move(memory)};
  // For agents, the memory is like memory of the operating system.
  const hsa_status_t status = client_.register_memory(base, size);
  if (status != HSA_STATUS_SUCCESS) return status;
  import.is_registered = true;
  std::lock_guard lock(mutex_);
  try {
    imports_.emplace(reinterpret_cast<uintptr_t>(base), std::move(import));
  } catch (const std::bad_alloc&) {
    (void)client_.deregister_memory(base, size);
    throw;
  }
  return base;
}

bool ImportedMemory::remove(hsa_amd_pointer_type_t type, void* base) {
  Imports::node_type node;  // unmaps the memory after the lock is released
  std::lock_guard lock(mutex_);
  const auto found = imports_.find(reinterpret_cast<uintptr_t>(base));
  if (found == imports_.end() || found->second.description.type != type) return false;
  (void)client_.deregister_memory(base, found->second.description.size);
  node = imports_.extract(found);
  return true;
}

std::optional<ImportedMemory::Description> ImportedMemory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  const auto found = containing(imports_, address);
  if (found == imports_.end()) return std::nullopt;
  return found->second.description;
}

bool ImportedMemory::set_user_data(const void* address, void* user_data) {
  std::lock_guard lock(mutex_);
  const auto found = containing(imports_, address);
  if (found == imports_.end()) return false;
  found->second.description.user_data = user_data;
  return true;
}

}  // namespace heddle::runtime::amd
