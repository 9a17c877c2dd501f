/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads of textures, and reads and writes of surfaces, which are images of HSA: tex1D<T>() and kin. T is a
 * scalar or vector as the texture's elements are, or of float where its read mode makes them numbers from -1
 * or 0 to 1.
 *
 * A texture object points to the handle of an image (8 bytes) and, HIP_SAMPLER_OBJECT_OFFSET_DWORD words
 * after it, to that of a sampler. A surface object points to the handle of an image that can be written.
 * There are no mipmaps: functions for a level of detail, or with gradients, read level 0.
 */
#ifndef HIP_DEVICE_TEXTURES_H_
#define HIP_DEVICE_TEXTURES_H_

#include <hip/hip_vector_types.h>
#include <hip/surface_types.h>
#include <hip/texture_types.h>

#if defined(__HIP__) && defined(__cplusplus)

#define HIP_TEXTURE_INLINE_ __device__ static inline __attribute__((always_inline))

typedef const __attribute__((address_space(4))) void* __hip_image_handle_;
typedef float __hip_float2_ __attribute__((ext_vector_type(2)));
typedef float __hip_float3_ __attribute__((ext_vector_type(3)));
typedef float __hip_float4_ __attribute__((ext_vector_type(4)));
typedef int __hip_int4_ __attribute__((ext_vector_type(4)));
typedef unsigned __hip_uint2_ __attribute__((ext_vector_type(2)));
typedef unsigned __hip_uint3_ __attribute__((ext_vector_type(3)));
typedef unsigned __hip_uint4_ __attribute__((ext_vector_type(4)));

/* How an element is accessed, by its scalar type. */
struct __hip_access_f32_ {
  typedef __hip_float4_ vector;
};
struct __hip_access_s32_ {
  typedef __hip_int4_ vector;
};
struct __hip_access_u32_ {
  typedef __hip_uint4_ vector;
};

/* The instructions of HSAIL for one geometry: one overload for each access type. COORD are those of samplers,
 * INDEX those of elements. */
#define HIP_IMAGE_READ_(GEOMETRY, TYPE, VECTOR, COORD)                                                   \
  extern "C" __device__ __attribute__((pure)) VECTOR __hsail_rdimage_v4_##GEOMETRY##_##TYPE##_roimg_f32( \
      __hip_image_handle_, __hip_image_handle_, COORD);                                                  \
  HIP_TEXTURE_INLINE_ VECTOR __hip_sample_##GEOMETRY(__hip_access_##TYPE##_, __hip_image_handle_ image,  \
                                                     __hip_image_handle_ sampler, COORD at) {            \
    return __hsail_rdimage_v4_##GEOMETRY##_##TYPE##_roimg_f32(image, sampler, at);                       \
  }
#define HIP_IMAGE_LOAD_(GEOMETRY, TYPE, VECTOR, INDEX, KIND)                                              \
  extern "C" __device__ VECTOR __hsail_ldimage_v4_##GEOMETRY##_##TYPE##_##KIND##_u32(__hip_image_handle_, \
                                                                                     INDEX);              \
  HIP_TEXTURE_INLINE_ VECTOR __hip_load_##KIND##_##GEOMETRY(__hip_access_##TYPE##_,                       \
                                                            __hip_image_handle_ image, INDEX at) {        \
    return __hsail_ldimage_v4_##GEOMETRY##_##TYPE##_##KIND##_u32(image, at);                              \
  }
#define HIP_IMAGE_STORE_(GEOMETRY, TYPE, VECTOR, INDEX, KIND)                            \
  extern "C" __device__ void __hsail_stimage_v4_##GEOMETRY##_##TYPE##_##KIND##_u32(      \
      VECTOR, __hip_image_handle_, INDEX);                                               \
  HIP_TEXTURE_INLINE_ void __hip_store_##GEOMETRY(__hip_access_##TYPE##_, VECTOR value,  \
                                                  __hip_image_handle_ image, INDEX at) { \
    __hsail_stimage_v4_##GEOMETRY##_##TYPE##_##KIND##_u32(value, image, at);             \
  }
