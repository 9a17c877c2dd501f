// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/** Initialization and shut down (Runtime 2.1); status codes (2.2). */
#ifndef HSA_CORE_STATUS_H_
#define HSA_CORE_STATUS_H_

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * 2.2.1.1 Result of a function, or the reason why a queue is in the error state. The codes of extensions
 * (3.2.1.1, 3.3.1.1, 3.4.1.1, 3.5.6.1, 3.6.1) are declared here as well, so that they have the return type of
 * the functions.
 */
typedef enum {
  HSA_STATUS_SUCCESS = 0x0,
  HSA_STATUS_INFO_BREAK = 0x1, /**< a callback ended an iteration early; not an error */

  HSA_STATUS_ERROR = 0x1000, /**< an error that no other code describes */
  HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
  HSA_STATUS_ERROR_INVALID_QUEUE_CREATION = 0x1002, /**< the agent has no queues of that type */
  HSA_STATUS_ERROR_INVALID_ALLOCATION = 0x1003,
  HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
  HSA_STATUS_ERROR_INVALID_REGION = 0x1005,
  HSA_STATUS_ERROR_INVALID_SIGNAL = 0x1006,
  HSA_STATUS_ERROR_INVALID_QUEUE = 0x1007,
  HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008, /**< no memory, threads or hardware resources left */
  HSA_STATUS_ERROR_INVALID_PACKET_FORMAT = 0x1009,
  HSA_STATUS_ERROR_RESOURCE_FREE = 0x100A,   /**< releasing a resource failed */
  HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100B, /**< called while the reference count of the runtime is 0 */
  HSA_STATUS_ERROR_REFCOUNT_OVERFLOW = 0x100C,
  HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS = 0x100D, /**< each argument is valid, but not the combination */
  HSA_STATUS_ERROR_INVALID_INDEX = 0x100E,
  HSA_STATUS_ERROR_INVALID_ISA = 0x100F,
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 0x1010,
  HSA_STATUS_ERROR_INVALID_EXECUTABLE = 0x1011,
  HSA_STATUS_ERROR_FROZEN_EXECUTABLE = 0x1012,
  HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 0x1013, /**< nothing has that name */
  HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED = 0x1014,
  HSA_STATUS_ERROR_VARIABLE_UNDEFINED = 0x1015,
  HSA_STATUS_ERROR_EXCEPTION = 0x1016, /**< an HSAIL operation raised a hardware exception */
  HSA_STATUS_ERROR_INVALID_ISA_NAME = 0x1017,
  HSA_STATUS_ERROR_INVALID_CODE_SYMBOL = 0x1018,
  HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,
  HSA_STATUS_ERROR_INVALID_FILE = 0x1020,
  HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER = 0x1021,
  HSA_STATUS_ERROR_INVALID_CACHE = 0x1022,
  HSA_STATUS_ERROR_INVALID_WAVEFRONT = 0x1023,
  HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP = 0x1024,
  HSA_STATUS_ERROR_INVALID_RUNTIME_STATE = 0x1025, /**< the runtime has left the configuration state */
  HSA_STATUS_ERROR_FATAL = 0x1026, /**< the process may be damaged, e.g. by a memory fault of an agent */

  /* Finalizer extension */
  HSA_EXT_STATUS_ERROR_INVALID_PROGRAM = 0x2000,
  HSA_EXT_STATUS_ERROR_INVALID_MODULE = 0x2001,
  HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE = 0x2002, /**< other machine model, profile or BRIG version */
  HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED = 0x2003,
  HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH = 0x2004, /**< declaration and definition disagree */
  HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED = 0x2005,
  HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH = 0x2006, /**< control directives disagree with the module's */
  HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER = 0x2007,

  /* Images extension */
  HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED = 0x3000,
  HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED = 0x3001,
  HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED = 0x3002,
  HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED = 0x3003,

  /* Performance counters extension */
  HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE = 0x4000,
  HSA_EXT_STATUS_ERROR_INVALID_SAMPLING_CONTEXT = 0x4001,
  HSA_EXT_STATUS_ERROR_CANNOT_STOP_SESSION = 0x4002,

  /* Profile events extension; performance counters use the first two as well (3.4.1.9, 3.4.1.10) */
  HSA_EXT_STATUS_ERROR_EVENTS_NOT_INITIALIZED = 0x5000,
  HSA_EXT_STATUS_ERROR_ALREADY_INITIALIZED = 0x5001,
  HSA_EXT_STATUS_ERROR_OUT_OF_EVENTS = 0x5002,
  HSA_EXT_STATUS_ERROR_EVENT_NOT_REGISTERED = 0x5003,
  HSA_EXT_STATUS_ERROR_CANNOT_USE_PRODUCERS = 0x5004,

  /* Logging extension */
  HSA_EXT_STATUS_ERROR_INVALID_LOG = 0x6000,

  /* AMD extension (hsa_ext_amd.h) */
  HSA_STATUS_ERROR_INVALID_MEMORY_POOL = 40,
  HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION = 41, /**< an address outside of its segment */
  HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION = 42,
  HSA_STATUS_ERROR_MEMORY_FAULT = 43,
  HSA_STATUS_CU_MASK_REDUCED = 44, /**< a success: some compute units of the mask stay disabled */
  HSA_STATUS_ERROR_OUT_OF_REGISTERS = 45,
  HSA_STATUS_ERROR_RESOURCE_BUSY = 46
} hsa_status_t;

/**
 * 2.1.1.1 Adds a reference to the runtime of the process, and starts it if this is the first reference. The
 * runtime is then in the configuration state until a function other than a query is called (2.1); some
 * extension functions only work in that state. A call while hsa_shut_down waits on another thread keeps the
 * runtime that is running, with all of its objects.
 * Errors: OUT_OF_RESOURCES; REFCOUNT_OVERFLOW (more than INT32_MAX references).
 */
HSA_API hsa_status_t hsa_init(void);

/**
 * 2.1.1.2 Removes a reference. After the last one has been removed, all handles, queues and allocations of
 * the runtime are invalid; hsa_init may start the runtime again. Removing the last reference waits for the
 * calls of other threads that are under way, except for waits on signals; calls that begin later return
 * NOT_INITIALIZED. Errors: ERROR (the last reference was to be removed in a callback of another call; the
 * reference stays).
 */
HSA_API hsa_status_t hsa_shut_down(void);

/**
 * 2.2.1.2 Gets a short English description of a status, including those of extensions. The string lives as
 * long as the process. Errors: INVALID_ARGUMENT (also: unknown status).
 */
HSA_API hsa_status_t hsa_status_string(hsa_status_t status, const char** status_string);

#ifdef __cplusplus
}
#endif

#endif
