// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/amd/system_events.h"

#include "runtime/amd/state.h"
#include "runtime/api/api.h"

namespace heddle::runtime::amd {

namespace {

static_assert(static_cast<int>(HSAM_FAULT_NOT_PRESENT) == HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT &&
              static_cast<int>(HSAM_FAULT_NOT_PERMITTED) == HSA_AMD_MEMORY_FAULT_READ_ONLY);

}  // namespace

hsa_status_t SystemEvents::set_handler(hsa_amd_system_event_callback_t handler, void* data) {
  std::lock_guard lock(mutex_);
  if (handler_ != nullptr) return HSA_STATUS_ERROR;
  handler_ = handler;
  data_ = data;
  return HSA_STATUS_SUCCESS;
}

void SystemEvents::report(const hsa_amd_event_t& event) const {
  std::unique_lock lock(mutex_);
  const auto handler = handler_;
  void* const data = data_;
  lock.unlock();
  if (handler != nullptr) (void)handler(&event, data);
}

void report_memory_fault(const driver::Agent& agent, const driver::MemoryFault& fault) {
  // The handler counts as a call of the application, so that the last hsa_shut_down waits for it.
  const CallUnderWay under_way;
  Runtime* runtime = Runtime::current();
  if (runtime == nullptr) return;
  hsa_amd_event_t event{};
  event.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT;
  event.memory_fault.agent = runtime->topology().agent_at(agent.index()).handle;
  event.memory_fault.virtual_address = fault.address;
  event.memory_fault.fault_reason_mask = fault.causes;
  runtime->amd().events.report(event);
}

}  // namespace heddle::runtime::amd

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void* data) {
  return api::guard([&](Runtime& runtime) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.amd().events.set_handler(callback, data);
  });
}

}  // namespace heddle::runtime::functions