#define HIP_IMAGE_TYPES_(DEFINE, GEOMETRY, ...)     \
  DEFINE(GEOMETRY, f32, __hip_float4_, __VA_ARGS__) \
  DEFINE(GEOMETRY, s32, __hip_int4_, __VA_ARGS__)   \
  DEFINE(GEOMETRY, u32, __hip_uint4_, __VA_ARGS__)
#define HIP_IMAGE_GEOMETRY_(GEOMETRY, COORD, INDEX)         \
  HIP_IMAGE_TYPES_(HIP_IMAGE_READ_, GEOMETRY, COORD)        \
  HIP_IMAGE_TYPES_(HIP_IMAGE_LOAD_, GEOMETRY, INDEX, rwimg) \
  HIP_IMAGE_TYPES_(HIP_IMAGE_STORE_, GEOMETRY, INDEX, rwimg)

HIP_IMAGE_GEOMETRY_(1d, float, unsigned)
HIP_IMAGE_GEOMETRY_(2d, __hip_float2_, __hip_uint2_)
HIP_IMAGE_GEOMETRY_(3d, __hip_float3_, __hip_uint3_)
HIP_IMAGE_GEOMETRY_(1da, __hip_float2_, __hip_uint2_)
HIP_IMAGE_GEOMETRY_(2da, __hip_float3_, __hip_uint3_)
HIP_IMAGE_TYPES_(HIP_IMAGE_LOAD_, 1db, unsigned, roimg)

#undef HIP_IMAGE_GEOMETRY_
#undef HIP_IMAGE_TYPES_
#undef HIP_IMAGE_READ_
#undef HIP_IMAGE_LOAD_
#undef HIP_IMAGE_STORE_

extern "C" __device__
    __attribute__((const)) unsigned __hsail_queryimage_1db_width_u32_roimg(__hip_image_handle_);

/* What a type of texel is made of: its access, and how it becomes four channels and is made of them. */
template <typename T>
struct __hip_texel_ {
  typedef typename std::conditional<std::is_floating_point<T>::value, __hip_access_f32_,
                                    typename std::conditional<std::is_signed<T>::value, __hip_access_s32_,
                                                              __hip_access_u32_>::type>::type access;
  typedef typename access::vector vector;
  HIP_TEXTURE_INLINE_ T of(vector v) { return static_cast<T>(v.x); }
  HIP_TEXTURE_INLINE_ vector channels(T x) {
    vector v = {};
    v.x = x;
    return v;
  }
};
template <typename E>
struct __hip_texel_<HIP_vector_type<E, 1>> : __hip_texel_<E> {
  typedef typename __hip_texel_<E>::vector vector;
  HIP_TEXTURE_INLINE_ HIP_vector_type<E, 1> of(vector v) {
    return HIP_vector_type<E, 1>(static_cast<E>(v.x));
  }
  HIP_TEXTURE_INLINE_ vector channels(HIP_vector_type<E, 1> x) { return __hip_texel_<E>::channels(x.x); }
};
template <typename E>
struct __hip_texel_<HIP_vector_type<E, 2>> : __hip_texel_<E> {
  typedef typename __hip_texel_<E>::vector vector;
  HIP_TEXTURE_INLINE_ HIP_vector_type<E, 2> of(vector v) {
    return HIP_vector_type<E, 2>(static_cast<E>(v.x), static_cast<E>(v.y));
  }
  HIP_TEXTURE_INLINE_ vector channels(HIP_vector_type<E, 2> x) {
    vector v = {};
    v.x = x.x;
    v.y = x.y;
    return v;
  }
};
template <typename E>
struct __hip_texel_<HIP_vector_type<E, 4>> : __hip_texel_<E> {
  typedef typename __hip_texel_<E>::vector vector;
  HIP_TEXTURE_INLINE_ HIP_vector_type<E, 4> of(vector v) {
    return HIP_vector_type<E, 4>(static_cast<E>(v.x), static_cast<E>(v.y), static_cast<E>(v.z),
                                 static_cast<E>(v.w));
  }
  HIP_TEXTURE_INLINE_ vector channels(HIP_vector_type<E, 4> x) {
    vector v;
    v.x = x.x;
    v.y = x.y;
    v.z = x.z;
    v.w = x.w;
    return v;
  }
};

