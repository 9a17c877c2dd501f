/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for virtual memory: a program reserves addresses, creates memory, maps the one to the other, and
 * says which devices access it there. All sizes are multiples of the granularity. All functions may be called
 * by any thread; beside the errors that are named, each returns hipErrorInvalidValue for arguments that are
 * not valid, and hipErrorOutOfMemory.
 */
#ifndef HIP_FUNCTIONS_VIRTUAL_MEMORY_H_
#define HIP_FUNCTIONS_VIRTUAL_MEMORY_H_

#include <hip/runtime/errors.h>
#include <hip/runtime/streams.h>
#include <hip/runtime/virtual_memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gets what sizes and addresses of memory with these properties are multiples of, in bytes. Error:
 * hipErrorNotSupported, as for hipMemCreate().
 */
hipError_t hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* properties,
                                          hipMemAllocationGranularity_flags option);

/**
 * Reserves addresses, from `address` on if they are free, and otherwise elsewhere, at a multiple of the
 * alignment, which is 0 or a power of 2. The caller must free them, all at once, after nothing is mapped
 * there. flags must be 0.
 */
hipError_t hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* address,
                                unsigned long long flags);
hipError_t hipMemAddressFree(void* ptr, size_t size);

/**
 * Creates memory of a device, which has no address. flags must be 0. The handle has one reference, which the
 * caller must release; the memory exists as long as there are references or it is mapped. Error:
 * hipErrorNotSupported (compression, special uses, handles of Windows, or the device cannot do it).
 */
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size,
                        const hipMemAllocationProp* properties, unsigned long long flags);
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);

/** Gets the handle of the memory that is mapped at an address, with one more reference. */
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* address);

/** Gets the properties of memory. That of another process counts as memory of the device where it was
 * imported. */
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* properties,
                                                   hipMemGenericAllocationHandle_t handle);

/**
 * Shares memory with other processes by a file descriptor (hipMemHandleTypePosixFileDescriptor), an int, to
 * which `shareable_handle` and `os_handle` point. The memory must have been created for such handles. Whoever
 * exports or receives a descriptor must close it. flags must be 0.
 */
hipError_t hipMemExportToShareableHandle(void* shareable_handle, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type, unsigned long long flags);
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* os_handle,
                                           hipMemAllocationHandleType type);

/**
 * Maps the beginning of memory to reserved addresses where nothing is mapped. offset and flags must be 0. No
 * device has access until hipMemSetAccess() is called.
 */
hipError_t hipMemMap(void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags);

/** Undoes the mappings of which a range consists, after the work of all devices; the addresses stay reserved.
 */
hipError_t hipMemUnmap(void* ptr, size_t size);

/**
 * Says which access devices have to the mappings of which a range consists; that of other devices stays as it
 * is. Copies and fills may do what any of the devices may do.
 */
hipError_t hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* descriptions, size_t count);

/** Gets the access that a device was given to the mapping that contains an address, as hipMemAccessFlags. */
hipError_t hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr);

/** Would map memory to parts of sparse arrays. Error: hipErrorNotSupported, for all good arguments. */
hipError_t hipMemMapArrayAsync(hipArrayMapInfo* list, unsigned int count, hipStream_t stream);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_VIRTUAL_MEMORY_H_ */
