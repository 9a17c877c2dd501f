// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, semaphores and resources of graphics libraries: bad arguments are refused as HIP documents it, and
// good ones are not supported.
#include <algorithm>
#include <span>

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

constexpr unsigned register_flags = hipGraphicsRegisterFlagsReadOnly | hipGraphicsRegisterFlagsWriteDiscard |
                                    hipGraphicsRegisterFlagsSurfaceLoadStore |
                                    hipGraphicsRegisterFlagsTextureGather;
constexpr unsigned dedicated_memory = 1;

/// What OpenGL calls textures in two and three dimensions, rectangles, cubes, layers and render buffers.
constexpr GLenum image_targets[] = {0x0DE1, 0x806F, 0x84F5, 0x8513, 0x8C1A, 0x8D41};

/// The result for arguments that are good or not.
hipError_t refused(bool good) {
  if (!good) return hipErrorInvalidValue;
  throw Failure(hipErrorNotSupported, "there is no way to the objects of graphics libraries");
}

bool are_objects(const void* const* objects, size_t count) {
  return objects != nullptr && count != 0 &&
         std::ranges::none_of(std::span(objects, count),
                              [](const void* object) { return object == nullptr; });
}

/// Handles of Linux are descriptors, those of other systems addresses or names.
template <typename Description>
bool is_handle(const Description& description, int last_type) {
  const int type = static_cast<int>(description.type);
  if (type < 1 || type > last_type) return false;
  if (type == hipExternalMemoryHandleTypeOpaqueFd) return description.handle.fd >= 0;
  return description.handle.win32.handle != nullptr || description.handle.win32.name != nullptr;
}

hipError_t refuse_resources(int count, hipGraphicsResource_t* resources, hipStream_t stream) {
  Runtime::get().stream(stream);
  return refused(count > 0 && are_objects(reinterpret_cast<const void* const*>(resources),
                                          static_cast<size_t>(std::max(count, 0))));
}

}  // namespace

hipError_t hipImportExternalMemory(hipExternalMemory_t* extMem_out,
                                   const hipExternalMemoryHandleDesc* memHandleDesc) {
  return refused(extMem_out != nullptr && memHandleDesc != nullptr && memHandleDesc->size != 0 &&
                 (memHandleDesc->flags & ~dedicated_memory) == 0 &&
                 is_handle(*memHandleDesc, hipExternalMemoryHandleTypeD3D11ResourceKmt));
}

hipError_t hipExternalMemoryGetMappedBuffer(void** devPtr, hipExternalMemory_t extMem,
                                            const hipExternalMemoryBufferDesc* bufferDesc) {
  return refused(devPtr != nullptr && extMem != nullptr && bufferDesc != nullptr && bufferDesc->size != 0 &&
                 bufferDesc->flags == 0);
}

hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem) { return refused(extMem != nullptr); }

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t* extSem_out,
                                      const hipExternalSemaphoreHandleDesc* semHandleDesc) {
  return refused(extSem_out != nullptr && semHandleDesc != nullptr && semHandleDesc->flags == 0 &&
                 is_handle(*semHandleDesc, hipExternalSemaphoreHandleTypeD3D12Fence));
}

hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t* extSemArray,
                                            const hipExternalSemaphoreSignalParams* paramsArray,
                                            unsigned int numExtSems, hipStream_t stream) {
  Runtime::get().stream(stream);
  return refused(paramsArray != nullptr && are_objects(extSemArray, numExtSems));
}

hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t* extSemArray,
                                          const hipExternalSemaphoreWaitParams* paramsArray,
                                          unsigned int numExtSems, hipStream_t stream) {
  Runtime::get().stream(stream);
  return refused(paramsArray != nullptr && are_objects(extSemArray, numExtSems));
}

hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t extSem) { return refused(extSem != nullptr); }

hipError_t hipGLGetDevices(unsigned int* pHipDeviceCount, int* pHipDevices, unsigned int hipDeviceCount,
                           hipGLDeviceList deviceList) {
  return refused(pHipDeviceCount != nullptr && pHipDevices != nullptr && hipDeviceCount != 0 &&
                 deviceList >= hipGLDeviceListAll && deviceList <= hipGLDeviceListNextFrame);
}

hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource** resource, GLuint, unsigned int flags) {
  return refused(resource != nullptr && (flags & ~register_flags) == 0);
}

hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource** resource, GLuint, GLenum target,
                                      unsigned int flags) {
  return refused(resource != nullptr && (flags & ~register_flags) == 0 &&
                 std::ranges::find(image_targets, target) != std::end(image_targets));
}

hipError_t hipGraphicsMapResources(int count, hipGraphicsResource_t* resources, hipStream_t stream) {
  return refuse_resources(count, resources, stream);
}

hipError_t hipGraphicsUnmapResources(int count, hipGraphicsResource_t* resources, hipStream_t stream) {
  return refuse_resources(count, resources, stream);
}

hipError_t hipGraphicsSubResourceGetMappedArray(hipArray_t* array, hipGraphicsResource_t resource,
                                                unsigned int, unsigned int) {
  return refused(array != nullptr && resource != nullptr);
}

hipError_t hipGraphicsResourceGetMappedPointer(void** devPtr, size_t* size, hipGraphicsResource_t resource) {
  return refused(devPtr != nullptr && size != nullptr && resource != nullptr);
}

hipError_t hipGraphicsUnregisterResource(hipGraphicsResource_t resource) {
  return refused(resource != nullptr);
}

}  // namespace heddle::hip::api