/* The handles behind an object. Objects do not change while a kernel runs. */
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_(const void* object) {
  return *static_cast<const __hip_image_handle_*>(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_sampler_of_(const void* object) {
  return *reinterpret_cast<const __hip_image_handle_*>(static_cast<const unsigned*>(object) +
                                                       HIP_SAMPLER_OBJECT_OFFSET_DWORD);
}

/* One function that reads a texture: NAME(object, PARAMETERS) samples GEOMETRY at COORD, and the same with a
 * result behind a pointer. */
#define HIP_TEXTURE_READ_(NAME, GEOMETRY, COORD, ...)                                           \
  template <typename T>                                                                         \
  HIP_TEXTURE_INLINE_ T NAME(hipTextureObject_t object, __VA_ARGS__) {                          \
    typedef __hip_texel_<T> texel;                                                              \
    return texel::of(__hip_sample_##GEOMETRY(typename texel::access(), __hip_image_of_(object), \
                                             __hip_sampler_of_(object), COORD));                \
  }
#define HIP_COORDINATES_1D_ x
#define HIP_COORDINATES_2D_ (__hip_float2_{x, y})
#define HIP_COORDINATES_3D_ (__hip_float3_{x, y, z})
#define HIP_COORDINATES_1DA_ (__hip_float2_{x, static_cast<float>(layer)})
#define HIP_COORDINATES_2DA_ (__hip_float3_{x, y, static_cast<float>(layer)})
HIP_TEXTURE_READ_(tex1D, 1d, HIP_COORDINATES_1D_, float x)
HIP_TEXTURE_READ_(tex2D, 2d, HIP_COORDINATES_2D_, float x, float y)
HIP_TEXTURE_READ_(tex3D, 3d, HIP_COORDINATES_3D_, float x, float y, float z)
HIP_TEXTURE_READ_(tex1DLayered, 1da, HIP_COORDINATES_1DA_, float x, int layer)
HIP_TEXTURE_READ_(tex2DLayered, 2da, HIP_COORDINATES_2DA_, float x, float y, int layer)
HIP_TEXTURE_READ_(tex1DLod, 1d, HIP_COORDINATES_1D_, float x, float)
HIP_TEXTURE_READ_(tex2DLod, 2d, HIP_COORDINATES_2D_, float x, float y, float)
HIP_TEXTURE_READ_(tex3DLod, 3d, HIP_COORDINATES_3D_, float x, float y, float z, float)
HIP_TEXTURE_READ_(tex1DLayeredLod, 1da, HIP_COORDINATES_1DA_, float x, int layer, float)
HIP_TEXTURE_READ_(tex2DLayeredLod, 2da, HIP_COORDINATES_2DA_, float x, float y, int layer, float)
HIP_TEXTURE_READ_(tex1DGrad, 1d, HIP_COORDINATES_1D_, float x, float, float)
HIP_TEXTURE_READ_(tex2DGrad, 2d, HIP_COORDINATES_2D_, float x, float y, float2, float2)
HIP_TEXTURE_READ_(tex3DGrad, 3d, HIP_COORDINATES_3D_, float x, float y, float z, float4, float4)
HIP_TEXTURE_READ_(tex1DLayeredGrad, 1da, HIP_COORDINATES_1DA_, float x, int layer, float, float)
HIP_TEXTURE_READ_(tex2DLayeredGrad, 2da, HIP_COORDINATES_2DA_, float x, float y, int layer, float2, float2)
#undef HIP_COORDINATES_1D_
#undef HIP_COORDINATES_2D_
#undef HIP_COORDINATES_3D_
#undef HIP_COORDINATES_1DA_
#undef HIP_COORDINATES_2DA_
#undef HIP_TEXTURE_READ_

/* An element of linear memory by its number; 0 outside of it. */
template <typename T>
HIP_TEXTURE_INLINE_ T tex1Dfetch(hipTextureObject_t object, int x) {
  typedef __hip_texel_<T> texel;
  const __hip_image_handle_ image = __hip_image_of_(object);
  if (static_cast<unsigned>(x) >= __hsail_queryimage_1db_width_u32_roimg(image)) {
    typename texel::vector nothing = {};
    return texel::of(nothing);
  }
  return texel::of(__hip_load_roimg_1db(typename texel::access(), image, static_cast<unsigned>(x)));
}

/* The same functions with the result behind a pointer. */
#define HIP_TEXTURE_INTO_(NAME, ARGUMENTS, ...)                                      \
  template <typename T>                                                              \
  HIP_TEXTURE_INLINE_ void NAME(T* result, hipTextureObject_t object, __VA_ARGS__) { \
    *result = NAME<T> ARGUMENTS;                                                     \
  }
HIP_TEXTURE_INTO_(tex1Dfetch, (object, x), int x)
HIP_TEXTURE_INTO_(tex1D, (object, x), float x)
HIP_TEXTURE_INTO_(tex2D, (object, x, y), float x, float y)
HIP_TEXTURE_INTO_(tex3D, (object, x, y, z), float x, float y, float z)
HIP_TEXTURE_INTO_(tex1DLayered, (object, x, layer), float x, int layer)
HIP_TEXTURE_INTO_(tex2DLayered, (object, x, y, layer), float x, float y, int layer)
HIP_TEXTURE_INTO_(tex1DLod, (object, x, level), float x, float level)
HIP_TEXTURE_INTO_(tex2DLod, (object, x, y, level), float x, float y, float level)
HIP_TEXTURE_INTO_(tex3DLod, (object, x, y, z, level), float x, float y, float z, float level)
#undef HIP_TEXTURE_INTO_

/* Surfaces. The first coordinate is in bytes, the others in elements. */
#define HIP_SURFACE_(SUFFIX, GEOMETRY, INDEX, ...)                                                        \
  template <typename T>                                                                                   \
  HIP_TEXTURE_INLINE_ void surf##SUFFIX##read(T* result, hipSurfaceObject_t object, __VA_ARGS__) {        \
    typedef __hip_texel_<T> texel;                                                                        \
    *result =                                                                                             \
        texel::of(__hip_load_rwimg_##GEOMETRY(typename texel::access(), __hip_image_of_(object), INDEX)); \
  }                                                                                                       \
  template <typename T>                                                                                   \
  HIP_TEXTURE_INLINE_ void surf##SUFFIX##write(T value, hipSurfaceObject_t object, __VA_ARGS__) {         \
    typedef __hip_texel_<T> texel;                                                                        \
    __hip_store_##GEOMETRY(typename texel::access(), texel::channels(value), __hip_image_of_(object),     \
                           INDEX);                                                                        \
  }
#define HIP_ELEMENT_ (static_cast<unsigned>(x) / static_cast<unsigned>(sizeof(T)))
HIP_SURFACE_(1D, 1d, HIP_ELEMENT_, int x)
HIP_SURFACE_(2D, 2d, (__hip_uint2_{HIP_ELEMENT_, unsigned(y)}), int x, int y)
HIP_SURFACE_(3D, 3d, (__hip_uint3_{HIP_ELEMENT_, unsigned(y), unsigned(z)}), int x, int y, int z)
HIP_SURFACE_(1DLayered, 1da, (__hip_uint2_{HIP_ELEMENT_, unsigned(layer)}), int x, int layer)
HIP_SURFACE_(2DLayered, 2da, (__hip_uint3_{HIP_ELEMENT_, unsigned(y), unsigned(layer)}), int x, int y,
             int layer)
#undef HIP_ELEMENT_
#undef HIP_SURFACE_

#undef HIP_TEXTURE_INLINE_

#endif
#endif /* HIP_DEVICE_TEXTURES_H_ */
