/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Types of textures (runtime/textures.h), and texture<T, dimensions, mode>, a texture that is a variable of
 * the program: the host binds memory to it, and kernels read it by its name.
 */
#ifndef HIP_TEXTURE_TYPES_H_
#define HIP_TEXTURE_TYPES_H_

#include <hip/channel_descriptor.h>
#include <hip/host_defines.h>
#include <hip/runtime/textures.h>

#if defined(__HIP__) && defined(__cplusplus)

template <typename T, int texType = hipTextureType1D, enum hipTextureReadMode mode = hipReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  __host__ texture(int normalized_ = 0, enum hipTextureFilterMode filter = hipFilterModePoint,
                   enum hipTextureAddressMode address = hipAddressModeClamp)
      : texture(normalized_, filter, address, hipCreateChannelDesc<T>()) {}
  __host__ texture(int normalized_, enum hipTextureFilterMode filter, enum hipTextureAddressMode address,
                   struct hipChannelFormatDesc channels) {
    normalized = normalized_;
    readMode = mode;
    filterMode = filter;
    for (enum hipTextureAddressMode& one : addressMode) one = address;
    channelDesc = channels;
    sRGB = 0;
    textureObject = nullptr;
    maxAnisotropy = 0;
    mipmapFilterMode = hipFilterModePoint;
    mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
    numChannels = 0;
    format = HIP_AD_FORMAT_UNSIGNED_INT8;
  }
};

#endif
#endif /* HIP_TEXTURE_TYPES_H_ */
