// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Queues (Runtime 2.5).
 *
 * A queue is a ring of 64-byte packets with two 64-bit indices that only grow; packet i is in slot i % size.
 * A producer reserves packet i by advancing the write index, waits until i < read index + size, writes the
 * packet (its header last, with release order) and stores i to the doorbell. A consumer, usually the packet
 * processor of an agent, takes packets in order and advances the read index when a slot is free again.
 */
#ifndef HSA_CORE_QUEUE_H_
#define HSA_CORE_QUEUE_H_

#include "signal.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 2.7.4.1 A region of memory; see memory.h. */
typedef struct hsa_region_s {
  uint64_t handle;
} hsa_region_t;

/** 2.5.5.1 Who may submit packets. */
typedef enum {
  HSA_QUEUE_TYPE_MULTI = 0,  /**< any number of producers */
  HSA_QUEUE_TYPE_SINGLE = 1, /**< one producer at a time, which rings the doorbell with growing values */
  /** Of AMD's extension: any number of producers, and all work-groups of a dispatch are in progress at the
   * same time, so that each may wait for any other (HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES). A grid that the
   * agent cannot hold at once puts the queue into the error state: OUT_OF_RESOURCES. */
  HSA_QUEUE_TYPE_COOPERATIVE = 2
} hsa_queue_type_t;

/** 2.5.5.2 An hsa_queue_type_t with a fixed width. */
typedef uint32_t hsa_queue_type32_t;

/** 2.5.5.3 Mask of the packets that a queue accepts besides barriers. */
typedef enum {
  HSA_QUEUE_FEATURE_KERNEL_DISPATCH = 1,
  HSA_QUEUE_FEATURE_AGENT_DISPATCH = 2
} hsa_queue_feature_t;

/**
 * 2.5.5.4 The visible part of a queue. The runtime owns it; clients only read it. 40 bytes in both models.
 */
typedef struct hsa_queue_s {
  hsa_queue_type32_t type;
  uint32_t features; /**< mask of hsa_queue_feature_t; ignore unknown bits */
#ifdef HSA_LARGE_MODEL
  void* base_address; /**< the ring of packets, 64-byte aligned; agents write packets here */
#elif defined(HSA_LITTLE_ENDIAN)
  void* base_address;
  uint32_t reserved0; /**< 0 */
#else
  uint32_t reserved0;
  void* base_address;
#endif
  hsa_signal_t doorbell_signal; /**< store the index of a new packet here; never destroy it */
  uint32_t size;                /**< packets in the ring, a power of 2 */
  uint32_t reserved1;           /**< 0 */
  uint64_t id;                  /**< unique among all queues of the process, past ones included */
} hsa_queue_t;

/**
 * 2.5.5.5 Creates a queue that the agent processes, with max(size, HSA_AGENT_INFO_QUEUE_MIN_SIZE) packets of
 * type HSA_PACKET_TYPE_INVALID and both indices 0. size is a power of 2, at most
 * HSA_AGENT_INFO_QUEUE_MAX_SIZE.
 *
 * callback, unless it is NULL, is called once on a thread of the runtime if an error puts the queue into the
 * error state. status is the reason: OUT_OF_RESOURCES, INCOMPATIBLE_ARGUMENTS (dimensions and sizes),
 * INVALID_ALLOCATION, INVALID_CODE_OBJECT, INVALID_PACKET_FORMAT, INVALID_ARGUMENT (a handle is no signal),
 * INVALID_ISA, EXCEPTION, or HSA_STATUS_ERROR (memory faults). The callback may inactivate the queue, but
 * must not destroy it.
 *
 * private_segment_size (bytes per work-item) and group_segment_size (bytes per work-group) are hints at what
 * most dispatches will need; UINT32_MAX means unknown. A dispatch that needs more is slower, but works.
 *
 * Errors: OUT_OF_RESOURCES; INVALID_AGENT; INVALID_QUEUE_CREATION (the agent has no queues of that type);
 * INVALID_ARGUMENT (also: size not a power of 2, or too large).
 */
HSA_API hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type_t type,
                                      void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data),
                                      void* data, uint32_t private_segment_size, uint32_t group_segment_size,
                                      hsa_queue_t** queue);

/**
 * 2.5.5.6 Creates a queue that the application processes, in memory of region. type, size (a power of 2) and
 * features become the members of the queue; both indices are 0 and all packets are INVALID. The application
 * still owns doorbell_signal. Region and doorbell must be accessible to all producers and consumers.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: size not a power of 2, unusable region, doorbell 0).
 */
HSA_API hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type_t type,
                                           uint32_t features, hsa_signal_t doorbell_signal,
                                           hsa_queue_t** queue);

