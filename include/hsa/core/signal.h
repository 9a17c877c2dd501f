// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Signals and signal groups (Runtime 2.4).
 *
 * A signal holds one value, which any agent may change and wait for. The name of an operation on a signal
 * ends in its memory order: relaxed, scacquire, screlease, or scacq_screl for both. HSA 1.0 called the last
 * three acquire, release and acq_rel; the functions with these names are deprecated and do the same. The
 * scope is the system.
 *
 * The operations report no errors and, except for the waits, never block. An operation on anything but a live
 * signal is undefined. The only operation allowed on the doorbell of a queue is a store.
 */
#ifndef HSA_CORE_SIGNAL_H_
#define HSA_CORE_SIGNAL_H_

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 2.4.1.1 Value of a signal; as wide as an address. */
#ifdef HSA_LARGE_MODEL
typedef int64_t hsa_signal_value_t;
#else
typedef int32_t hsa_signal_value_t;
#endif

/** 2.4.1.2 A signal. In a packet, handle 0 means "none". */
typedef struct hsa_signal_s {
  uint64_t handle;
} hsa_signal_t;

/**
 * 2.4.1.3 Creates a signal. consumers lists the agents that will wait for it, without duplicates; if
 * num_consumers is 0, any agent may wait. The list lets the runtime choose a cheaper kind of signal; a wait
 * on an agent that is not listed is undefined. The list need not outlive the call.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: consumers NULL though num_consumers > 0; duplicates).
 */
HSA_API hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                       const hsa_agent_t* consumers, hsa_signal_t* signal);

/**
 * 2.4.1.4 Destroys a signal of hsa_signal_create, which no thread or agent may still use or wait for.
 * Errors: INVALID_SIGNAL; INVALID_ARGUMENT (handle 0).
 */
HSA_API hsa_status_t hsa_signal_destroy(hsa_signal_t signal);

/** 2.4.1.5, 2.4.1.6 Reads the value. */
HSA_API hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal);
HSA_API hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal);
HSA_API hsa_signal_value_t hsa_signal_load_acquire(hsa_signal_t signal); /**< deprecated */

/** 2.4.1.7, 2.4.1.8 Sets the value, and wakes the waiters whose condition then holds. Rings a doorbell. */
HSA_API void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_store_release(hsa_signal_t signal, hsa_signal_value_t value); /**< deprecated */

