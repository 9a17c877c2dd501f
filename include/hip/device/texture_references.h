/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads of textures that are variables of the program (texture_types.h). The result has the type of the
 * elements, or with hipReadModeNormalizedFloat one of floats with as many channels.
 */
#ifndef HIP_DEVICE_TEXTURE_REFERENCES_H_
#define HIP_DEVICE_TEXTURE_REFERENCES_H_

#include <hip/device/textures.h>
#include <hip/texture_types.h>

#if defined(__HIP__) && defined(__cplusplus)

template <typename T, hipTextureReadMode mode>
struct __hip_read_ {
  typedef T type;
};
template <typename T>
struct __hip_read_<T, hipReadModeNormalizedFloat> {
  typedef float type;
};
template <typename T, unsigned N>
struct __hip_read_<HIP_vector_type<T, N>, hipReadModeNormalizedFloat> {
  typedef HIP_vector_type<float, N> type;
};

#define HIP_TEXTURE_REFERENCE_READ_(NAME, KIND, ARGUMENTS, ...)                                     \
  template <typename T, hipTextureReadMode mode>                                                    \
  __device__ static inline __attribute__((always_inline)) typename __hip_read_<T, mode>::type NAME( \
      const texture<T, KIND, mode>& reference, __VA_ARGS__) {                                       \
    const hipTextureObject_t object = reference.textureObject;                                      \
    return NAME<typename __hip_read_<T, mode>::type> ARGUMENTS;                                     \
  }
HIP_TEXTURE_REFERENCE_READ_(tex1Dfetch, hipTextureType1D, (object, x), int x)
HIP_TEXTURE_REFERENCE_READ_(tex1D, hipTextureType1D, (object, x), float x)
HIP_TEXTURE_REFERENCE_READ_(tex2D, hipTextureType2D, (object, x, y), float x, float y)
HIP_TEXTURE_REFERENCE_READ_(tex3D, hipTextureType3D, (object, x, y, z), float x, float y, float z)
HIP_TEXTURE_REFERENCE_READ_(tex1DLayered, hipTextureType1DLayered, (object, x, layer), float x, int layer)
HIP_TEXTURE_REFERENCE_READ_(tex2DLayered, hipTextureType2DLayered, (object, x, y, layer), float x, float y,
                            int layer)
HIP_TEXTURE_REFERENCE_READ_(tex1DLod, hipTextureType1D, (object, x, level), float x, float level)
HIP_TEXTURE_REFERENCE_READ_(tex2DLod, hipTextureType2D, (object, x, y, level), float x, float y, float level)
HIP_TEXTURE_REFERENCE_READ_(tex3DLod, hipTextureType3D, (object, x, y, z, level), float x, float y, float z,
                            float level)
#undef HIP_TEXTURE_REFERENCE_READ_

#endif
#endif /* HIP_DEVICE_TEXTURE_REFERENCES_H_ */
