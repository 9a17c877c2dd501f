/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for textures that are variables of the program, with their types. Each calls the function of the
 * same name in textures.h; without a format, that of the texture's elements counts.
 */
#ifndef HIP_FUNCTIONS_TEXTURE_TEMPLATES_H_
#define HIP_FUNCTIONS_TEXTURE_TEMPLATES_H_

#if defined(__HIP__) && defined(__cplusplus) && !defined(__HIPCC_RTC__)

#include <hip/functions/textures.h>
#include <hip/texture_types.h>

template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t* offset, const texture<T, type, mode>& tex, const void* memory,
                                        size_t size = UINT32_MAX) {
  return hipBindTexture(offset, static_cast<const textureReference*>(&tex), memory, &tex.channelDesc, size);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTexture(size_t* offset, const texture<T, type, mode>& tex, const void* memory,
                                        const hipChannelFormatDesc& desc, size_t size = UINT32_MAX) {
  return hipBindTexture(offset, static_cast<const textureReference*>(&tex), memory, &desc, size);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t* offset, const texture<T, type, mode>& tex,
                                          const void* memory, size_t width, size_t height, size_t pitch) {
  return hipBindTexture2D(offset, static_cast<const textureReference*>(&tex), memory, &tex.channelDesc, width,
                          height, pitch);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTexture2D(size_t* offset, const texture<T, type, mode>& tex,
                                          const void* memory, const hipChannelFormatDesc& desc, size_t width,
                                          size_t height, size_t pitch) {
  return hipBindTexture2D(offset, static_cast<const textureReference*>(&tex), memory, &desc, width, height,
                          pitch);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(const texture<T, type, mode>& tex, hipArray_const_t array) {
  return hipBindTextureToArray(static_cast<const textureReference*>(&tex), array, nullptr);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipBindTextureToArray(const texture<T, type, mode>& tex, hipArray_const_t array,
                                               const hipChannelFormatDesc& desc) {
  return hipBindTextureToArray(static_cast<const textureReference*>(&tex), array, &desc);
}
template <typename T, int type, enum hipTextureReadMode mode>
static inline hipError_t hipUnbindTexture(const texture<T, type, mode>& tex) {
  return hipUnbindTexture(static_cast<const textureReference*>(&tex));
}

#endif
#endif /* HIP_FUNCTIONS_TEXTURE_TEMPLATES_H_ */
