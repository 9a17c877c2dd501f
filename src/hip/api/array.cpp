// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: how they are made, described and freed.
#include "hip/core/array.h"

#include "functions.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

hipError_t create(hipArray_t* handle, const ArrayShape& shape) {
  Runtime& runtime = Runtime::get();
  *handle = runtime.arrays().add(std::make_shared<Array>(runtime.device(), shape));
  return hipSuccess;
}

hipError_t destroy(hipArray_t handle) {
  if (handle == nullptr) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  const auto array = runtime.arrays().find(handle);
  if (array == nullptr) return hipErrorContextIsDestroyed;
  // Work may still use the memory.
  if (array->device().failure() == hipSuccess) array->device().synchronize();
  return runtime.arrays().take(handle) != nullptr ? hipSuccess : hipErrorContextIsDestroyed;
}

}  // namespace

hipError_t hipMallocArray(hipArray** array, const hipChannelFormatDesc* desc, size_t width, size_t height,
                          unsigned int flags) {
  constexpr unsigned known = hipArraySurfaceLoadStore | hipArrayTextureGather;
  if (array == nullptr || desc == nullptr || (flags & ~known) != 0) return hipErrorInvalidValue;
  return create(array, {channels_of(*desc), {width, height, 0}, flags});
}

hipError_t hipMalloc3DArray(hipArray** array, const hipChannelFormatDesc* desc, hipExtent extent,
                            unsigned int flags) {
  if (array == nullptr || desc == nullptr) return hipErrorInvalidValue;
  return create(array, {channels_of(*desc), extent, flags});
}

hipError_t hipArrayCreate(hipArray** pHandle, const HIP_ARRAY_DESCRIPTOR* pAllocateArray) {
  if (pHandle == nullptr || pAllocateArray == nullptr) return hipErrorInvalidValue;
  const HIP_ARRAY_DESCRIPTOR& d = *pAllocateArray;
  return create(pHandle, {channels_of(d.Format, d.NumChannels), {d.Width, d.Height, 0}, hipArrayDefault});
}

hipError_t hipArray3DCreate(hipArray** array, const HIP_ARRAY3D_DESCRIPTOR* pAllocateArray) {
  if (array == nullptr || pAllocateArray == nullptr) return hipErrorInvalidValue;
  const HIP_ARRAY3D_DESCRIPTOR& d = *pAllocateArray;
  return create(array, {channels_of(d.Format, d.NumChannels), {d.Width, d.Height, d.Depth}, d.Flags});
}

hipError_t hipFreeArray(hipArray* array) { return destroy(array); }

hipError_t hipArrayDestroy(hipArray* array) { return destroy(array); }

hipError_t hipGetChannelDesc(hipChannelFormatDesc* desc, hipArray_const_t array) {
  if (desc == nullptr) return hipErrorInvalidValue;
  *desc = find_array(array)->shape().channels.descriptor();
  return hipSuccess;
}

hipError_t hipArrayGetInfo(hipChannelFormatDesc* desc, hipExtent* extent, unsigned int* flags,
                           hipArray* array) {
  const auto found = find_array(array);
  if (desc != nullptr) *desc = found->shape().channels.descriptor();
  if (extent != nullptr) *extent = found->shape().extent;
  if (flags != nullptr) *flags = found->shape().flags;
  return hipSuccess;
}

hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR* pArrayDescriptor, hipArray* array) {
  if (pArrayDescriptor == nullptr) return hipErrorInvalidValue;
  const ArrayShape& shape = find_array(array)->shape();
  *pArrayDescriptor = {shape.extent.width, shape.extent.height, shape.channels.format, shape.channels.count};
  return hipSuccess;
}

hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR* pArrayDescriptor, hipArray* array) {
  if (pArrayDescriptor == nullptr) return hipErrorInvalidValue;
  const ArrayShape& shape = find_array(array)->shape();
  *pArrayDescriptor = {shape.extent.width,    shape.extent.height,  shape.extent.depth,
                       shape.channels.format, shape.channels.count, shape.flags};
  return hipSuccess;
}

}  // namespace heddle::hip::api
