// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays with levels of detail: how they are made and freed.
#include "hip/core/mipmapped_array.h"

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

hipError_t create(hipMipmappedArray_t* handle, const ArrayShape& shape, unsigned levels) {
  Runtime& runtime = Runtime::get();
  *handle = runtime.mipmapped_arrays().add(std::make_shared<MipmappedArray>(runtime.device(), shape, levels));
  return hipSuccess;
}

hipError_t destroy(hipMipmappedArray_t handle) {
  if (handle == nullptr) return hipErrorInvalidValue;
  const auto array = find_mipmapped_array(handle, hipErrorContextIsDestroyed);
  // Work may still use the memory.
  if (array->device().failure() == hipSuccess) array->device().synchronize();
  return Runtime::get().mipmapped_arrays().take(handle) != nullptr ? hipSuccess : hipErrorContextIsDestroyed;
}

}  // namespace

hipError_t hipMallocMipmappedArray(hipMipmappedArray_t* mipmappedArray, const hipChannelFormatDesc* desc,
                                   hipExtent extent, unsigned int numLevels, unsigned int flags) {
  if (mipmappedArray == nullptr || desc == nullptr) return hipErrorInvalidValue;
  return create(mipmappedArray, {channels_of(*desc), extent, flags}, numLevels);
}

hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t* pHandle, HIP_ARRAY3D_DESCRIPTOR* pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels) {
  if (pHandle == nullptr || pMipmappedArrayDesc == nullptr) return hipErrorInvalidValue;
  const HIP_ARRAY3D_DESCRIPTOR& d = *pMipmappedArrayDesc;
  return create(pHandle, {channels_of(d.Format, d.NumChannels), {d.Width, d.Height, d.Depth}, d.Flags},
                numMipmapLevels);
}

hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmappedArray) { return destroy(mipmappedArray); }

hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t hMipmappedArray) { return destroy(hMipmappedArray); }

hipError_t hipGetMipmappedArrayLevel(hipArray_t* levelArray, hipMipmappedArray_const_t mipmappedArray,
                                     unsigned int level) {
  if (levelArray == nullptr) return hipErrorInvalidValue;
  *levelArray = find_mipmapped_array(mipmappedArray, hipErrorInvalidHandle)->handle_of_level(level);
  return hipSuccess;
}

hipError_t hipMipmappedArrayGetLevel(hipArray_t* pLevelArray, hipMipmappedArray_t hMipMappedArray,
                                     unsigned int level) {
  return hipGetMipmappedArrayLevel(pLevelArray, hMipMappedArray, level);
}

}  // namespace heddle::hip::api
