// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of texture references. They count when something is bound next.
#include <algorithm>
#include <span>

#include "functions.h"
#include "hip/core/failure.h"

namespace heddle::hip::api {
namespace {

template <typename T>
hipError_t get(T* to, const textureReference* reference, T textureReference::* field) {
  if (to == nullptr || reference == nullptr) return hipErrorInvalidValue;
  *to = reference->*field;
  return hipSuccess;
}

template <typename T>
hipError_t set(textureReference* reference, T textureReference::* field, T value) {
  if (reference == nullptr) return hipErrorInvalidValue;
  reference->*field = value;
  return hipSuccess;
}

bool is_filter(hipTextureFilterMode mode) {
  return mode == hipFilterModePoint || mode == hipFilterModeLinear;
}

}  // namespace

hipError_t hipTexRefGetAddressMode(hipTextureAddressMode* pam, const textureReference* texRef, int dim) {
  if (pam == nullptr || texRef == nullptr || dim < 0 || dim > 2) return hipErrorInvalidValue;
  *pam = texRef->addressMode[dim];
  return hipSuccess;
}

hipError_t hipTexRefSetAddressMode(textureReference* texRef, int dim, hipTextureAddressMode am) {
  if (texRef == nullptr || dim < 0 || dim > 2 || am < hipAddressModeWrap || am > hipAddressModeBorder)
    return hipErrorInvalidValue;
  texRef->addressMode[dim] = am;
  return hipSuccess;
}

hipError_t hipTexRefGetFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return get(pfm, texRef, &textureReference::filterMode);
}

hipError_t hipTexRefSetFilterMode(textureReference* texRef, hipTextureFilterMode fm) {
  return is_filter(fm) ? set(texRef, &textureReference::filterMode, fm) : hipErrorInvalidValue;
}

hipError_t hipTexRefGetMipmapFilterMode(hipTextureFilterMode* pfm, const textureReference* texRef) {
  return get(pfm, texRef, &textureReference::mipmapFilterMode);
}

hipError_t hipTexRefSetMipmapFilterMode(textureReference* texRef, hipTextureFilterMode fm) {
  return is_filter(fm) ? set(texRef, &textureReference::mipmapFilterMode, fm) : hipErrorInvalidValue;
}

hipError_t hipTexRefGetMipmapLevelBias(float* pbias, const textureReference* texRef) {
  return get(pbias, texRef, &textureReference::mipmapLevelBias);
}

hipError_t hipTexRefSetMipmapLevelBias(textureReference* texRef, float bias) {
  return set(texRef, &textureReference::mipmapLevelBias, bias);
}

hipError_t hipTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                        const textureReference* texRef) {
  if (pminMipmapLevelClamp == nullptr || pmaxMipmapLevelClamp == nullptr || texRef == nullptr)
    return hipErrorInvalidValue;
  *pminMipmapLevelClamp = texRef->minMipmapLevelClamp;
  *pmaxMipmapLevelClamp = texRef->maxMipmapLevelClamp;
  return hipSuccess;
}

hipError_t hipTexRefSetMipmapLevelClamp(textureReference* texRef, float minMipMapLevelClamp,
                                        float maxMipMapLevelClamp) {
  if (texRef == nullptr) return hipErrorInvalidValue;
  texRef->minMipmapLevelClamp = minMipMapLevelClamp;
  texRef->maxMipmapLevelClamp = maxMipMapLevelClamp;
  return hipSuccess;
}

hipError_t hipTexRefGetMaxAnisotropy(int* pmaxAnsio, const textureReference* texRef) {
  if (pmaxAnsio == nullptr || texRef == nullptr) return hipErrorInvalidValue;
  *pmaxAnsio = static_cast<int>(texRef->maxAnisotropy);
  return hipSuccess;
}

hipError_t hipTexRefSetMaxAnisotropy(textureReference* texRef, unsigned int maxAniso) {
  return set(texRef, &textureReference::maxAnisotropy, maxAniso);
}

hipError_t hipTexRefSetBorderColor(textureReference* texRef, float* pBorderColor) {
  if (texRef == nullptr || pBorderColor == nullptr) return hipErrorInvalidValue;
  const auto is_zero = [](float channel) { return channel == 0; };
  if (!std::ranges::all_of(std::span(pBorderColor, 4), is_zero))
    throw Failure(hipErrorNotSupported, "the colour of borders is black");
  return hipSuccess;
}

hipError_t hipTexRefGetFormat(hipArray_Format* pFormat, int* pNumChannels, const textureReference* texRef) {
  if (pFormat == nullptr || pNumChannels == nullptr || texRef == nullptr) return hipErrorInvalidValue;
  *pFormat = texRef->format;
  *pNumChannels = texRef->numChannels;
  return hipSuccess;
}

hipError_t hipTexRefGetFlags(unsigned int* pFlags, const textureReference* texRef) {
  if (pFlags == nullptr || texRef == nullptr) return hipErrorInvalidValue;
  *pFlags = (texRef->readMode == hipReadModeElementType ? HIP_TRSF_READ_AS_INTEGER : 0U) |
            (texRef->normalized != 0 ? HIP_TRSF_NORMALIZED_COORDINATES : 0U) |
            (texRef->sRGB != 0 ? HIP_TRSF_SRGB : 0U);
  return hipSuccess;
}

hipError_t hipTexRefSetFlags(textureReference* texRef, unsigned int Flags) {
  constexpr unsigned known = HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES | HIP_TRSF_SRGB;
  if (texRef == nullptr || (Flags & ~known) != 0) return hipErrorInvalidValue;
  const bool as_integer = (Flags & HIP_TRSF_READ_AS_INTEGER) != 0;
  texRef->readMode = as_integer ? hipReadModeElementType : hipReadModeNormalizedFloat;
  texRef->normalized = (Flags & HIP_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  texRef->sRGB = (Flags & HIP_TRSF_SRGB) != 0 ? 1 : 0;
  return hipSuccess;
}

}  // namespace heddle::hip::api
