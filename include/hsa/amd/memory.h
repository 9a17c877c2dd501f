/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Memory pools of the AMD extension: allocations that name the agent whose memory they take, and which agents
 * can access them. What hsa.h says about errors, threads and iterations holds here too.
 *
 * A pool is a region as one agent owns it. On heddle, all agents of the full profile can access all memory of
 * the host, whatever hsa_amd_agents_allow_access has been told.
 */
#ifndef HSA_AMD_MEMORY_H_
#define HSA_AMD_MEMORY_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pools ---- */

/** Memory that an agent owns. */
typedef struct hsa_amd_memory_pool_s {
  uint64_t handle;
} hsa_amd_memory_pool_t;

/** The segment for which a pool provides memory. */
typedef enum {
  HSA_AMD_SEGMENT_GLOBAL = 0,
  HSA_AMD_SEGMENT_READONLY = 1,
  HSA_AMD_SEGMENT_PRIVATE = 2,
  HSA_AMD_SEGMENT_GROUP = 3
} hsa_amd_segment_t;

/** Kinds of global pools; a mask. */
typedef enum hsa_amd_memory_pool_global_flag_s {
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT = 1, /**< may hold kernel arguments */
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED = 4,
  /** Fine-grained for scopes up to the agent; no pool of heddle has this. */
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8
} hsa_amd_memory_pool_global_flag_t;

/** Where a pool's memory is. */
typedef enum hsa_amd_memory_pool_location_s {
  HSA_AMD_MEMORY_POOL_LOCATION_CPU = 0,
  HSA_AMD_MEMORY_POOL_LOCATION_GPU = 1 /**< it belongs to an agent of type HSA_DEVICE_TYPE_GPU */
} hsa_amd_memory_pool_location_t;

/** Attributes of a pool; the comment gives the type of the value. Sizes are in bytes. */
typedef enum {
  HSA_AMD_MEMORY_POOL_INFO_SEGMENT = 0,                 /**< hsa_amd_segment_t */
  HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS = 1,            /**< uint32_t: mask; global pools only, otherwise 0 */
  HSA_AMD_MEMORY_POOL_INFO_SIZE = 2,                    /**< size_t */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED = 5,   /**< bool: hsa_amd_memory_pool_allocate works here */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE = 6,   /**< size_t: sizes are multiples of it */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT = 7, /**< size_t: a power of 2 */
  HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL = 15, /**< bool: every agent has access without being allowed */
  HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE = 16,    /**< size_t: of all allocations together */
  HSA_AMD_MEMORY_POOL_INFO_LOCATION = 17,          /**< hsa_amd_memory_pool_location_t */
  /** size_t: allocations of a multiple of it waste nothing and are the fastest */
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE = 18
} hsa_amd_memory_pool_info_t;

/** What an allocation is for; a mask. */
typedef enum hsa_amd_memory_pool_flag_s {
  HSA_AMD_MEMORY_POOL_STANDARD_FLAG = 0,
  HSA_AMD_MEMORY_POOL_PCIE_FLAG = 1,       /**< PCI devices write to it; of no importance on heddle */
  HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG = 2, /**< contiguous on the bus, which no pool of heddle can promise */
  HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG = 4  /**< the program writes code into it and executes it */
} hsa_amd_memory_pool_flag_t;

/** Queries a pool. Errors: INVALID_MEMORY_POOL; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                                  hsa_amd_memory_pool_info_t attribute, void* value);

/**
 * Iterates over the pools of an agent: of a host, first the one for kernel arguments, then fine-grained and
 * coarse-grained memory; of a kernel agent coarse-grained, fine-grained, then group memory.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void* data), void* data);

/**
 * Allocates size bytes, rounded up to the granule of the pool, with the alignment of the pool. flags is a
 * mask of hsa_amd_memory_pool_flag_t. The caller must free them with hsa_amd_memory_pool_free.
 * Errors: OUT_OF_RESOURCES; INVALID_MEMORY_POOL; INVALID_ALLOCATION (not allowed in this pool, more than
 * ALLOC_MAX_SIZE, or a flag that the pool cannot honour); INVALID_ARGUMENT (also: size 0; unknown flags).
 */
