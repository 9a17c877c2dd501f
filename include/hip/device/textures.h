/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Reads of textures, and reads and writes of surfaces, which are images of HSA: tex1D<T>() and kin. T is a
 * scalar or vector as the texture's elements are, or of float where its read mode makes them numbers from -1
 * or 0 to 1.
 *
 * A texture object points to the handle of an image (8 bytes), followed by that of one for reads of one
 * dimension, and, HIP_SAMPLER_OBJECT_OFFSET_DWORD words after its beginning, to that of a sampler. Without a
 * sampler, the device library finds out which elements are read, and so it does for levels of detail,
 * gradients, cubes and tex2Dgather(). A surface object points to the handle of an image that can be written.
 *
 * tex1D() and kin read the first level of detail. Where a texture has one level alone, functions for a level
 * of detail, or with gradients, read that. Faces of cubes are filtered without their neighbours.
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

typedef const __attribute__((address_space(4))) unsigned* __hip_texture_words_;

/* The handles behind an object. Objects do not change while a kernel runs. */
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_(const void* object) {
  return *static_cast<const __hip_image_handle_*>(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_1d(const void* object) {
  return static_cast<const __hip_image_handle_*>(object)[1];
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_2d(const void* object) {
  return __hip_image_of_(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_3d(const void* object) {
  return __hip_image_of_(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_1da(const void* object) {
  return __hip_image_of_(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_image_of_2da(const void* object) {
  return __hip_image_of_(object);
}
HIP_TEXTURE_INLINE_ __hip_image_handle_ __hip_sampler_of_(const void* object) {
  return *reinterpret_cast<const __hip_image_handle_*>(static_cast<const unsigned*>(object) +
                                                       HIP_SAMPLER_OBJECT_OFFSET_DWORD);
}
HIP_TEXTURE_INLINE_ __hip_texture_words_ __hip_words_of_(const void* object) {
  return (__hip_texture_words_)object;
}

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
/* What the device library reads: by rules that no sampler has, at a level of detail, and with gradients. */
#define HIP_TEXTURE_FUNCTIONS_(GEOMETRY, TYPE, VECTOR, COORD)                                               \
  extern "C" __device__                                                                                     \
      __attribute__((pure)) VECTOR __heddle_texture_rules_##GEOMETRY##_##TYPE(__hip_texture_words_, COORD); \
  extern "C" __device__ __attribute__((pure)) VECTOR __heddle_texture_level_##GEOMETRY##_##TYPE(            \
      __hip_texture_words_, COORD, float);                                                                  \
  extern "C" __device__ __attribute__((pure)) VECTOR __heddle_texture_gradients_##GEOMETRY##_##TYPE(        \
      __hip_texture_words_, COORD, __hip_float3_, __hip_float3_);                                           \
  HIP_TEXTURE_INLINE_ VECTOR __hip_read_##GEOMETRY(__hip_access_##TYPE##_ access, const void* object,       \
                                                   COORD at) {                                              \
    const __hip_image_handle_ sampler = __hip_sampler_of_(object);                                          \
    if (sampler == nullptr) return __heddle_texture_rules_##GEOMETRY##_##TYPE(__hip_words_of_(object), at); \
    return __hip_sample_##GEOMETRY(access, __hip_image_of_##GEOMETRY(object), sampler, at);                 \
  }                                                                                                         \
  HIP_TEXTURE_INLINE_ VECTOR __hip_read_##GEOMETRY(__hip_access_##TYPE##_, const void* object, COORD at,    \
                                                   float level) {                                           \
    return __heddle_texture_level_##GEOMETRY##_##TYPE(__hip_words_of_(object), at, level);                  \
  }                                                                                                         \
  HIP_TEXTURE_INLINE_ VECTOR __hip_read_##GEOMETRY(__hip_access_##TYPE##_, const void* object, COORD at,    \
                                                   __hip_float3_ dx, __hip_float3_ dy) {                    \
    return __heddle_texture_gradients_##GEOMETRY##_##TYPE(__hip_words_of_(object), at, dx, dy);             \
  }
#define HIP_TEXTURE_GATHER_(TYPE, VECTOR)                                                                 \
  extern "C" __device__ __attribute__((pure)) VECTOR __heddle_texture_gather_##TYPE(__hip_texture_words_, \
                                                                                    __hip_float2_, int);  \
  HIP_TEXTURE_INLINE_ VECTOR __hip_gather(__hip_access_##TYPE##_, const void* object, __hip_float2_ at,   \
                                          int channel) {                                                  \
    return __heddle_texture_gather_##TYPE(__hip_words_of_(object), at, channel);                          \
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
  HIP_IMAGE_TYPES_(HIP_TEXTURE_FUNCTIONS_, GEOMETRY, COORD) \
  HIP_IMAGE_TYPES_(HIP_IMAGE_LOAD_, GEOMETRY, INDEX, rwimg) \
  HIP_IMAGE_TYPES_(HIP_IMAGE_STORE_, GEOMETRY, INDEX, rwimg)

HIP_IMAGE_GEOMETRY_(1d, float, unsigned)
HIP_IMAGE_GEOMETRY_(2d, __hip_float2_, __hip_uint2_)
HIP_IMAGE_GEOMETRY_(3d, __hip_float3_, __hip_uint3_)
HIP_IMAGE_GEOMETRY_(1da, __hip_float2_, __hip_uint2_)
HIP_IMAGE_GEOMETRY_(2da, __hip_float3_, __hip_uint3_)
HIP_IMAGE_TYPES_(HIP_IMAGE_LOAD_, 1db, unsigned, roimg)
HIP_TEXTURE_GATHER_(f32, __hip_float4_)
HIP_TEXTURE_GATHER_(s32, __hip_int4_)
HIP_TEXTURE_GATHER_(u32, __hip_uint4_)

#undef HIP_IMAGE_GEOMETRY_
#undef HIP_IMAGE_TYPES_
#undef HIP_IMAGE_READ_
#undef HIP_TEXTURE_FUNCTIONS_
#undef HIP_TEXTURE_GATHER_
#undef HIP_IMAGE_LOAD_
#undef HIP_IMAGE_STORE_

extern "C" __device__
    __attribute__((const)) unsigned __hsail_queryimage_1db_width_u32_roimg(__hip_image_handle_);

/* Where a direction meets the faces of a cube in layers, and how that place changes with the direction. */
extern "C" __device__ __attribute__((const)) __hip_float3_ __heddle_cube_place(__hip_float3_, float);
extern "C" __device__
    __attribute__((const)) __hip_float3_ __heddle_cube_gradient(__hip_float3_, __hip_float3_);

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

/* One function that reads a texture: NAME(object, PARAMETERS) reads GEOMETRY at PLACE, and the same with a
 * result behind a pointer. PLACE is the coordinates, perhaps with a level of detail or two gradients. */
#define HIP_TEXTURE_READ_(NAME, GEOMETRY, PLACE, ARGUMENTS, ...)                      \
  template <typename T>                                                               \
  HIP_TEXTURE_INLINE_ T NAME(hipTextureObject_t object, __VA_ARGS__) {                \
    typedef __hip_texel_<T> texel;                                                    \
    return texel::of(__hip_read_##GEOMETRY(typename texel::access(), object, PLACE)); \
  }                                                                                   \
  template <typename T>                                                               \
  HIP_TEXTURE_INLINE_ void NAME(T* result, hipTextureObject_t object, __VA_ARGS__) {  \
    *result = NAME<T> ARGUMENTS;                                                      \
  }
#define HIP_LIST_(...) __VA_ARGS__
#define HIP_COORDINATES_1D_ x
#define HIP_COORDINATES_2D_ (__hip_float2_{x, y})
#define HIP_COORDINATES_3D_ (__hip_float3_{x, y, z})
#define HIP_COORDINATES_1DA_ (__hip_float2_{x, static_cast<float>(layer)})
#define HIP_COORDINATES_2DA_ (__hip_float3_{x, y, static_cast<float>(layer)})
#define HIP_DIRECTION_ (__hip_float3_{x, y, z})
#define HIP_COORDINATES_CUBE_ (__heddle_cube_place(HIP_DIRECTION_, 0))
#define HIP_COORDINATES_CUBES_ (__heddle_cube_place(HIP_DIRECTION_, static_cast<float>(layer)))
#define HIP_GRADIENTS_1D_ (__hip_float3_{dx, 0, 0}), (__hip_float3_{dy, 0, 0})
#define HIP_GRADIENTS_2D_ (__hip_float3_{dx.x, dx.y, 0}), (__hip_float3_{dy.x, dy.y, 0})
#define HIP_GRADIENTS_3D_ (__hip_float3_{dx.x, dx.y, dx.z}), (__hip_float3_{dy.x, dy.y, dy.z})
#define HIP_GRADIENTS_CUBE_                                                  \
  (__heddle_cube_gradient(HIP_DIRECTION_, __hip_float3_{dx.x, dx.y, dx.z})), \
      (__heddle_cube_gradient(HIP_DIRECTION_, __hip_float3_{dy.x, dy.y, dy.z}))

/* The three functions of one kind of texture: at the first level, at another one, and with gradients. */
#define HIP_TEXTURE_READS_(NAME, GEOMETRY, PLACE, GRADIENTS, DELTA, NAMES, ...)                           \
  HIP_TEXTURE_READ_(NAME, GEOMETRY, PLACE, (object, HIP_LIST_ NAMES), __VA_ARGS__)                        \
  HIP_TEXTURE_READ_(NAME##Lod, GEOMETRY, HIP_LIST_(PLACE, level), (object, HIP_LIST_ NAMES, level),       \
                    __VA_ARGS__, float level)                                                             \
  HIP_TEXTURE_READ_(NAME##Grad, GEOMETRY, HIP_LIST_(PLACE, GRADIENTS), (object, HIP_LIST_ NAMES, dx, dy), \
                    __VA_ARGS__, DELTA dx, DELTA dy)
HIP_TEXTURE_READS_(tex1D, 1d, HIP_COORDINATES_1D_, HIP_GRADIENTS_1D_, float, (x), float x)
HIP_TEXTURE_READS_(tex2D, 2d, HIP_COORDINATES_2D_, HIP_GRADIENTS_2D_, float2, (x, y), float x, float y)
HIP_TEXTURE_READS_(tex3D, 3d, HIP_COORDINATES_3D_, HIP_GRADIENTS_3D_, float4, (x, y, z), float x, float y,
                   float z)
HIP_TEXTURE_READS_(tex1DLayered, 1da, HIP_COORDINATES_1DA_, HIP_GRADIENTS_1D_, float, (x, layer), float x,
                   int layer)
HIP_TEXTURE_READS_(tex2DLayered, 2da, HIP_COORDINATES_2DA_, HIP_GRADIENTS_2D_, float2, (x, y, layer), float x,
                   float y, int layer)
HIP_TEXTURE_READS_(texCubemap, 2da, HIP_COORDINATES_CUBE_, HIP_GRADIENTS_CUBE_, float4, (x, y, z), float x,
                   float y, float z)
HIP_TEXTURE_READS_(texCubemapLayered, 2da, HIP_COORDINATES_CUBES_, HIP_GRADIENTS_CUBE_, float4,
                   (x, y, z, layer), float x, float y, float z, int layer)
#undef HIP_TEXTURE_READS_
#undef HIP_TEXTURE_READ_
#undef HIP_LIST_
#undef HIP_COORDINATES_1D_
#undef HIP_COORDINATES_2D_
#undef HIP_COORDINATES_3D_
#undef HIP_COORDINATES_1DA_
#undef HIP_COORDINATES_2DA_
#undef HIP_DIRECTION_
#undef HIP_COORDINATES_CUBE_
#undef HIP_COORDINATES_CUBES_
#undef HIP_GRADIENTS_1D_
#undef HIP_GRADIENTS_2D_
#undef HIP_GRADIENTS_3D_
#undef HIP_GRADIENTS_CUBE_

/* One channel of the four elements that a filter would read, counter-clockwise from the lower left one (rows
 * grow downwards). T is a vector of four. Channels are 0 to 3. */
template <typename T>
HIP_TEXTURE_INLINE_ T tex2Dgather(hipTextureObject_t object, float x, float y, int channel = 0) {
  typedef __hip_texel_<T> texel;
  return texel::of(__hip_gather(typename texel::access(), object, __hip_float2_{x, y}, channel));
}
template <typename T>
HIP_TEXTURE_INLINE_ void tex2Dgather(T* result, hipTextureObject_t object, float x, float y,
                                     int channel = 0) {
  *result = tex2Dgather<T>(object, x, y, channel);
}

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

template <typename T>
HIP_TEXTURE_INLINE_ void tex1Dfetch(T* result, hipTextureObject_t object, int x) {
  *result = tex1Dfetch<T>(object, x);
}

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
HIP_SURFACE_(Cubemap, 2da, (__hip_uint3_{HIP_ELEMENT_, unsigned(y), unsigned(face)}), int x, int y, int face)
HIP_SURFACE_(CubemapLayered, 2da,
             (__hip_uint3_{HIP_ELEMENT_, unsigned(y), 6 * unsigned(layer) + unsigned(face)}), int x, int y,
             int face, int layer)
#undef HIP_ELEMENT_
#undef HIP_SURFACE_

#undef HIP_TEXTURE_INLINE_

#endif
#endif /* HIP_DEVICE_TEXTURES_H_ */
