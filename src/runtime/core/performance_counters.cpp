// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/performance_counters.h"

namespace heddle::runtime {

std::span<const PerformanceCounter> PerformanceCounters::counters() {
  std::lock_guard lock(mutex_);
  if (counters_.empty()) counters_ = list_counters(topology_);
  return counters_;
}

hsa_status_t PerformanceCounters::init() {
  std::lock_guard lock(mutex_);
  if (initialized_) return HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED;
  initialized_ = true;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t PerformanceCounters::shut_down() {
  std::lock_guard lock(mutex_);
  if (!initialized_) return HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED;
  initialized_ = false;
  objects_.counter_sessions.clear();
  return HSA_STATUS_SUCCESS;
}

hsa_status_t PerformanceCounters::create_session(hsa_ext_perf_counter_session_ctx_t* context) {
  const std::span<const PerformanceCounter> list = counters();
  // The lock is held until the session is in the table, so that shut_down() finds it there.
  std::lock_guard lock(mutex_);
  if (!initialized_) return HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED;
  const uint64_t handle = objects_.counter_sessions.insert(std::make_shared<CounterSession>(list, client_));
  if (handle == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  context->handle = handle;
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime
