// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals of the AMD extension: attributes, handlers, and signals of several processes.
#include <cstring>

#include <hsa/amd/signal.h>

#include "runtime/api/api.h"
#include "runtime/api/signal_objects.h"

using namespace heddle::runtime;

namespace {

using heddle::driver::SharedSignalHandle;
static_assert(sizeof(SharedSignalHandle) == sizeof(hsa_amd_ipc_signal_t));

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                   const hsa_agent_t* consumers, uint64_t attributes, hsa_signal_t* signal) {
  return api::guard([&](Runtime& runtime) {
    constexpr uint64_t known = HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC;
    if ((attributes & ~known) != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool shared = (attributes & HSA_AMD_SIGNAL_IPC) != 0;
    return create_signal(runtime, initial_value, num_consumers, consumers, shared, signal);
  });
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** value_ptr) {
  return api::guard([&](Runtime&) {
    if (value_ptr == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsam_signal* live = live_signal(signal);
    if (live == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    *value_ptr = &live->value;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler,
                                          void* arg) {
  return api::guard([&](Runtime& runtime) {
    if (handler == nullptr || static_cast<uint32_t>(cond) > HSA_SIGNAL_CONDITION_GTE)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsam_signal* live = live_signal(signal);
    if (live == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    return runtime.handlers().add(live, cond, value, handler, arg);
  });
}

hsa_status_t hsa_amd_async_function(void (*callback)(void* arg), void* arg) {
  return api::guard([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.handlers().add(callback, arg);
  });
}

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  return api::guard([&](Runtime&) {
    if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto shared = heddle::driver::Client::share_signal(signal);
    if (!shared) return shared.error();
    std::memcpy(handle, &*shared, sizeof *handle);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  return api::guard([&](Runtime& runtime) {
    if (handle == nullptr || signal == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    SharedSignalHandle shared;
    std::memcpy(&shared, handle, sizeof shared);
    const auto attached = runtime.client().attach_signal(shared);
    if (!attached) return attached.error();
    *signal = *attached;
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
