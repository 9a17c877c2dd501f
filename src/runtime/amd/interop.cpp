// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of other software.
#include <cerrno>

#include "driver/log.h"
#include "driver/memory_file.h"
#include "runtime/amd/access.h"
#include "runtime/amd/state.h"
#include "runtime/amd/system_memory.h"
#include "runtime/api/api.h"
#include "support/align.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t* agents, int interop_handle,
                                        uint32_t flags, size_t* size, void** ptr, size_t* metadata_size,
                                        const void** metadata) {
  return api::guard([&](Runtime& runtime) {
    if (num_agents == 0 || agents == nullptr || flags != 0 || size == nullptr || ptr == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<const Agent*> found;
    const hsa_status_t status = amd::find_agents(runtime.topology(), agents, num_agents, found);
    if (status != HSA_STATUS_SUCCESS) return status;
    const size_t bytes = driver::size_of_memory_file(interop_handle).value_or(0);
    auto memory = bytes == 0 ? driver::SharedMapping()
                             : driver::SharedMapping::create(interop_handle, 0,
                                                             heddle::align_up(bytes, amd::page_size()));
    if (!memory) {
      const bool exhausted = bytes != 0 && errno == ENOMEM;
      driver::log_warning("file descriptor {} cannot be mapped", interop_handle);
      return exhausted ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto base = runtime.amd().imported.add(std::move(memory), bytes, std::move(found));
    if (!base) return base.error();
    *ptr = *base;
    *size = bytes;
    if (metadata_size != nullptr) *metadata_size = 0;
    if (metadata != nullptr) *metadata = nullptr;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_interop_unmap_buffer(void* ptr) {
  return api::guard([&](Runtime& runtime) {
    return runtime.amd().imported.remove(HSA_EXT_POINTER_TYPE_GRAPHICS, ptr)
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