HSA_API hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size,
                                                  uint32_t flags, void** ptr);

/**
 * Frees memory of hsa_amd_memory_pool_allocate or hsa_memory_allocate; does nothing for NULL.
 * Errors: INVALID_ALLOCATION (anything but the first byte of an allocation).
 */
HSA_API hsa_status_t hsa_amd_memory_pool_free(void* ptr);

/* ---- access ---- */

/** How an agent gets access to the allocations of a pool. */
typedef enum {
  HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED = 0,
  HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT = 1,
  HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT = 2 /**< by hsa_amd_agents_allow_access */
} hsa_amd_memory_pool_access_t;

/** Kinds of connections between an agent and memory. */
typedef enum {
  HSA_AMD_LINK_INFO_TYPE_HYPERTRANSPORT = 0,
  HSA_AMD_LINK_INFO_TYPE_QPI = 1,
  HSA_AMD_LINK_INFO_TYPE_PCIE = 2,
  HSA_AMD_LINK_INFO_TYPE_INFINBAND = 3,
  HSA_AMD_LINK_INFO_TYPE_XGMI = 4
} hsa_amd_link_info_type_t;

/** One connection on the way from an agent to memory; 0 where something is unknown. */
typedef struct hsa_amd_memory_pool_link_info_s {
  uint32_t min_latency;   /**< ns */
  uint32_t max_latency;   /**< ns */
  uint32_t min_bandwidth; /**< MB/s */
  uint32_t max_bandwidth; /**< MB/s */
  bool atomic_support_32bit;
  bool atomic_support_64bit;
  bool coherent_support;
  hsa_amd_link_info_type_t link_type;
  uint32_t numa_distance; /**< relative to 10, the distance of memory from its own processor */
} hsa_amd_memory_pool_link_info_t;

/** Attributes of a pool as an agent sees it; the comment gives the type of the value. */
typedef enum {
  HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS = 0,        /**< hsa_amd_memory_pool_access_t */
  HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS = 1, /**< uint32_t; 0: the agent's own memory, or none */
  HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO = 2      /**< hsa_amd_memory_pool_link_info_t[NUM_LINK_HOPS] */
} hsa_amd_agent_memory_pool_info_t;

/** Queries how an agent reaches a pool. Errors: INVALID_AGENT; INVALID_MEMORY_POOL; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool,
                                                        hsa_amd_agent_memory_pool_info_t attribute,
                                                        void* value);

/**
 * Says which agents access the allocation that begins at ptr, besides the agent whose pool it is from. A call
 * replaces what the call before has said. flags must be NULL.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT (also: num_agents is 0; ptr is not the first byte of an allocation;
 * an agent can never access the pool).
 */
HSA_API hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                                 const uint32_t* flags, const void* ptr);

/**
 * Gets whether allocations of one pool can move to another. heddle moves none, except that they can stay in
 * their pool. Errors: INVALID_MEMORY_POOL; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                                     hsa_amd_memory_pool_t dst_memory_pool, bool* result);

/**
 * Moves the allocation that begins at ptr to another pool. flags must be 0. The allocation's own pool is
 * always a success. Errors: OUT_OF_RESOURCES (the allocation cannot move there); INVALID_MEMORY_POOL;
 * INVALID_ARGUMENT (also: ptr is not the first byte of an allocation).
 */
HSA_API hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool,
                                            uint32_t flags);

/**
 * Writes value to count words of 32 bits from ptr on, and returns when they are written. Does nothing if
 * count is 0. Errors: INVALID_ARGUMENT (also: ptr is not a multiple of 4); INVALID_ALLOCATION (not all words
 * are in one allocation, or in other memory that the runtime knows and can write).
 */
HSA_API hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count);

#ifdef __cplusplus
}
#endif
#endif
