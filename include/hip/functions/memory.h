/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions that allocate, copy, fill and describe memory. Sizes, widths and pitches are in bytes, heights in
 * rows.
 *
 * Functions whose names end in Async start work of a stream and may return before it is done; memory of the
 * host that they use has to stay until then. The others return when the work is done, in order with the
 * default stream.
 */
#ifndef HIP_FUNCTIONS_MEMORY_H_
#define HIP_FUNCTIONS_MEMORY_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/memory.h>
#include <hip/runtime/streams.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates memory of the current device; a size of 0 gives NULL. hipFree() waits for the device and frees
 * memory of any of these functions but hipHostMalloc() and kin; NULL is allowed. Errors:
 * hipErrorInvalidValue; hipErrorOutOfMemory; hipErrorInvalidDevicePointer (not the start of an allocation).
 */
hipError_t hipMalloc(void** ptr, size_t size);
hipError_t hipExtMallocWithFlags(void** ptr, size_t size, unsigned int flags);
hipError_t hipFree(void* ptr);

/** Allocates rows whose starts are aligned: `pitch` receives how far they are apart. */
hipError_t hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height);
hipError_t hipMemAllocPitch(hipDeviceptr_t* ptr, size_t* pitch, size_t width, size_t height,
                            unsigned int elementSize);
hipError_t hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent);

/** Allocates memory that host and all devices access at one address. `flags` is one of hipMemAttach*. */
hipError_t hipMallocManaged(void** ptr, size_t size, unsigned int flags HIP_DEFAULT(hipMemAttachGlobal));

/** Moves a range of managed memory to a device, says how it is used, and tells what was said. What is said
 * holds for all of each page (sysconf(_SC_PAGESIZE) bytes) that the range touches, as far as the allocation
 * reaches. */
hipError_t hipMemPrefetchAsync(const void* ptr, size_t count, int device, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemAdvise(const void* ptr, size_t count, hipMemoryAdvise advice, int device);
hipError_t hipMemRangeGetAttribute(void* data, size_t dataSize, hipMemRangeAttribute attribute,
                                   const void* ptr, size_t count);
hipError_t hipMemRangeGetAttributes(void** data, size_t* dataSizes, hipMemRangeAttribute* attributes,
                                    size_t attributeCount, const void* ptr, size_t count);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* ptr, size_t length HIP_DEFAULT(0),
                                   unsigned int flags HIP_DEFAULT(hipMemAttachSingle));

/** Allocates memory of the host that devices access; `flags` are hipHostMalloc*. */
hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags);
hipError_t hipHostAlloc(void** ptr, size_t size, unsigned int flags);
hipError_t hipMallocHost(void** ptr, size_t size);
hipError_t hipMemAllocHost(void** ptr, size_t size);
hipError_t hipHostFree(void* ptr);
hipError_t hipFreeHost(void* ptr);

/** Lets devices access memory that the program allocated. Errors: hipErrorHostMemory{Already,Not}Registered.
 */
hipError_t hipHostRegister(void* hostPtr, size_t size, unsigned int flags);
hipError_t hipHostUnregister(void* hostPtr);

/** Tells the address that a device has for memory of the host, and the flags of such memory. */
hipError_t hipHostGetDevicePointer(void** devPtr, void* hostPtr, unsigned int flags);
hipError_t hipHostGetFlags(unsigned int* flags, void* hostPtr);

/** Tells what an address belongs to. Error: hipErrorInvalidValue for one that HIP does not know. */
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr);
hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute attribute, hipDeviceptr_t ptr);
hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t ptr);
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t ptr);
hipError_t hipMemPtrGetInfo(void* ptr, size_t* size);

/** Tells how many bytes of the current device are free, and how many there are. Either may be null. */
hipError_t hipMemGetInfo(size_t* free, size_t* total);

/**
 * Copies bytes. hipMemcpyDefault finds out where both ends are; the other kinds must be right.
 * Errors: hipErrorInvalidValue; hipErrorInvalidMemcpyDirection; hipErrorInvalidDevicePointer.
 */
