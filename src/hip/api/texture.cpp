// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface objects.
#include "hip/core/texture.h"

#include "functions.h"
#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip::api {
namespace {

std::shared_ptr<Texture> find_texture(hipTextureObject_t object) {
  auto texture = object == nullptr ? nullptr : Runtime::get().textures().find(object);
  if (texture == nullptr) throw Failure(hipErrorInvalidValue, "there is no such texture");
  return texture;
}

/// Waits for work that may still use an object of the device.
void finish_work(Device& device) {
  if (device.failure() == hipSuccess) device.synchronize();
}

}  // namespace

hipError_t hipCreateTextureObject(hipTextureObject_t* pTexObject, const hipResourceDesc* pResDesc,
                                  const hipTextureDesc* pTexDesc, const hipResourceViewDesc* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) return hipErrorInvalidValue;
  Runtime& runtime = Runtime::get();
  auto texture = std::make_shared<Texture>(runtime.device(), *pResDesc, *pTexDesc, pResViewDesc);
  void* const object = texture->object();
  *pTexObject = runtime.textures().add_as(object, std::move(texture));
  return hipSuccess;
}

hipError_t hipDestroyTextureObject(hipTextureObject_t textureObject) {
  if (textureObject == nullptr) return hipSuccess;
  finish_work(find_texture(textureObject)->device());
  return Runtime::get().textures().take(textureObject) != nullptr ? hipSuccess : hipErrorInvalidValue;
}

hipError_t hipGetTextureObjectResourceDesc(hipResourceDesc* pResDesc, hipTextureObject_t textureObject) {
  if (pResDesc == nullptr) return hipErrorInvalidValue;
  *pResDesc = find_texture(textureObject)->resource();
  return hipSuccess;
}

hipError_t hipGetTextureObjectTextureDesc(hipTextureDesc* pTexDesc, hipTextureObject_t textureObject) {
  if (pTexDesc == nullptr) return hipErrorInvalidValue;
  *pTexDesc = find_texture(textureObject)->reading();
  return hipSuccess;
}

hipError_t hipGetTextureObjectResourceViewDesc(hipResourceViewDesc* pResViewDesc,
                                               hipTextureObject_t textureObject) {
  if (pResViewDesc == nullptr) return hipErrorInvalidValue;
  const auto texture = find_texture(textureObject);
  if (!texture->view()) return hipErrorInvalidValue;
  *pResViewDesc = *texture->view();
  return hipSuccess;
}

hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* pSurfObject, const hipResourceDesc* pResDesc) {
  if (pSurfObject == nullptr || pResDesc == nullptr || pResDesc->resType != hipResourceTypeArray)
    return hipErrorInvalidValue;
  auto surface = std::make_shared<Surface>(find_array(pResDesc->res.array.array, hipErrorInvalidValue));
  void* const object = surface->object();
  *pSurfObject = Runtime::get().surfaces().add_as(object, std::move(surface));
  return hipSuccess;
}

hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surfaceObject) {
  if (surfaceObject == nullptr) return hipSuccess;
  Runtime& runtime = Runtime::get();
  const auto surface = runtime.surfaces().find(surfaceObject);
  if (surface == nullptr) return hipErrorInvalidValue;
  finish_work(surface->device());
  return runtime.surfaces().take(surfaceObject) != nullptr ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace heddle::hip::api
