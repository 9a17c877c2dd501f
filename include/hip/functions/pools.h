/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for memory pools, and for allocation in the order of streams. All may be called by any thread.
 */
#ifndef HIP_FUNCTIONS_POOLS_H_
#define HIP_FUNCTIONS_POOLS_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/pools.h>
#include <hip/runtime/streams.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates memory that the work of a stream may use from now on, of the stream's device's pool or of a given
 * one; other streams use it after they have waited for the stream. A size of 0 gives NULL. In a stream that
 * is captured, a node of the graph allocates the memory (hipGraphAddMemAllocNode()). Errors:
 * hipErrorInvalidValue; hipErrorOutOfMemory.
 */
hipError_t hipMallocAsync(void** ptr, size_t size, hipStream_t stream);
hipError_t hipMallocFromPoolAsync(void** ptr, size_t size, hipMemPool_t pool, hipStream_t stream);

/**
 * Frees memory when the work that the stream has now is complete. hipFree() takes such memory, too, and this
 * function that of hipMalloc(), for which it waits. In a stream that is captured, only memory that nodes
 * allocate can be freed. Error: hipErrorInvalidValue.
 */
hipError_t hipFreeAsync(void* ptr, hipStream_t stream);

/** Tells or chooses the pool of hipMallocAsync(). Errors: hipErrorInvalidValue; hipErrorInvalidDevice (also:
 * the pool is another device's). */
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);

/**
 * Creates a pool in the memory of a device. Memory of a pool that was destroyed stays until it is freed; the
 * default pool cannot be destroyed. A pool that has reserved as much as `maxSize` says refuses further
 * allocations with hipErrorOutOfMemory. Errors: hipErrorInvalidValue; hipErrorInvalidDevice;
 * hipErrorNotSupported (handles of Windows for other processes).
 */
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);

/** Gives memory that is not used back to the device, until at most so many bytes are reserved. */
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t min_bytes_to_hold);

/** Attributes, with the types that hipMemPoolAttr says. Error: hipErrorInvalidValue. */
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);

/**
 * Lets devices access the memory of a pool, also what is allocated already. A device cannot lose access to
 * its own. Errors: hipErrorInvalidValue; hipErrorInvalidDevice; hipErrorNotSupported (access for reads
 * alone).
 */
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* descriptions, size_t count);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* location);

/**
 * Tells other processes of a pool that was created for handles of the type, which is PosixFileDescriptor. The
 * first stores a descriptor as an int, which the caller owns and passes on; the second takes it in the place
 * of the pointer. A pool of another process gives access to memory whose pointers were exported, and
 * allocates nothing. Errors: hipErrorInvalidValue; hipErrorOperatingSystem.
 */
hipError_t hipMemPoolExportToShareableHandle(void* shared_handle, hipMemPool_t pool,
                                             hipMemAllocationHandleType type, unsigned int flags);
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t* pool, void* shared_handle,
                                               hipMemAllocationHandleType type, unsigned int flags);

/**
 * Tells other processes of memory of such a pool, by its first byte. What they import has to be freed as
 * often as it was imported, by hipFree() or hipFreeAsync(), before the exporting process frees it. Errors:
 * hipErrorInvalidValue; hipErrorMapFailed.
 */
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData* data, void* ptr);
hipError_t hipMemPoolImportPointer(void** ptr, hipMemPool_t pool, hipMemPoolPtrExportData* data);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_POOLS_H_ */
