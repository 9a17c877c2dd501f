// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture objects by the descriptions that belong to modules (HIP_RESOURCE_DESC and kin).
#include <algorithm>

#include "functions.h"
#include "hip/core/array.h"
#include "hip/core/channels.h"
#include "hip/core/failure.h"
#include "hip/core/mipmapped_array.h"

namespace heddle::hip::api {
namespace {

hipResourceDesc resource_of(const HIP_RESOURCE_DESC& d) {
  hipResourceDesc resource{};
  resource.resType = static_cast<hipResourceType>(d.resType);
  if (d.resType == HIP_RESOURCE_TYPE_ARRAY) {
    resource.res.array.array = d.res.array.hArray;
  } else if (d.resType == HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    resource.res.mipmap.mipmap = d.res.mipmap.hMipmappedArray;
  } else if (d.resType == HIP_RESOURCE_TYPE_LINEAR) {
    const auto& linear = d.res.linear;
    resource.res.linear = {linear.devPtr, channels_of(linear.format, linear.numChannels).descriptor(),
                           linear.sizeInBytes};
  } else if (d.resType == HIP_RESOURCE_TYPE_PITCH2D) {
    const auto& rows = d.res.pitch2D;
    resource.res.pitch2D = {rows.devPtr, channels_of(rows.format, rows.numChannels).descriptor(), rows.width,
                            rows.height, rows.pitchInBytes};
  }
  return resource;
}

HIP_RESOURCE_DESC description_of(const hipResourceDesc& resource) {
  HIP_RESOURCE_DESC d{};
  d.resType = static_cast<HIPresourcetype>(resource.resType);
  if (resource.resType == hipResourceTypeArray) {
    d.res.array.hArray = resource.res.array.array;
  } else if (resource.resType == hipResourceTypeMipmappedArray) {
    d.res.mipmap.hMipmappedArray = resource.res.mipmap.mipmap;
  } else if (resource.resType == hipResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    const Channels channels = channels_of(linear.desc);
    d.res.linear = {linear.devPtr, channels.format, channels.count, linear.sizeInBytes};
  } else {
    const auto& rows = resource.res.pitch2D;
    const Channels channels = channels_of(rows.desc);
    d.res.pitch2D = {rows.devPtr, channels.format, channels.count,
                     rows.width,  rows.height,     rows.pitchInBytes};
  }
  return d;
}

Channels channels_of_resource(const HIP_RESOURCE_DESC& d) {
  if (d.resType == HIP_RESOURCE_TYPE_LINEAR)
    return channels_of(d.res.linear.format, d.res.linear.numChannels);
  if (d.resType == HIP_RESOURCE_TYPE_PITCH2D)
    return channels_of(d.res.pitch2D.format, d.res.pitch2D.numChannels);
  if (d.resType == HIP_RESOURCE_TYPE_ARRAY)
    return find_array(d.res.array.hArray, hipErrorInvalidValue)->shape().channels;
  if (d.resType == HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY)
    return find_mipmapped_array(d.res.mipmap.hMipmappedArray, hipErrorInvalidValue)->shape().channels;
  throw Failure(hipErrorInvalidValue);
}

/// Integers are normalized unless the program forbids it; those of 32 bits never are.
hipTextureDesc reading_of(const HIP_TEXTURE_DESC& d, const Channels& channels) {
  hipTextureDesc reading{};
  std::ranges::transform(d.addressMode, reading.addressMode,
                         [](HIPaddress_mode mode) { return static_cast<hipTextureAddressMode>(mode); });
  reading.filterMode = static_cast<hipTextureFilterMode>(d.filterMode);
  const bool as_integer =
      (d.flags & HIP_TRSF_READ_AS_INTEGER) != 0 || !channels.normalized_image_format().has_value();
  reading.readMode = as_integer ? hipReadModeElementType : hipReadModeNormalizedFloat;
  reading.normalizedCoords = (d.flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  reading.sRGB = (d.flags & HIP_TRSF_SRGB) != 0 ? 1 : 0;
  reading.maxAnisotropy = d.maxAnisotropy;
  reading.mipmapFilterMode = static_cast<hipTextureFilterMode>(d.mipmapFilterMode);
  reading.mipmapLevelBias = d.mipmapLevelBias;
  reading.minMipmapLevelClamp = d.minMipmapLevelClamp;
  reading.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  std::ranges::copy(d.borderColor, reading.borderColor);
  return reading;
}

HIP_TEXTURE_DESC description_of(const hipTextureDesc& reading) {
  HIP_TEXTURE_DESC d{};
  std::ranges::transform(reading.addressMode, d.addressMode,
                         [](hipTextureAddressMode mode) { return static_cast<HIPaddress_mode>(mode); });
  d.filterMode = static_cast<HIPfilter_mode>(reading.filterMode);
  d.flags = (reading.readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0U) |
            (reading.normalizedCoords != 0 ? HIP_TRSF_NORMALIZED_COORDINATES : 0U) |
            (reading.sRGB != 0 ? HIP_TRSF_SRGB : 0U);
  d.maxAnisotropy = reading.maxAnisotropy;
  d.mipmapFilterMode = static_cast<HIPfilter_mode>(reading.mipmapFilterMode);
  d.mipmapLevelBias = reading.mipmapLevelBias;
  d.minMipmapLevelClamp = reading.minMipmapLevelClamp;
  d.maxMipmapLevelClamp = reading.maxMipmapLevelClamp;
  std::ranges::copy(reading.borderColor, d.borderColor);
  return d;
}

hipResourceViewDesc view_of(const HIP_RESOURCE_VIEW_DESC& d) {
  return {static_cast<hipResourceViewFormat>(d.format),
          d.width,
          d.height,
          d.depth,
          d.firstMipmapLevel,
          d.lastMipmapLevel,
          d.firstLayer,
          d.lastLayer};
}

HIP_RESOURCE_VIEW_DESC description_of(const hipResourceViewDesc& view) {
  return {static_cast<HIPresourceViewFormat>(view.format),
          view.width,
          view.height,
          view.depth,
          view.firstMipmapLevel,
          view.lastMipmapLevel,
          view.firstLayer,
          view.lastLayer,
          {}};
}

/// Asks for a description in one form and writes it in the other.
template <typename Theirs, typename Ours>
hipError_t describe(Theirs* to, hipTextureObject_t object, hipError_t (*ask)(Ours*, hipTextureObject_t)) {
  if (to == nullptr) return hipErrorInvalidValue;
  Ours description{};
  const hipError_t result = ask(&description, object);
  if (result == hipSuccess) *to = description_of(description);
  return result;
}

}  // namespace

hipError_t hipTexObjectCreate(hipTextureObject_t* pTexObject, const HIP_RESOURCE_DESC* pResDesc,
                              const HIP_TEXTURE_DESC* pTexDesc, const HIP_RESOURCE_VIEW_DESC* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) return hipErrorInvalidValue;
  const hipResourceDesc resource = resource_of(*pResDesc);
  const hipTextureDesc reading = reading_of(*pTexDesc, channels_of_resource(*pResDesc));
  const hipResourceViewDesc view = pResViewDesc != nullptr ? view_of(*pResViewDesc) : hipResourceViewDesc{};
  return hipCreateTextureObject(pTexObject, &resource, &reading, pResViewDesc != nullptr ? &view : nullptr);
}

hipError_t hipTexObjectDestroy(hipTextureObject_t texObject) { return hipDestroyTextureObject(texObject); }

hipError_t hipTexObjectGetResourceDesc(HIP_RESOURCE_DESC* pResDesc, hipTextureObject_t texObject) {
  return describe(pResDesc, texObject, hipGetTextureObjectResourceDesc);
}

hipError_t hipTexObjectGetTextureDesc(HIP_TEXTURE_DESC* pTexDesc, hipTextureObject_t texObject) {
  return describe(pTexDesc, texObject, hipGetTextureObjectTextureDesc);
}

hipError_t hipTexObjectGetResourceViewDesc(HIP_RESOURCE_VIEW_DESC* pResViewDesc,
                                           hipTextureObject_t texObject) {
  return describe(pResViewDesc, texObject, hipGetTextureObjectResourceViewDesc);
}

}  // namespace heddle::hip::api
