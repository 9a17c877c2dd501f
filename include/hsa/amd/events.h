/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Events that concern the whole program (AMD extension). What hsa.h says about errors and threads holds here
 * too.
 */
#ifndef HSA_AMD_EVENTS_H_
#define HSA_AMD_EVENTS_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of events. heddle reports memory faults only. */
typedef enum hsa_amd_event_type_s {
  HSA_AMD_GPU_MEMORY_FAULT_EVENT = 0, /**< a kernel accessed memory that it must not access */
  HSA_AMD_GPU_HW_EXCEPTION_EVENT = 1, /**< an agent failed */
  HSA_AMD_GPU_MEMORY_ERROR_EVENT = 2  /**< memory failed, or is needed and cannot be had */
} hsa_amd_event_type_t;

/** Why an access failed; a mask. heddle sets the first two. */
typedef enum {
  HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT = 1,  /**< there is no memory */
  HSA_AMD_MEMORY_FAULT_READ_ONLY = 2,         /**< the memory does not permit the access */
  HSA_AMD_MEMORY_FAULT_NX = 4,                /**< it must not be executed */
  HSA_AMD_MEMORY_FAULT_HOST_ONLY = 8,         /**< only the host can access it */
  HSA_AMD_MEMORY_FAULT_DRAMECC = 16,          /**< the memory is damaged */
  HSA_AMD_MEMORY_FAULT_IMPRECISE = 32,        /**< the address is not exact */
  HSA_AMD_MEMORY_FAULT_SRAMECC = 64,          /**< a cache is damaged */
  HSA_AMD_MEMORY_FAULT_HANG = -2147483647 - 1 /**< bit 31: the agent had to be reset */
} hsa_amd_memory_fault_reason_t;

/** A memory fault. */
typedef struct hsa_amd_gpu_memory_fault_info_s {
  hsa_agent_t agent;          /**< whose kernel it was */
  uint64_t virtual_address;   /**< that was accessed */
  uint32_t fault_reason_mask; /**< of hsa_amd_memory_fault_reason_t; 0: unknown */
} hsa_amd_gpu_memory_fault_info_t;

/** Why memory failed; a mask. */
typedef enum {
  HSA_AMD_MEMORY_ERROR_MEMORY_IN_USE = 1 /**< memory was freed that the agent uses */
} hsa_amd_memory_error_reason_t;

/** A memory error. */
typedef struct hsa_amd_gpu_memory_error_info_s {
  hsa_agent_t agent;
  uint64_t virtual_address;
  uint32_t error_reason_mask; /**< of hsa_amd_memory_error_reason_t */
} hsa_amd_gpu_memory_error_info_t;

/** How an agent was reset; a mask. */
typedef enum { HSA_AMD_HW_EXCEPTION_RESET_TYPE_OTHER = 1 } hsa_amd_hw_exception_reset_type_t;

/** Why an agent was reset; a mask. */
typedef enum {
  HSA_AMD_HW_EXCEPTION_CAUSE_GPU_HANG = 1,
  HSA_AMD_HW_EXCEPTION_CAUSE_ECC = 2
} hsa_amd_hw_exception_reset_cause_t;

/** The failure of an agent. */
typedef struct hsa_amd_gpu_hw_exception_info_s {
  hsa_agent_t agent;
  hsa_amd_hw_exception_reset_type_t reset_type;
  hsa_amd_hw_exception_reset_cause_t reset_cause;
} hsa_amd_gpu_hw_exception_info_t;

#if defined(__GNUC__) || defined(__clang__)
#define HSA_AMD_ANONYMOUS __extension__ /* C99 has no members without a name */
#else
#define HSA_AMD_ANONYMOUS
#endif

/** An event; the type says which member of the union is valid. */
typedef struct hsa_amd_event_s {
  hsa_amd_event_type_t event_type;
  HSA_AMD_ANONYMOUS union {
    hsa_amd_gpu_memory_fault_info_t memory_fault;
    hsa_amd_gpu_hw_exception_info_t hw_exception;
    hsa_amd_gpu_memory_error_info_t memory_error;
  };
} hsa_amd_event_t;

#undef HSA_AMD_ANONYMOUS

/** Is called for an event, which is valid during the call. heddle ignores the status that it returns. */
typedef hsa_status_t (*hsa_amd_system_event_callback_t)(const hsa_amd_event_t* event, void* data);

/**
 * Registers the function that is called for each event until hsa_shut_down. It is called on a thread of the
 * runtime, before the error callback of the queue whose kernel has failed, and may call any function of the
 * runtime except that the last hsa_shut_down returns HSA_STATUS_ERROR there, and that the queue cannot be
 * destroyed there. Errors: INVALID_ARGUMENT; HSA_STATUS_ERROR (a function is registered already).
 */
HSA_API hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                                           void* data);

#ifdef __cplusplus
}
#endif
#endif
