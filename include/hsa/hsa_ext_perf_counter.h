// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Performance counters, the extension "hsa_ext_perf_counter" (Runtime 3.4).
 *
 * Counters tell what agents, queues, memory and processors have done during a session. A context is created,
 * counters are enabled in it, and then its session is enabled, started, stopped, and perhaps started and
 * stopped again. Its counters can be read until it is disabled, after which other counters can be enabled.
 *
 * Any number of sessions may run at the same time; each has its own values. What takes time (a dispatch, a
 * copy) is counted when it has ended, and for the part that lies within the session where times are counted.
 * A dispatch is counted before its completion signal changes, so that a thread that has seen the signal reads
 * exact numbers. While no session runs, counting costs nothing.
 *
 * `heddle info` lists the counters of a machine. The conventions of hsa.h apply; EXT_ at the beginning of the
 * name of an error stands for HSA_EXT_STATUS_ERROR_.
 */
#ifndef HSA_EXT_PERF_COUNTER_H_
#define HSA_EXT_PERF_COUNTER_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 3.1.1 Version of the extension that this header declares: three digits major, three digits minor. */
#define hsa_ext_perf_counter 001000

/** 3.4.1.2 Type of a counter's value: which of the functions that read applies. */
typedef enum {
  HSA_EXT_PERF_COUNTER_TYPE_UINT32 = 0,
  HSA_EXT_PERF_COUNTER_TYPE_UINT64 = 1,
  HSA_EXT_PERF_COUNTER_TYPE_FLOAT = 2,
  HSA_EXT_PERF_COUNTER_TYPE_DOUBLE = 3
} hsa_ext_perf_counter_type_t;

/** 3.4.1.3 What a counter belongs to. */
typedef enum {
  HSA_EXT_PERF_COUNTER_ASSOC_AGENT_NODE = 1,
  HSA_EXT_PERF_COUNTER_ASSOC_MEMORY_NODE = 2, /**< a region */
  HSA_EXT_PERF_COUNTER_ASSOC_CACHE_NODE = 3,
  HSA_EXT_PERF_COUNTER_ASSOC_QUEUE = 4,
  HSA_EXT_PERF_COUNTER_ASSOC_SYSTEM = 5
} hsa_ext_perf_counter_assoc_t;

/** 3.4.1.4 Whose activity a counter counts. */
typedef enum {
  HSA_EXT_PERF_COUNTER_GRANULARITY_SYSTEM = 0,
  HSA_EXT_PERF_COUNTER_GRANULARITY_PROCESS = 1,
  HSA_EXT_PERF_COUNTER_GRANULARITY_DISPATCH = 2
} hsa_ext_perf_counter_granularity_t;

/** 3.4.1.5 What session_enable does to the value of a counter. */
typedef enum {
  HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_RESETS = 0,  /**< it becomes 0 */
  HSA_EXT_PERF_COUNTER_VALUE_PERSISTENCE_PERSISTS = 1 /**< nothing */
} hsa_ext_perf_counter_value_persistence_t;

/** 3.4.1.6 Unit of a counter's value. */
typedef enum {
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_GENERIC = 0, /**< a number; the description says of what */
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_PERCENTAGE = 1,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_WATTS = 2,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLIWATTS = 3,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_BYTES = 4,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_KILOBYTES = 5,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_KBPS = 6, /**< kilobytes per second */
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_CELSIUS = 7,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_FAHRENHEIT = 8,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS = 9,
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_AGENT_SPECIFIC_LOW = 128, /**< first of the vendors' own units */
  HSA_EXT_PERF_COUNTER_VALUE_TYPE_AGENT_SPECIFIC_HIGH = 255 /**< last of the vendors' own units */
} hsa_ext_perf_counter_value_type_t;

/** 3.4.1.7 Attributes of a counter; the comment gives the type of the value. */
typedef enum {
  HSA_EXT_PERF_COUNTER_INFO_NAME_LENGTH = 0,        /**< uint32_t: bytes that NAME writes, the NUL included */
  HSA_EXT_PERF_COUNTER_INFO_NAME = 1,               /**< char[NAME_LENGTH], ends in NUL; not unique */
  HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION_LENGTH = 2, /**< uint32_t: bytes, the NUL included */
  HSA_EXT_PERF_COUNTER_INFO_DESCRIPTION = 3,        /**< char[DESCRIPTION_LENGTH], ends in NUL */
  HSA_EXT_PERF_COUNTER_INFO_TYPE = 4,               /**< hsa_ext_perf_counter_type_t */
  HSA_EXT_PERF_COUNTER_INFO_SUPPORTS_ASYNC = 5,     /**< bool: can be read while the session runs */
  HSA_EXT_PERF_COUNTER_INFO_GRANULARITY = 6,        /**< hsa_ext_perf_counter_granularity_t */
  HSA_EXT_PERF_COUNTER_INFO_VALUE_PERSISTENCE = 7,  /**< hsa_ext_perf_counter_value_persistence_t */
  HSA_EXT_PERF_COUNTER_INFO_VALUE_TYPE = 8          /**< hsa_ext_perf_counter_value_type_t */
} hsa_ext_perf_counter_info_t;

