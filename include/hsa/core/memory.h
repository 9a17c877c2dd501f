// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Memory regions, allocation, copies and ownership (Runtime 2.7).
 *
 * Fine-grained memory may be used by all its agents at once, under the HSA memory model. Coarse-grained
 * memory belongs to one agent at a time, and changes hands by hsa_memory_assign_agent. Addresses are the same
 * on all agents.
 */
#ifndef HSA_CORE_MEMORY_H_
#define HSA_CORE_MEMORY_H_

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 2.7.4.1 hsa_region_t is declared in queue.h, whose soft queues need it. */

/** 2.7.4.2 The HSAIL segment that memory of a region serves. */
typedef enum {
  HSA_REGION_SEGMENT_GLOBAL = 0,
  HSA_REGION_SEGMENT_READONLY = 1,
  HSA_REGION_SEGMENT_PRIVATE = 2,
  HSA_REGION_SEGMENT_GROUP = 3,
  HSA_REGION_SEGMENT_KERNARG = 4
} hsa_region_segment_t;

/** 2.7.4.3 Kinds of global regions; a mask. */
typedef enum {
  HSA_REGION_GLOBAL_FLAG_KERNARG = 1, /**< may hold kernel arguments; then also FINE_GRAINED */
  HSA_REGION_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED = 4 /**< never together with FINE_GRAINED */
} hsa_region_global_flag_t;

/** 2.7.4.4 Attributes of a region; the comment gives the type of the value. Sizes are in bytes. */
typedef enum {
  HSA_REGION_INFO_SEGMENT = 0,      /**< hsa_region_segment_t */
  HSA_REGION_INFO_GLOBAL_FLAGS = 1, /**< uint32_t: mask of hsa_region_global_flag_t; global regions only */
  HSA_REGION_INFO_SIZE = 2,         /**< size_t */
  /** size_t: largest allocation; in group per work-group, in private per work-item (at least 256) */
  HSA_REGION_INFO_ALLOC_MAX_SIZE = 4,
  HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED = 5,   /**< bool: hsa_memory_allocate works here */
  HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE = 6,   /**< size_t: allocations are multiples of it */
  HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT = 7, /**< size_t: of allocations; a power of 2 */
  /** uint32_t: private memory of one work-group in a dispatch, at least 65536; private regions only */
  HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE = 8
} hsa_region_info_t;

/** 2.7.4.5 Queries a region. Errors: INVALID_REGION; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value);

/** 2.7.4.6 Iterates over the regions that an agent can access. Errors: INVALID_AGENT; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent,
                                               hsa_status_t (*callback)(hsa_region_t region, void* data),
                                               void* data);

/**
 * 2.7.4.7 Allocates size bytes, rounded up to the granule of the region and aligned as the region says. The
 * caller frees them with hsa_memory_free.
 * Errors: OUT_OF_RESOURCES; INVALID_REGION; INVALID_ALLOCATION (not allowed in this region, or size above
 * ALLOC_MAX_SIZE); INVALID_ARGUMENT (also: size 0).
 */
HSA_API hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr);

/** 2.7.4.8 Frees memory of hsa_memory_allocate; NULL does nothing. Any other address is undefined. */
HSA_API hsa_status_t hsa_memory_free(void* ptr);

/**
 * 2.7.4.9 Copies size bytes between buffers that do not overlap, and returns when it is done. Either may be
 * memory of the runtime or of the operating system. Coarse-grained buffers must have an owner: the copy reads
 * what the owner of src sees, and only the owner of dst sees the result.
 * Errors: INVALID_ARGUMENT (NULL).
 */
HSA_API hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size);

/**
 * Place of a buffer for hsa_memory_copy_multiple. The manual uses the type without defining it (2.7.4.10);
 * this is our definition. A handle of 0 leaves it to the runtime to find the agent.
 */
typedef struct hsa_location_s {
  hsa_agent_t agent; /**< the agent whose view of the memory is meant, or handle 0 */
  void* address;
} hsa_location_t;

/**
 * 2.7.4.10 Starts to copy size bytes from src to each of n_dsts destinations, none of which overlaps it. When
 * start_copy is seen to be 0 (acquire, system scope) the copy begins; when it is done, 1 is subtracted from
 * completion (release, system scope). The function does not wait: buffers and signals must live until then,
 * dsts need not. copy_agent_hint, which may be NULL, suggests who copies. If size is 0 there is nothing to
 * copy.
 * Errors: INVALID_ARGUMENT (an address is NULL).
 */
HSA_API hsa_status_t hsa_memory_copy_multiple(uint64_t n_dsts, size_t size, hsa_location_t* dsts,
                                              hsa_location_t src, hsa_agent_t* copy_agent_hint,
                                              hsa_signal_t start_copy, hsa_signal_t completion);

/**
 * 2.7.4.11 Makes agent the owner of a coarse-grained allocation, given by its base address, with the access
 * stated. The previous owner loses access; the address does not change. Agents may not be using the buffer
 * meanwhile. Fine-grained memory has no owner: nothing happens.
 * Errors: INVALID_AGENT; OUT_OF_RESOURCES; INVALID_ARGUMENT (also: ptr NULL).
 */
HSA_API hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t access);

/**
 * 2.7.4.12 Announces that agents will use size bytes of memory of the operating system, which makes that
 * faster. Registered intervals may not overlap. No effect on memory of hsa_memory_allocate, on an interval
 * already registered, or on NULL.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (size 0 with ptr not NULL).
 */
HSA_API hsa_status_t hsa_memory_register(void* ptr, size_t size);

/** 2.7.4.13 Takes a registration back; the interval must be the registered one. No effect on NULL. */
HSA_API hsa_status_t hsa_memory_deregister(void* ptr, size_t size);

#ifdef __cplusplus
}
#endif

#endif
