/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Signals of the AMD extension: waits for several signals, functions that the runtime calls when a signal
 * meets a condition, and signals that several processes share. What hsa.h says about errors and threads holds
 * here too.
 */
#ifndef HSA_AMD_SIGNAL_H_
#define HSA_AMD_SIGNAL_H_

#include <stdbool.h>

#include "../hsa.h"
#include "ipc_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Properties that a signal can be created with. They are bits of a mask. */
typedef enum {
  /** The host will not wait for the signal. heddle makes no use of the promise. */
  HSA_AMD_SIGNAL_AMD_GPU_ONLY = 1,
  /** Other processes may attach the signal. */
  HSA_AMD_SIGNAL_IPC = 2
} hsa_amd_signal_attribute_t;

/**
 * Creates a signal like hsa_signal_create, with a mask of hsa_amd_signal_attribute_t. hsa_signal_destroy
 * destroys it.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: consumers NULL though num_consumers > 0; duplicates;
 * unknown attributes).
 */
HSA_API hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                           const hsa_agent_t* consumers, uint64_t attributes,
                                           hsa_signal_t* signal);

/**
 * Gives the address of a signal's value, which is valid as long as the signal, for devices that know no
 * signals. A write to it must be atomic and wakes nobody, so that hosts should not wait for such signals.
 * Errors: INVALID_SIGNAL; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
                                                  volatile hsa_signal_value_t** value_ptr);

/**
 * Waits until one of signal_count signals meets the condition with its index: signals[i] compared with
 * values[i] by conds[i]. Returns the index of such a signal and, unless satisfying_value is NULL, the value
 * that met the condition; or UINT32_MAX after timeout_hint ticks of the system timestamp (UINT64_MAX waits
 * for ever), if there is nothing to wait for, or if an argument is invalid, which the log then says. With
 * HSA_WAIT_STATE_BLOCKED the thread sleeps after a few microseconds.
 */
HSA_API uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals,
                                         hsa_signal_condition_t* conds, hsa_signal_value_t* values,
                                         uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                         hsa_signal_value_t* satisfying_value);

/** Is called with the value that met the condition. Returns whether it wants to be called again. */
typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t value, void* arg);

/**
 * Has handler(value, arg) called, on a thread of the runtime, when the signal meets the condition. If the
 * handler returns true, the wait begins again, and if the condition still holds then, the handler is called
 * again at once. All handlers of a process are called one after the other, in no particular order. They may
 * call any function of the runtime, except that the last hsa_shut_down returns HSA_STATUS_ERROR there. A
 * handler that has not been called when its signal is destroyed or the runtime is shut down is dropped.
 * Errors: INVALID_SIGNAL; INVALID_ARGUMENT; OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t cond,
                                                  hsa_signal_value_t value, hsa_amd_signal_handler handler,
                                                  void* arg);

/**
 * Has callback(arg) called once, on the thread that calls the handlers of signals.
 * Errors: INVALID_ARGUMENT; OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_async_function(void (*callback)(void* arg), void* arg);

/**
 * Gives a handle by which other processes can attach a signal that was created with HSA_AMD_SIGNAL_IPC.
 * Processes can attach it as long as the process that created the signal runs and has not destroyed it.
 * Errors: INVALID_ARGUMENT (also: any other signal); OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle);

/**
 * Attaches a signal of another process, of the same user, or of this one. All operations on the signals have
 * the same effect as if there were one signal in one process, except that a wait may miss a value that
 * another process gives the signal only for a moment. Each attached signal is destroyed by hsa_signal_destroy
 * as often as it was attached; the others live on.
 * Errors: INVALID_ARGUMENT (also: no such signal); OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal);

#ifdef __cplusplus
}
#endif
#endif
