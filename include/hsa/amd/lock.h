/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Memory of the operating system that agents access (AMD extension). What hsa.h says about errors and threads
 * holds here too.
 */
#ifndef HSA_AMD_LOCK_H_
#define HSA_AMD_LOCK_H_

#include "../hsa.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Lets agents access memory of the operating system, such as that of malloc, and gets the address at which
 * they do so, which is host_ptr on heddle. The memory must stay allocated until it is unlocked. A range can
 * be locked several times, and is unlocked as often. Without agents (agents NULL and num_agent 0), all agents
 * get access. On heddle the pages are not pinned: agents that execute on the host take page faults.
 * Errors: OUT_OF_RESOURCES (also: there is no memory in a part of the range); INVALID_AGENT; INVALID_ARGUMENT
 * (also: size is 0; only one of agents and num_agent is given).
 */
HSA_API hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                         void** agent_ptr);

/**
 * Does the same, with the coherence of the memory of a pool of the host. flags must be 0.
 * Errors: those of hsa_amd_memory_lock; INVALID_MEMORY_POOL (also: the pool is not one of host memory).
 */
HSA_API hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents,
                                                 int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags,
                                                 void** agent_ptr);

/** Undoes the last lock of the range that begins at host_ptr; does nothing if there is none. */
HSA_API hsa_status_t hsa_amd_memory_unlock(void* host_ptr);

#ifdef __cplusplus
}
#endif
#endif