/** 3.4.1.8 A set of counters with the session in which they count. */
typedef struct hsa_ext_perf_counter_session_ctx_s {
  uint64_t handle;
} hsa_ext_perf_counter_session_ctx_t;

/**
 * 3.4.1.9 Initializes the counters: sessions are possible from now on, until hsa_ext_perf_counter_shut_down
 * or the last hsa_shut_down. Errors: OUT_OF_RESOURCES; EXT_ALREADY_INITIALIZED.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_init(void);

/**
 * 3.4.1.10 Shuts the counters down. All session contexts are destroyed, whatever their state. Errors:
 * OUT_OF_RESOURCES; EXT_EVENTS_NOT_INITIALIZED (the counters are not initialized).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_shut_down(void);

/**
 * 3.4.1.11 Gets the number of counters of the system, which does not change while the runtime lives. This
 * query and the next two need no initialization of the counters. Errors: INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_get_num(uint32_t* result);

/**
 * 3.4.1.12 Queries a counter. Errors: INVALID_INDEX; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_get_info(uint32_t counter_idx,
                                                   hsa_ext_perf_counter_info_t attribute, void* value);

/**
 * 3.4.1.13 Iterates over what a counter belongs to. assoc_id is the handle of the agent, region or cache, the
 * id of a queue, or 0 for the system. Errors: INVALID_INDEX; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_iterate_associations(
    uint32_t counter_idx,
    hsa_status_t (*callback)(hsa_ext_perf_counter_assoc_t assoc_type, uint64_t assoc_id, void* data),
    void* data);

/**
 * 3.4.1.14 Creates a session context in which no counter is enabled. Errors: OUT_OF_RESOURCES;
 * INVALID_ARGUMENT; EXT_EVENTS_NOT_INITIALIZED (the counters are not initialized).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_context_create(hsa_ext_perf_counter_session_ctx_t* ctx);

/**
 * 3.4.1.15 Destroys a session context, and ends its session if there is one. In this and the following
 * functions, a context that does not exist is INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_context_destroy(hsa_ext_perf_counter_session_ctx_t ctx);

/**
 * 3.4.1.16 Enables a counter in a context; does nothing if it is enabled. Errors: INVALID_INDEX;
 * INVALID_ARGUMENT; EXT_INVALID_SESSION_STATE (the session is enabled).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_enable(hsa_ext_perf_counter_session_ctx_t ctx,
                                                 uint32_t counter_idx);

/**
 * 3.4.1.17 Disables a counter in a context; does nothing if it is disabled. Errors: INVALID_INDEX;
 * INVALID_ARGUMENT; EXT_INVALID_SESSION_STATE (the session is enabled).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_disable(hsa_ext_perf_counter_session_ctx_t ctx,
                                                  uint32_t counter_idx);

/**
 * 3.4.1.18 Gets whether a counter is enabled in a context. Errors: INVALID_INDEX; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_is_enabled(hsa_ext_perf_counter_session_ctx_t ctx,
                                                     uint32_t counter_idx, bool* enabled);

/**
 * 3.4.1.19 Gets whether the enabled counters of a context can be counted in one session. Errors:
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_context_valid(hsa_ext_perf_counter_session_ctx_t ctx,
                                                                bool* result);

/**
 * 3.4.1.20 Gets whether the sessions of several contexts can run at the same time. Errors: INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_context_set_valid(hsa_ext_perf_counter_session_ctx_t* ctxs,
                                                                    size_t n_ctxs, bool* result);

/**
 * 3.4.1.21 Enables the session of a context: provides what its counters need, and sets those to 0 that reset.
 * Errors: INCOMPATIBLE_ARGUMENTS (the system does not provide a hardware counter any more); INVALID_ARGUMENT;
 * EXT_INVALID_SESSION_STATE (it is enabled).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_enable(hsa_ext_perf_counter_session_ctx_t ctx);

/**
 * 3.4.1.22 Disables the session of a context, whether or not it runs. Its counters cannot be read any more.
 * Errors: INVALID_ARGUMENT; EXT_INVALID_SESSION_STATE (it is not enabled).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_disable(hsa_ext_perf_counter_session_ctx_t ctx);

/**
 * 3.4.1.23 Starts a session, or starts it again, in which case its counters go on. Errors: OUT_OF_RESOURCES;
 * INVALID_ARGUMENT; EXT_INVALID_SESSION_STATE (it is not enabled, or runs).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_start(hsa_ext_perf_counter_session_ctx_t ctx);

/**
 * 3.4.1.24 Stops a session. Its counters keep their values. Does nothing if it has been stopped. Errors:
 * INVALID_ARGUMENT; EXT_INVALID_SESSION_STATE (it is not enabled, or was never started).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_session_stop(hsa_ext_perf_counter_session_ctx_t ctx);

/**
 * 3.4.1.25 Reads a counter of type UINT32. Errors: INVALID_INDEX; INVALID_ARGUMENT (also: the counter has
 * another type); EXT_INVALID_SAMPLING_CONTEXT (it is not enabled in the context, the session is not enabled,
 * or the counter can be read only while the session is stopped).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_read_uint32(hsa_ext_perf_counter_session_ctx_t ctx,
                                                      uint32_t counter_idx, uint32_t* result);

/**
 * 3.4.1.26 Reads a counter of type UINT64. Errors: INVALID_INDEX; INVALID_ARGUMENT (also: the counter has
 * another type); EXT_INVALID_SAMPLING_CONTEXT (it is not enabled in the context, the session is not enabled,
 * or the counter can be read only while the session is stopped).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_read_uint64(hsa_ext_perf_counter_session_ctx_t ctx,
                                                      uint32_t counter_idx, uint64_t* result);

/**
 * 3.4.1.27 Reads a counter of type FLOAT. Errors: INVALID_INDEX; INVALID_ARGUMENT (also: the counter has
 * another type); EXT_INVALID_SAMPLING_CONTEXT (it is not enabled in the context, the session is not enabled,
 * or the counter can be read only while the session is stopped).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_read_float(hsa_ext_perf_counter_session_ctx_t ctx,
                                                     uint32_t counter_idx, float* result);

/**
 * 3.4.1.28 Reads a counter of type DOUBLE. Errors: INVALID_INDEX; INVALID_ARGUMENT (also: the counter has
 * another type); EXT_INVALID_SAMPLING_CONTEXT (it is not enabled in the context, the session is not enabled,
 * or the counter can be read only while the session is stopped).
 */