/** 2.4.1.9 Sets the value without necessarily waking waiters, which is cheaper if there are none. */
HSA_API void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.10 .. 2.4.1.13 Sets the value and returns the previous one. */
HSA_API hsa_signal_value_t hsa_signal_exchange_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_exchange_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_exchange_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_exchange_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API hsa_signal_value_t hsa_signal_exchange_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_exchange_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_exchange_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.14 .. 2.4.1.17 Sets the value if it equals expected. Returns the previous value in any case. */
HSA_API hsa_signal_value_t hsa_signal_cas_scacq_screl(hsa_signal_t signal, hsa_signal_value_t expected,
                                                      hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_cas_scacquire(hsa_signal_t signal, hsa_signal_value_t expected,
                                                    hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_cas_relaxed(hsa_signal_t signal, hsa_signal_value_t expected,
                                                  hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_cas_screlease(hsa_signal_t signal, hsa_signal_value_t expected,
                                                    hsa_signal_value_t value);
/* deprecated */
HSA_API hsa_signal_value_t hsa_signal_cas_acq_rel(hsa_signal_t signal, hsa_signal_value_t expected,
                                                  hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_cas_acquire(hsa_signal_t signal, hsa_signal_value_t expected,
                                                  hsa_signal_value_t value);
HSA_API hsa_signal_value_t hsa_signal_cas_release(hsa_signal_t signal, hsa_signal_value_t expected,
                                                  hsa_signal_value_t value);

/** 2.4.1.18 .. 2.4.1.21 Adds to the value, which wraps around. */
HSA_API void hsa_signal_add_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_add_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_add_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_add_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API void hsa_signal_add_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_add_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_add_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.22 .. 2.4.1.25 Subtracts from the value, which wraps around. */
HSA_API void hsa_signal_subtract_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_subtract_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_subtract_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_subtract_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API void hsa_signal_subtract_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_subtract_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_subtract_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.26 .. 2.4.1.29 Sets the value to its bitwise AND with the argument. */
HSA_API void hsa_signal_and_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_and_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_and_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_and_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API void hsa_signal_and_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_and_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_and_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.30 .. 2.4.1.33 Sets the value to its bitwise OR with the argument. */
HSA_API void hsa_signal_or_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_or_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_or_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_or_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API void hsa_signal_or_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_or_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_or_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.34 .. 2.4.1.37 Sets the value to its bitwise exclusive OR with the argument. */
HSA_API void hsa_signal_xor_scacq_screl(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_xor_scacquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_xor_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_xor_screlease(hsa_signal_t signal, hsa_signal_value_t value);
/* deprecated */
HSA_API void hsa_signal_xor_acq_rel(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_xor_acquire(hsa_signal_t signal, hsa_signal_value_t value);
HSA_API void hsa_signal_xor_release(hsa_signal_t signal, hsa_signal_value_t value);

/** 2.4.1.38 How a wait compares the value of the signal (left) with compare_value. Values are signed. */
typedef enum {
  HSA_SIGNAL_CONDITION_EQ = 0,
  HSA_SIGNAL_CONDITION_NE = 1,
  HSA_SIGNAL_CONDITION_LT = 2,
  HSA_SIGNAL_CONDITION_GTE = 3
} hsa_signal_condition_t;

/** 2.4.1.39 A hint at what the waiting thread should do. */
typedef enum {
  HSA_WAIT_STATE_BLOCKED = 0, /**< sleep */
  HSA_WAIT_STATE_ACTIVE = 1   /**< spin, for the shortest latency */
} hsa_wait_state_t;

/**
 * 2.4.1.40, 2.4.1.41 Waits until the value satisfies the condition, or until about timeout_hint ticks of the
 * system timestamp have passed (UINT64_MAX: no limit). May also return without a reason, so callers must test
 * the result and call again. Returns an observed value. The wait is certain to end once the condition has
 * been true at some moment, but the returned value may have been read after it became false.
 */
HSA_API hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                                     hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                                     hsa_wait_state_t wait_state_hint);
HSA_API hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                                   hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                                   hsa_wait_state_t wait_state_hint);
/* deprecated */
HSA_API hsa_signal_value_t hsa_signal_wait_acquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                                   hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                                   hsa_wait_state_t wait_state_hint);

/** 2.4.1.42 A group of signals. A wait for the group ends when any of them satisfies its condition. */
typedef struct hsa_signal_group_s {
  uint64_t handle;
} hsa_signal_group_t;

/**
 * 2.4.1.43 Creates a group of distinct signals. consumers lists the agents that will wait for the group: at
 * least one, without duplicates, each of which may wait for every signal of the group. The lists need not
 * outlive the call, but the signals must outlive the group.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: an empty or NULL list, duplicates).
 */
HSA_API hsa_status_t hsa_signal_group_create(uint32_t num_signals, const hsa_signal_t* signals,
                                             uint32_t num_consumers, const hsa_agent_t* consumers,
                                             hsa_signal_group_t* signal_group);

/** 2.4.1.44 Destroys a group, but not its signals. Errors: INVALID_SIGNAL_GROUP. */
HSA_API hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group);

/**
 * 2.4.1.45 Waits, without limit, until at least one signal of the group satisfies its condition. conditions
 * and compare_values have one element for each signal, in the order given when the group was created.
 * Provides a signal that satisfied its condition and an observed value of it, which may not satisfy the
 * condition any more.
 * Errors: INVALID_SIGNAL_GROUP; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t signal_group,
                                                         const hsa_signal_condition_t* conditions,
                                                         const hsa_signal_value_t* compare_values,
                                                         hsa_wait_state_t wait_state_hint,
                                                         hsa_signal_t* signal, hsa_signal_value_t* value);
HSA_API hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t signal_group,
                                                       const hsa_signal_condition_t* conditions,
                                                       const hsa_signal_value_t* compare_values,
                                                       hsa_wait_state_t wait_state_hint, hsa_signal_t* signal,
                                                       hsa_signal_value_t* value);

#ifdef __cplusplus
}
#endif

#endif
