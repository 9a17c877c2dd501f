// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Memory regions, allocation, copies and ownership (Runtime 2.7).
 *
 * Several agents may use fine-grained memory at once, under the HSA memory model. Coarse-grained memory
 * belongs to one agent at a time; hsa_memory_assign_agent changes its owner. Addresses are the same on all
 * agents.
 */
#ifndef HSA_CORE_MEMORY_H_
#define HSA_CORE_MEMORY_H_

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 2.7.4.1 hsa_region_t is declared in queue.h, whose soft queues need it. */

/** 2.7.4.2 The HSAIL segment for which a region provides memory. */
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
  /** size_t: largest allocation; for group per work-group, for private per work-item (at least 256) */
  HSA_REGION_INFO_ALLOC_MAX_SIZE = 4,
  HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED = 5,   /**< bool: hsa_memory_allocate works here */
  HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE = 6,   /**< size_t: sizes of allocations are multiples of it */
  HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT = 7, /**< size_t: alignment of allocations; a power of 2 */
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
 * 2.7.4.7 Allocates size bytes, rounded up to the granule of the region, with the alignment of the region.
 * The caller must free them with hsa_memory_free.
 * Errors: OUT_OF_RESOURCES; INVALID_REGION; INVALID_ALLOCATION (not allowed in this region, or size above
 * ALLOC_MAX_SIZE); INVALID_ARGUMENT (also: size 0).
 */
HSA_API hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr);

/**
 * 2.7.4.8 Frees memory of hsa_memory_allocate; does nothing for NULL, and is undefined for other addresses.
 */
HSA_API hsa_status_t hsa_memory_free(void* ptr);

/**
 * 2.7.4.9 Copies size bytes between buffers that do not overlap, and returns when the copy is complete. Each
 * buffer may be memory of the runtime or of the operating system. Coarse-grained buffers must have an owner:
 * the copy reads what the owner of src sees, and only the owner of dst sees the result.
 * Errors: INVALID_ARGUMENT (NULL).
 */
HSA_API hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size);

/**
 * A buffer of hsa_memory_copy_multiple. The manual uses the type without defining it (2.7.4.10), so this
 * definition is ours. If the handle of the agent is 0, the runtime finds the agent.
 */
typedef struct hsa_location_s {
  hsa_agent_t agent; /**< the agent whose view of the memory is meant, or handle 0 */
  void* address;
} hsa_location_t;

/**
 * 2.7.4.10 Starts a copy of size bytes from src to each of n_dsts destinations, none of which overlaps src.
 * The copy begins when start_copy has been observed to be 0 (acquire, system scope); when it is complete, 1
 * is subtracted from completion (release, system scope). The function does not wait: buffers and signals must
 * live until the copy is complete, but dsts need not. copy_agent_hint, which may be NULL, suggests an agent
 * to do the copy. If size is 0, there is nothing to copy.
 * Errors: INVALID_ARGUMENT (an address is NULL).
 */
HSA_API hsa_status_t hsa_memory_copy_multiple(uint64_t n_dsts, size_t size, hsa_location_t* dsts,
                                              hsa_location_t src, hsa_agent_t* copy_agent_hint,
                                              hsa_signal_t start_copy, hsa_signal_t completion);

/**
 * 2.7.4.11 Makes agent the owner of a coarse-grained allocation, given by its base address, with the given
 * access. The previous owner loses access; the address does not change. No agent may use the buffer during
 * the call. Does nothing for fine-grained memory, which has no owner.
 * Errors: INVALID_AGENT; OUT_OF_RESOURCES; INVALID_ARGUMENT (also: ptr NULL).
 */
HSA_API hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t access);

/**
 * 2.7.4.12 Announces that agents will use size bytes of memory of the operating system, which can make their
 * accesses faster. Registered intervals must not overlap. Has no effect for memory of hsa_memory_allocate,
 * for an interval that is registered already, and for NULL.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (size 0 with ptr not NULL).
 */
HSA_API hsa_status_t hsa_memory_register(void* ptr, size_t size);

/** 2.7.4.13 Removes the registration of exactly this interval. Has no effect for NULL. */
HSA_API hsa_status_t hsa_memory_deregister(void* ptr, size_t size);

#ifdef __cplusplus
}
#endif

#endif
