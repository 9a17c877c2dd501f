/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for memory, semaphores and resources of graphics libraries. heddle has no way to them: all
 * functions return hipErrorInvalidValue for arguments that are not valid, and hipErrorNotSupported for
 * others. All may be called by any thread.
 */
#ifndef HIP_FUNCTIONS_INTEROPERATION_H_
#define HIP_FUNCTIONS_INTEROPERATION_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/interoperation.h>
#include <hip/runtime/streams.h>
#include <hip/runtime/textures.h>

#ifdef __cplusplus
extern "C" {
#endif

hipError_t hipImportExternalMemory(hipExternalMemory_t* memory, const hipExternalMemoryHandleDesc* handle);
hipError_t hipExternalMemoryGetMappedBuffer(void** ptr, hipExternalMemory_t memory,
                                            const hipExternalMemoryBufferDesc* buffer);
hipError_t hipDestroyExternalMemory(hipExternalMemory_t memory);

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t* semaphore,
                                      const hipExternalSemaphoreHandleDesc* handle);
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t* semaphores,
                                            const hipExternalSemaphoreSignalParams* parameters,
                                            unsigned int count, hipStream_t stream);
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t* semaphores,
                                          const hipExternalSemaphoreWaitParams* parameters,
                                          unsigned int count, hipStream_t stream);
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t semaphore);

hipError_t hipGLGetDevices(unsigned int* count, int* devices, unsigned int room, hipGLDeviceList list);
hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource** resource, GLuint buffer, unsigned int flags);
hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource** resource, GLuint image, GLenum target,
                                      unsigned int flags);
hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t* resources,
                                   hipStream_t stream HIP_DEFAULT(0));
hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t* array, hipGraphicsResource_t resource,
                                                unsigned int index, unsigned int level);
hipError_t hipGraphicsResourceGetMappedPointer(void** ptr, size_t* size, hipGraphicsResource_t resource);
hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t* resources,
                                     hipStream_t stream HIP_DEFAULT(0));
hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource);

#ifdef __cplusplus
}
#endif
#endif /* HIP_FUNCTIONS_INTEROPERATION_H_ */