/**
 * 2.5.5.7 Inactivates and frees a queue with its ring, and its doorbell unless the application supplied it.
 * Packets that have not completed are dropped. Waits for a running error callback, and therefore fails if it
 * is called from the queue's own callback. Errors: INVALID_QUEUE; INVALID_ARGUMENT (NULL); ERROR (called from
 * the queue's own callback); FATAL (an earlier error may have damaged the process).
 */
HSA_API hsa_status_t hsa_queue_destroy(hsa_queue_t* queue);

/**
 * 2.5.5.8 Puts a queue into the error state without a callback. No further packet starts, and running packets
 * end; their writes are visible to the caller. Afterwards the queue can only be destroyed.
 * Errors: INVALID_QUEUE; INVALID_ARGUMENT (NULL).
 */
HSA_API hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue);

/*
 * Operations on the indices. As with signals, the names end in the memory order, and the names of HSA 1.0 are
 * deprecated synonyms. They report no errors; the queue must not have been destroyed.
 */

/** 2.5.5.9, 2.5.5.10 Returns the index of the first packet whose slot is still in use. */
HSA_API uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue);
HSA_API uint64_t hsa_queue_load_read_index_relaxed(const hsa_queue_t* queue);
HSA_API uint64_t hsa_queue_load_read_index_acquire(const hsa_queue_t* queue); /**< deprecated */

/** 2.5.5.11, 2.5.5.12 Returns the index of the next packet to be reserved. */
HSA_API uint64_t hsa_queue_load_write_index_scacquire(const hsa_queue_t* queue);
HSA_API uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue);
HSA_API uint64_t hsa_queue_load_write_index_acquire(const hsa_queue_t* queue); /**< deprecated */

/** 2.5.5.13, 2.5.5.14 Sets the write index, which must not shrink. Only for the sole producer of a queue. */
HSA_API void hsa_queue_store_write_index_relaxed(const hsa_queue_t* queue, uint64_t value);
HSA_API void hsa_queue_store_write_index_screlease(const hsa_queue_t* queue, uint64_t value);
HSA_API void hsa_queue_store_write_index_release(const hsa_queue_t* queue, uint64_t value); /**< deprecated */

/**
 * 2.5.5.15 .. 2.5.5.18 Sets the write index to a larger value if it equals expected. Returns the previous
 * index.
 */
HSA_API uint64_t hsa_queue_cas_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t expected,
                                                       uint64_t value);
HSA_API uint64_t hsa_queue_cas_write_index_scacquire(const hsa_queue_t* queue, uint64_t expected,
                                                     uint64_t value);
HSA_API uint64_t hsa_queue_cas_write_index_relaxed(const hsa_queue_t* queue, uint64_t expected,
                                                   uint64_t value);
HSA_API uint64_t hsa_queue_cas_write_index_screlease(const hsa_queue_t* queue, uint64_t expected,
                                                     uint64_t value);
/* deprecated */
HSA_API uint64_t hsa_queue_cas_write_index_acq_rel(const hsa_queue_t* queue, uint64_t expected,
                                                   uint64_t value);
HSA_API uint64_t hsa_queue_cas_write_index_acquire(const hsa_queue_t* queue, uint64_t expected,
                                                   uint64_t value);
HSA_API uint64_t hsa_queue_cas_write_index_release(const hsa_queue_t* queue, uint64_t expected,
                                                   uint64_t value);

/** 2.5.5.19 .. 2.5.5.22 Reserves value packets. Returns the index of the first. */
HSA_API uint64_t hsa_queue_add_write_index_scacq_screl(const hsa_queue_t* queue, uint64_t value);
HSA_API uint64_t hsa_queue_add_write_index_scacquire(const hsa_queue_t* queue, uint64_t value);
HSA_API uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value);
HSA_API uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t value);
/* deprecated */
HSA_API uint64_t hsa_queue_add_write_index_acq_rel(const hsa_queue_t* queue, uint64_t value);
HSA_API uint64_t hsa_queue_add_write_index_acquire(const hsa_queue_t* queue, uint64_t value);
HSA_API uint64_t hsa_queue_add_write_index_release(const hsa_queue_t* queue, uint64_t value);

/** 2.5.5.23, 2.5.5.24 Sets the read index. Only for the consumer of a queue of hsa_soft_queue_create. */
HSA_API void hsa_queue_store_read_index_relaxed(const hsa_queue_t* queue, uint64_t value);
HSA_API void hsa_queue_store_read_index_screlease(const hsa_queue_t* queue, uint64_t value);
HSA_API void hsa_queue_store_read_index_release(const hsa_queue_t* queue, uint64_t value); /**< deprecated */

#ifdef __cplusplus
}
#endif

#endif