hipError_t hipMemcpy(void* dst, const void* src, size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* dst, const void* src, size_t size, hipMemcpyKind kind,
                          hipStream_t stream HIP_DEFAULT(0));
/** Copies in order with a stream and waits for it. */
hipError_t hipMemcpyWithStream(void* dst, const void* src, size_t size, hipMemcpyKind kind,
                               hipStream_t stream);
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void* src, size_t size);
hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void* src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void* dst, hipDeviceptr_t src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size, hipStream_t stream);

/** Copies from one device to another. */
hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t size);
hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, int srcDeviceId, size_t size,
                              hipStream_t stream HIP_DEFAULT(0));

/** Copies `height` rows of `width` bytes. Error: hipErrorInvalidPitchValue for a pitch below the width. */
hipError_t hipMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT(0));

/**
 * Copies rows as a description says. Without a pitch, rows follow each other. Errors: hipErrorInvalidValue,
 * also for another pitch that is below the width, and for memory of the program that is described as that of
 * a device; hipErrorInvalidHandle for what is no array.
 */
hipError_t hipMemcpyParam2D(const hip_Memcpy2D* copy);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* copy, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* copy);

/**
 * Copies a block of rows in planes. Errors: hipErrorInvalidPitchValue for a pitch below the width;
 * hipErrorInvalidValue, also for a position from which the width goes beyond the pitch.
 */
hipError_t hipMemcpy3D(const hipMemcpy3DParms* copy);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* copy, hipStream_t stream HIP_DEFAULT(0));
/** Copy several planes, of which each is described as for hipMemcpyParam2D(). A source or destination without
   a height has planes of the height of the copy. */
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D* copy);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D* copy, hipStream_t stream);

/** Copies to or from a variable of the device, which `symbol` is the host's name for, from `offset` on. */
hipError_t hipMemcpyToSymbol(const void* symbol, const void* src, size_t size, size_t offset HIP_DEFAULT(0),
                             hipMemcpyKind kind HIP_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* src, size_t size, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void* dst, const void* symbol, size_t size, size_t offset HIP_DEFAULT(0),
                               hipMemcpyKind kind HIP_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream HIP_DEFAULT(0));

/** Tells where such a variable is in the memory of the current device, and how large. Error:
 * hipErrorInvalidSymbol. */
hipError_t hipGetSymbolAddress(void** devPtr, const void* symbol);
hipError_t hipGetSymbolSize(size_t* size, const void* symbol);

/**
 * Fills memory: with a byte, or with `count` values of 8, 16 or 32 bits. Error: hipErrorInvalidValue, also
 * for memory of the program that is not registered, and for a pitch below the width.
 */
hipError_t hipMemset(void* dst, int value, size_t size);
hipError_t hipMemsetAsync(void* dst, int value, size_t size, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count,
                            hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count,
                             hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemset2D(void* dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void* dst, size_t pitch, int value, size_t width, size_t height,
                            hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent,
                            hipStream_t stream HIP_DEFAULT(0));

/** Gives memory of a device to another process, which opens the handle and closes the address that it gets.
 */
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* devPtr);
hipError_t hipIpcOpenMemHandle(void** devPtr, hipIpcMemHandle_t handle, unsigned int flags);
hipError_t hipIpcCloseMemHandle(void* devPtr);

/** The same functions for the default stream of each thread; -fgpu-default-stream=per-thread selects them. */
hipError_t hipMemcpy_spt(void* dst, const void* src, size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyAsync_spt(void* dst, const void* src, size_t size, hipMemcpyKind kind,
                              hipStream_t stream);
hipError_t hipMemcpy2D_spt(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                           size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* copy);
hipError_t hipMemcpyToSymbol_spt(const void* symbol, const void* src, size_t size, size_t offset,
                                 hipMemcpyKind kind);
hipError_t hipMemcpyFromSymbol_spt(void* dst, const void* symbol, size_t size, size_t offset,
                                   hipMemcpyKind kind);
hipError_t hipMemset_spt(void* dst, int value, size_t size);
hipError_t hipMemset2D_spt(void* dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset3D_spt(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_MEMORY_H_ */
