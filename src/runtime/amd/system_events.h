// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events that concern the whole program: memory faults of kernels.
#pragma once

#include <mutex>

#include <hsa/hsa_ext_amd.h>

#include "driver/driver.h"

namespace heddle::runtime::amd {

/// The handler of events. Thread safe.
class SystemEvents {
 public:
  /// Returns HSA_STATUS_ERROR if there is a handler.
  hsa_status_t set_handler(hsa_amd_system_event_callback_t handler, void* data);
  /// Calls the handler, if there is one.
  void report(const hsa_amd_event_t& event) const;

 private:
  mutable std::mutex mutex_;
  hsa_amd_system_event_callback_t handler_ = nullptr;
  void* data_ = nullptr;
};

/// Reports a memory fault of an agent's kernel as an event, unless the runtime is being shut down.
void report_memory_fault(const driver::Agent& agent, const driver::MemoryFault& fault);

}  // namespace heddle::runtime::amd
