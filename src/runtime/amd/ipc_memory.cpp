// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes share.
#include <cstring>

#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"
#include "support/align.h"

using namespace heddle::runtime;
namespace driver = heddle::driver;

namespace {

static_assert(sizeof(driver::SharedName) == sizeof(hsa_amd_ipc_memory_t));

/// Whether `length` is the length of an allocation: as it was asked for, or rounded up to the granule.
bool is_length(Runtime& runtime, const void* base, size_t length) {
  const auto notes = runtime.amd().allocations.notes(base);
  const auto info = runtime.client().find(base);
  return notes && info && (length == notes->size || length == info->size);
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr || handle == nullptr || !is_length(runtime, ptr, len))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto name = runtime.client().share(ptr);
    if (!name) return name.error();
    std::memcpy(handle, &*name, sizeof *name);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len, uint32_t num_agents,
                                       const hsa_agent_t* mapping_agents, void** mapped_ptr) {
  return api::guard([&](Runtime& runtime) {
    if (handle == nullptr || mapped_ptr == nullptr || (num_agents != 0 && mapping_agents == nullptr))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<const Agent*> agents;
    const hsa_status_t status = amd::find_agents(runtime.topology(), mapping_agents, num_agents, agents);
    if (status != HSA_STATUS_SUCCESS) return status;
    driver::SharedName name;
    std::memcpy(&name, handle, sizeof name);
    auto import = driver::SharedImport::open(name);
    if (!import) return import.error();
    // The name has whole pages.
    if (len == 0 || len > import->size() || import->size() - len >= amd::page_size())
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto base = runtime.amd().imported.add(std::move(*import), len, std::move(agents));
    if (!base) return base.error();
    *mapped_ptr = *base;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr) {
  return api::guard([&](Runtime& runtime) {
    return runtime.amd().imported.remove(HSA_EXT_POINTER_TYPE_IPC, mapped_ptr)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
