/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for arrays, the memory behind textures and surfaces. Extents are in elements; offsets and widths
 * of copies are in bytes, heights in rows.
 *
 * All functions may be called by any thread. What is copied in order with which stream is said in memory.h.
 */
#ifndef HIP_FUNCTIONS_ARRAYS_H_
#define HIP_FUNCTIONS_ARRAYS_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/streams.h>
#include <hip/runtime/textures.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates an array of the current device. A height of 0 makes it one of one dimension, a depth of 0 one of
 * at most two; with hipArrayLayered the depth is the number of layers. Elements have 1, 2 or 4 channels of
 * the same type. With hipArrayCubemap the width is the height, and the depth is 6, or a multiple of 6 with
 * hipArrayLayered. Errors: hipErrorInvalidValue (also for sizes that the device's images do not have);
 * hipErrorNotSupported (a device without images); hipErrorOutOfMemory.
 */
hipError_t hipMallocArray(hipArray_t* array, const hipChannelFormatDesc* desc, size_t width,
                          size_t height HIP_DEFAULT(0), unsigned int flags HIP_DEFAULT(hipArrayDefault));
hipError_t hipMalloc3DArray(hipArray_t* array, const hipChannelFormatDesc* desc, struct hipExtent extent,
                            unsigned int flags);
hipError_t hipArrayCreate(hipArray_t* array, const HIP_ARRAY_DESCRIPTOR* descriptor);
hipError_t hipArray3DCreate(hipArray_t* array, const HIP_ARRAY3D_DESCRIPTOR* descriptor);

/**
 * Waits for the array's device and frees the array; textures made of it keep their memory until they are
 * destroyed. Errors: hipErrorInvalidValue for NULL; hipErrorContextIsDestroyed if it was freed before.
 */
hipError_t hipFreeArray(hipArray_t array);
hipError_t hipArrayDestroy(hipArray_t array);

/** The name that older programs have for the handle. */
typedef hipMipmappedArray_t hipmipmappedArray;

/**
 * Arrays with levels of detail, each half as large in every dimension as the one before. There is at least
 * one level, and at most as many as lead to one element. Errors of allocation: those of hipMalloc3DArray().
 *
 * The functions for a level give a new handle with each call, for copies, textures and surfaces. A program
 * may free it with hipFreeArray(), which frees no memory; freeing the mipmapped array ends all handles of its
 * levels. Errors: hipErrorInvalidValue (no such level); hipErrorInvalidHandle (no such array).
 *
 * Freeing waits for the array's device; textures keep the memory. Errors: hipErrorInvalidValue for NULL;
 * hipErrorContextIsDestroyed if the array was freed before.
 */
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* array, const hipChannelFormatDesc* desc,
                                   struct hipExtent extent, unsigned int numLevels,
                                   unsigned int flags HIP_DEFAULT(0));
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t array);
hipError_t hipGetMipmappedArrayLevel(hipArray_t* level, hipMipmappedArray_const_t array, unsigned int number);
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* array, HIP_ARRAY3D_DESCRIPTOR* descriptor,
                                   unsigned int numLevels);
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t array);
hipError_t hipMipmappedArrayGetLevel(hipArray_t* level, hipMipmappedArray_t array, unsigned int number);

/** Tells what an array was created as. Pointers of hipArrayGetInfo() may be NULL. Error:
 * hipErrorInvalidHandle. */
hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array);
hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, struct hipExtent* extent, unsigned int* flags,
                           hipArray_t array);
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* descriptor, hipArray_t array);
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* descriptor, hipArray_t array);

/**
 * Copies rows to or from an array. hipMemcpy3D(), hipMemcpyParam2D() and hipDrvMemcpy3D() take arrays, too.
 * Errors: hipErrorInvalidHandle (no array); hipErrorInvalidValue (not inside of the array);
 * hipErrorInvalidPitchValue; hipErrorInvalidMemcpyDirection.
 */
hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t spitch,
                              size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                   size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpy2DToArray_spt(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src,
                                  size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArray(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                size_t hOffset, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t width, size_t height, hipMemcpyKind kind,
                                     hipStream_t stream HIP_DEFAULT(0));
hipError_t hipMemcpy2DFromArray_spt(void* dst, size_t dpitch, hipArray_const_t src, size_t wOffset,
                                    size_t hOffset, size_t width, size_t height, hipMemcpyKind kind);

/** Copies bytes from a place in an array on, row after row. Errors: hipErrorInvalidValue;
 * hipErrorInvalidMemcpyDirection. */
hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
                            hipMemcpyKind kind);
hipError_t hipMemcpyFromArray(void* dst, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                              hipMemcpyKind kind);
hipError_t hipMemcpyHtoA(hipArray_t dst, size_t dstOffset, const void* src, size_t count);
hipError_t hipMemcpyAtoH(void* dst, hipArray_t src, size_t srcOffset, size_t count);
hipError_t hipMemcpyHtoAAsync(hipArray_t dst, size_t dstOffset, const void* src, size_t count,
                              hipStream_t stream);
hipError_t hipMemcpyAtoHAsync(void* dst, hipArray_t src, size_t srcOffset, size_t count, hipStream_t stream);
hipError_t hipMemcpyDtoA(hipArray_t dst, size_t dstOffset, hipDeviceptr_t src, size_t count);
hipError_t hipMemcpyAtoD(hipDeviceptr_t dst, hipArray_t src, size_t srcOffset, size_t count);
hipError_t hipMemcpyAtoA(hipArray_t dst, size_t dstOffset, hipArray_t src, size_t srcOffset, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_ARRAYS_H_ */
