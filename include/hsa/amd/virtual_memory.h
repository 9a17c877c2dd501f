/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Addresses and memory apart from each other (AMD extension): a program reserves addresses, creates memory,
 * maps the one to the other, and says which agents may access it there. What hsa.h says about errors and
 * threads holds here too. All sizes, offsets and addresses are multiples of the granule of the pool, which is
 * a page.
 */
#ifndef HSA_AMD_VIRTUAL_MEMORY_H_
#define HSA_AMD_VIRTUAL_MEMORY_H_

#include "../hsa.h"
#include "memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Memory without an address. */
typedef struct hsa_amd_vmem_alloc_handle_s {
  uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

/** Whether memory may be moved. heddle keeps the type for queries only. */
typedef enum { MEMORY_TYPE_NONE = 0, MEMORY_TYPE_PINNED = 1 } hsa_amd_memory_type_t;

/** Which access an agent has. */
typedef struct hsa_amd_memory_access_desc_s {
  hsa_access_permission_t permissions;
  hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

/**
 * Reserves size addresses, from `address` on if they are free, and otherwise elsewhere. flags must be 0. The
 * caller must free them with hsa_amd_vmem_address_free. Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags);

/** Does the same at a multiple of alignment, which is 0 or a power of 2 that is not less than a page. */
HSA_API hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address,
                                                        uint64_t alignment, uint64_t flags);

/**
 * Frees addresses. Errors: INVALID_ALLOCATION (va is not the first of reserved addresses); INVALID_ARGUMENT
 * (size is not how many were reserved); RESOURCE_FREE (memory is mapped there).
 */
HSA_API hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size);

/**
 * Creates memory of a pool. flags must be 0. The handle has one reference.
 * Errors: OUT_OF_RESOURCES; INVALID_MEMORY_POOL; INVALID_ALLOCATION (not allowed in this pool, or more than
 * its ALLOC_MAX_SIZE); INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size,
                                                hsa_amd_memory_type_t type, uint64_t flags,
                                                hsa_amd_vmem_alloc_handle_t* memory_handle);

/**
 * Removes a reference. The memory exists as long as there are references or it is mapped.
 * Errors: INVALID_ALLOCATION (the handle is not valid).
 */
HSA_API hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle);

/**
 * Maps size bytes of memory, from in_offset on, to reserved addresses where nothing is mapped. flags must be
 * 0. Nobody has access until hsa_amd_vmem_set_access is called. Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset,
                                      hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags);

/**
 * Undoes a mapping as a whole; the addresses stay reserved. Errors: INVALID_ALLOCATION (no mapping begins at
 * va); INVALID_ARGUMENT (size is not that of the mapping).
 */
HSA_API hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size);

/**
 * Says which access agents have to a mapping; that of other agents stays as it is. Host and agents on the
 * host access memory through the same page tables, so that each of them can do what any of them may do.
 * Errors: OUT_OF_RESOURCES; INVALID_ALLOCATION (no mapping begins at va); INVALID_AGENT; INVALID_ARGUMENT
 * (also: size is not that of the mapping).
 */
HSA_API hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc,
                                             size_t desc_cnt);

/**
 * Gets the access that an agent was given to the mapping that contains va; NONE if it was given none.
 * Errors: INVALID_AGENT; INVALID_ALLOCATION (nothing is mapped at va); INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms,
                                             hsa_agent_t agent_handle);

/**
 * Gets a file descriptor by which another process can import the memory; it is a file in memory that the
 * program can map itself. The caller must close it. flags must be 0.
 * Errors: OUT_OF_RESOURCES; INVALID_ALLOCATION (the handle is not valid); INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle,
                                                          uint64_t flags);

/**
 * Creates a handle, with one reference, for memory that was exported, or for a dma-buf. The caller keeps
 * owning the descriptor. The memory counts as one of the host's coarse-grained pool. Errors:
 * OUT_OF_RESOURCES; INVALID_ALLOCATION (the descriptor is not one of memory); INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle);

/** Gets the handle of the memory that is mapped at addr, and adds a reference. Errors: INVALID_ALLOCATION
 * (nothing is mapped there); INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr);

/** Gets with what a handle was created. Errors: INVALID_ALLOCATION (the handle is not valid);
 * INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                                   hsa_amd_memory_pool_t* pool,
                                                                   hsa_amd_memory_type_t* type);

#ifdef __cplusplus
}
#endif
#endif
