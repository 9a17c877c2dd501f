/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Memory that several processes, or the runtime and other software, share (AMD extension). What hsa.h says
 * about errors and threads holds here too.
 */
#ifndef HSA_AMD_SHARING_H_
#define HSA_AMD_SHARING_H_

#include "../hsa.h"
#include "ipc_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a handle by which other processes can attach the allocation of len bytes that begins at ptr, which
 * must be from a memory pool. The handle is valid until the allocation is freed; memory that is attached
 * elsewhere stays there as long as it is attached. The processes must run as the same user, and see each
 * other in /proc. Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: ptr and len are not those of an
 * allocation from a pool).
 */
HSA_API hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle);

/**
 * Attaches the memory that a handle stands for, with the length that it was made with, and lets agents access
 * it: those of mapping_agents, or all if num_agents is 0. Each call gives another address, which must be
 * detached. Errors: OUT_OF_RESOURCES; INVALID_AGENT; INVALID_ARGUMENT (also: the handle is not valid, or not
 * any more; len is another one; mapping_agents is NULL although num_agents is not 0).
 */
HSA_API hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len,
                                               uint32_t num_agents, const hsa_agent_t* mapping_agents,
                                               void** mapped_ptr);

/** Detaches memory. Errors: INVALID_ARGUMENT (mapped_ptr is not the first byte of attached memory). */
HSA_API hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr);

/**
 * Gets a dma-buf of the operating system, which other drivers can import, for size bytes from ptr on, which
 * must be in one allocation from a pool of host memory. offset is where in the dma-buf they begin. The caller
 * must close dmabuf with hsa_amd_portable_close_dmabuf. Needs Linux with the device udmabuf;
 * HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED tells.
 * Errors: INVALID_ALLOCATION (the bytes are not in one allocation); INVALID_AGENT (it is not from a pool);
 * OUT_OF_RESOURCES (also: the system makes no dma-buf); INVALID_ARGUMENT (also: size is 0).
 */
HSA_API hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf,
                                                    uint64_t* offset);

/** Closes a dma-buf. Errors: RESOURCE_FREE (the system cannot close it). */
HSA_API hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf);

/**
 * Maps a buffer of other software, a dma-buf or any other file that can be mapped for reading and writing,
 * and lets agents access it. The caller keeps owning interop_handle, the file descriptor. flags must be 0.
 * The buffers that heddle maps have no metadata: metadata_size gets 0 and metadata NULL, unless they are
 * NULL. Errors: OUT_OF_RESOURCES; INVALID_AGENT; INVALID_ARGUMENT (also: num_agents is 0; the handle cannot
 * be mapped).
 */
HSA_API hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t* agents, int interop_handle,
                                                uint32_t flags, size_t* size, void** ptr,
                                                size_t* metadata_size, const void** metadata);

/** Unmaps a buffer. Errors: INVALID_ARGUMENT (ptr is not the first byte of a mapped buffer). */
HSA_API hsa_status_t hsa_amd_interop_unmap_buffer(void* ptr);

#ifdef __cplusplus
}
#endif
#endif
