// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are called when memory is freed.
#include "runtime/amd/state.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_register_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback,
                                                    void* user_data) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.amd().allocations.add_callback({ptr, callback, user_data})
               ? HSA_STATUS_SUCCESS
               : HSA_STATUS_ERROR_INVALID_ALLOCATION;
  });
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback) {
  return api::guard([&](Runtime& runtime) {
    if (ptr == nullptr || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.amd().allocations.remove_callback(ptr, callback) ? HSA_STATUS_SUCCESS
                                                                    : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
