/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Times of dispatches and copies (AMD extension), in ticks of HSA_SYSTEM_INFO_TIMESTAMP. A completion signal
 * holds the times of what last completed on it.
 */
#ifndef HSA_AMD_PROFILING_H_
#define HSA_AMD_PROFILING_H_

#include <stdbool.h>

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** When a dispatch began and ended. */
typedef struct hsa_amd_profiling_dispatch_time_s {
  uint64_t start;
  uint64_t end;
} hsa_amd_profiling_dispatch_time_t;

/** When a copy began and ended; the time that it waited for its dependencies is not part of it. */
typedef struct hsa_amd_profiling_async_copy_time_s {
  uint64_t start;
  uint64_t end;
} hsa_amd_profiling_async_copy_time_t;

/**
 * Asks for times of the dispatches of a queue (enable != 0), or no longer. heddle's agents always note them,
 * because that costs less than to ask whether they should.
 * Errors: INVALID_QUEUE; INVALID_ARGUMENT (queue NULL).
 */
HSA_API hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable);

/** Asks for times of the copies that are submitted from now on, by all threads, or no longer. */
HSA_API hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable);

/**
 * Gives the times of the dispatch or barrier packet that last completed on the signal, which an agent
 * executed. The caller has seen that it completed.
 * Errors: INVALID_AGENT (also: an agent without kernel dispatch); INVALID_SIGNAL; INVALID_ARGUMENT;
 * HSA_STATUS_ERROR (the signal has no times).
 */
HSA_API hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                         hsa_amd_profiling_dispatch_time_t* time);

/**
 * Gives the times of the copy that last completed on the signal.
 * Errors: INVALID_SIGNAL; INVALID_ARGUMENT; HSA_STATUS_ERROR (the signal has no times).
 */
HSA_API hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                           hsa_amd_profiling_async_copy_time_t* time);

/**
 * Converts a tick of an agent's clock, such as the result of the instruction clock, to the system timestamp.
 * heddle's agents use the clock of the system.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick,
                                                                     uint64_t* system_tick);

#ifdef __cplusplus
}
#endif
#endif
