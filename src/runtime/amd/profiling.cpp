// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of dispatches and copies (AMD extension). Whoever completes a signal writes them into its block
// (hsam/signal.h); here they are only read.
#include <hsa/amd/profiling.h>
#include <hsam/signal.h>

#include "runtime/api/api.h"
#include "runtime/api/signal_objects.h"

using namespace heddle::runtime;

namespace {

/// Reads the times of what last completed on the signal. INVALID_SIGNAL; HSA_STATUS_ERROR if there are none.
template <typename Times>
hsa_status_t read_times(hsa_signal_t signal, Times& times) {
  const hsam_signal* live = live_signal(signal);
  if (live == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  Times found;
  hsam_signal_get_times(live, &found.start, &found.end);
  if (found.start == 0) return HSA_STATUS_ERROR;
  times = found;
  return HSA_STATUS_SUCCESS;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable) {
  (void)enable;  // agents always note the times, which share the cache line of the signal's value
  return api::guard([&](Runtime& runtime) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.client().queue_agent(runtime.intercept_queues().agent_queue(queue)) == nullptr
               ? HSA_STATUS_ERROR_INVALID_QUEUE
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
  return api::guard([&](Runtime& runtime) {
    runtime.copies().set_timed(enable);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
  return api::guard([&](Runtime& runtime) {
    if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr || !found->driver->dispatches_kernels()) return HSA_STATUS_ERROR_INVALID_AGENT;
    return read_times(signal, *time);
  });
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t* time) {
  return api::guard([&](Runtime&) {
    if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return read_times(signal, *time);
  });
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                             uint64_t* system_tick) {
  return api::guard([&](Runtime& runtime) {
    if (system_tick == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.topology().agent(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    // The boundary to agents has one clock (timestamp in hsam.h), which their clock instructions read too.
    *system_tick = agent_tick;
    return HSA_STATUS_SUCCESS;
  });
}

}  // namespace heddle::runtime::functions
