/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Queues of the AMD extension: priorities, the compute units that execute a queue's work-groups, and queries.
 * The queues are those of hsa_queue_create; soft queues have none of this.
 */
#ifndef HSA_AMD_QUEUE_H_
#define HSA_AMD_QUEUE_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How important the dispatches of a queue are, compared with those of other queues of the same agent. */
typedef enum hsa_amd_queue_priority_s {
  HSA_AMD_QUEUE_PRIORITY_LOW = 0,
  HSA_AMD_QUEUE_PRIORITY_NORMAL = 1, /**< of a new queue */
  HSA_AMD_QUEUE_PRIORITY_HIGH = 2
} hsa_amd_queue_priority_t;

/**
 * Sets the priority of the dispatches that are launched from now on. Agents of heddle that execute on the
 * host give threads that become free to the dispatches with the greatest priority. Each queue makes progress
 * at any priority.
 * Errors: INVALID_QUEUE; INVALID_ARGUMENT (no such priority); HSA_STATUS_ERROR (the agent has no priorities).
 */
HSA_API hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority);

/**
 * Restricts the queue to some of its agent's compute units, for dispatches that are launched from now on: bit
 * i % 32 of cu_mask[i / 32], which has num_cu_mask_count bits, stands for unit i. Bits of units that the
 * agent lacks are ignored. num_cu_mask_count 0 means all units, and cu_mask is ignored. Units that
 * HSA_CU_MASK excludes stay disabled: the status is CU_MASK_REDUCED, a success, if the mask has one of them.
 * Errors: INVALID_QUEUE (also: NULL); INVALID_ARGUMENT (num_cu_mask_count not a multiple of 32; cu_mask NULL;
 * no unit is left); HSA_STATUS_ERROR (the agent cannot restrict queues).
 */
HSA_API hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                               const uint32_t* cu_mask);

/**
 * Gets the first num_cu_mask_count bits of the mask of units that the queue uses, of which its agent has
 * HSA_AGENT_INFO_COMPUTE_UNIT_COUNT. Errors: INVALID_QUEUE (also: NULL); INVALID_ARGUMENT (num_cu_mask_count
 * 0 or not a multiple of 32; cu_mask NULL).
 */
HSA_API hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                               uint32_t* cu_mask);

/** Attributes of queues. */
typedef enum {
  HSA_AMD_QUEUE_INFO_AGENT = 0,      /**< hsa_agent_t: the agent that processes the packets */
  HSA_AMD_QUEUE_INFO_DOORBELL_ID = 1 /**< uint64_t: the id of the queue; its doorbell has no other */
} hsa_queue_info_attribute_t;

/** Queries a queue. Errors: INVALID_QUEUE (also: NULL); INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute,
                                            void* value);

#ifdef __cplusplus
}
#endif
#endif