HSA_API hsa_status_t hsa_ext_perf_counter_read_double(hsa_ext_perf_counter_session_ctx_t ctx,
                                                      uint32_t counter_idx, double* result);

/** 3.4.1.29 Functions of version 1: HSA_EXTENSION_PERFORMANCE_COUNTERS, major 1. */
#define hsa_ext_perf_counter_1
typedef struct hsa_ext_perf_counter_1_pfn_s {
  hsa_status_t (*hsa_ext_perf_counter_init)(void);
  hsa_status_t (*hsa_ext_perf_counter_shut_down)(void);
  hsa_status_t (*hsa_ext_perf_counter_get_num)(uint32_t* result);
  hsa_status_t (*hsa_ext_perf_counter_get_info)(uint32_t counter_idx, hsa_ext_perf_counter_info_t attribute,
                                                void* value);
  hsa_status_t (*hsa_ext_perf_counter_iterate_associations)(
      uint32_t counter_idx,
      hsa_status_t (*callback)(hsa_ext_perf_counter_assoc_t assoc_type, uint64_t assoc_id, void* data),
      void* data);
  hsa_status_t (*hsa_ext_perf_counter_session_context_create)(hsa_ext_perf_counter_session_ctx_t* ctx);
  hsa_status_t (*hsa_ext_perf_counter_session_context_destroy)(hsa_ext_perf_counter_session_ctx_t ctx);
  hsa_status_t (*hsa_ext_perf_counter_enable)(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx);
  hsa_status_t (*hsa_ext_perf_counter_disable)(hsa_ext_perf_counter_session_ctx_t ctx, uint32_t counter_idx);
  hsa_status_t (*hsa_ext_perf_counter_is_enabled)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                  uint32_t counter_idx, bool* enabled);
  hsa_status_t (*hsa_ext_perf_counter_session_context_valid)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                             bool* result);
  hsa_status_t (*hsa_ext_perf_counter_session_context_set_valid)(hsa_ext_perf_counter_session_ctx_t* ctxs,
                                                                 size_t n_ctxs, bool* result);
  hsa_status_t (*hsa_ext_perf_counter_session_enable)(hsa_ext_perf_counter_session_ctx_t ctx);
  hsa_status_t (*hsa_ext_perf_counter_session_disable)(hsa_ext_perf_counter_session_ctx_t ctx);
  hsa_status_t (*hsa_ext_perf_counter_session_start)(hsa_ext_perf_counter_session_ctx_t ctx);
  hsa_status_t (*hsa_ext_perf_counter_session_stop)(hsa_ext_perf_counter_session_ctx_t ctx);
  hsa_status_t (*hsa_ext_perf_counter_read_uint32)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                   uint32_t counter_idx, uint32_t* result);
  hsa_status_t (*hsa_ext_perf_counter_read_uint64)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                   uint32_t counter_idx, uint64_t* result);
  hsa_status_t (*hsa_ext_perf_counter_read_float)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                  uint32_t counter_idx, float* result);
  hsa_status_t (*hsa_ext_perf_counter_read_double)(hsa_ext_perf_counter_session_ctx_t ctx,
                                                   uint32_t counter_idx, double* result);
} hsa_ext_perf_counter_1_pfn_t;

#ifdef __cplusplus
}
#endif
#endif /* HSA_EXT_PERF_COUNTER_H_ */
