// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __ockl_image_*, behind the textures and surfaces of HIP's headers for AMD's devices. `i` is where the handle of an image is in memory, which is the
// beginning of a texture or surface, and `s` where that of its sampler is, which follows from `i`. Channels come as 32 bits each: a float, or the
// bits of an integer if the image holds integers, which only it knows. Surfaces have one level.

// Chooses the result for f32, s32 or u32 by the image's type of channels. HSAIL numbers signed integers from 8, unsigned ones from 11,
// and floating-point numbers that are not normalized from 14 (PRM 18.3.33).
#define BY_CHANNEL_TYPE(TYPE, F32, S32, U32) ((TYPE) >= 8 && (TYPE) < 11 ? as_float4(S32) : (TYPE) >= 11 && (TYPE) < 14 ? as_float4(U32) : (F32))

#define IMAGE_TYPE(GEOMETRY, NAME, KIND) \
  CONSTANT_IN_WORK_ITEM uint channel_type_##NAME##_##KIND(handle) INSTRUCTION(queryimage_##GEOMETRY##_channeltype_u32_##KIND);
#define IMAGE_LOAD(GEOMETRY, NAME, KIND, COORD, INDEX, AS_INDEX, SWIZZLE) \
  IMAGE_TYPE(GEOMETRY, NAME, KIND) \
  float4 load_f32_##NAME(handle, INDEX) INSTRUCTION(ldimage_v4_##GEOMETRY##_f32_##KIND##_u32); \
  int4 load_s32_##NAME(handle, INDEX) INSTRUCTION(ldimage_v4_##GEOMETRY##_s32_##KIND##_u32); \
  uint4 load_u32_##NAME(handle, INDEX) INSTRUCTION(ldimage_v4_##GEOMETRY##_u32_##KIND##_u32); \
  float4 __ockl_image_load_##NAME(constant uint* i, COORD at) { \
    const handle image = HANDLE_AT(i); \
    const INDEX index = AS_INDEX(at SWIZZLE); \
    const uint type = channel_type_##NAME##_##KIND(image); \
    return BY_CHANNEL_TYPE(type, load_f32_##NAME(image, index), load_s32_##NAME(image, index), load_u32_##NAME(image, index)); \
  } \
  float4 __ockl_image_load_lod_##NAME(constant uint* i, COORD at, int level) { return __ockl_image_load_##NAME(i, at); }
#define IMAGE_STORE(GEOMETRY, NAME, COORD, INDEX, AS_INDEX, SWIZZLE) \
  void store_f32_##NAME(float4, handle, INDEX) INSTRUCTION(stimage_v4_##GEOMETRY##_f32_rwimg_u32); \
  void store_s32_##NAME(int4, handle, INDEX) INSTRUCTION(stimage_v4_##GEOMETRY##_s32_rwimg_u32); \
  void store_u32_##NAME(uint4, handle, INDEX) INSTRUCTION(stimage_v4_##GEOMETRY##_u32_rwimg_u32); \
  void __ockl_image_store_##NAME(constant uint* i, COORD at, float4 texel) { \
    const handle image = HANDLE_AT(i); \
    const INDEX index = AS_INDEX(at SWIZZLE); \
    const uint type = channel_type_##NAME##_rwimg(image); \
    if (type >= 8 && type < 11) \
      store_s32_##NAME(as_int4(texel), image, index); \
    else if (type >= 11 && type < 14) \
      store_u32_##NAME(as_uint4(texel), image, index); \
    else \
      store_f32_##NAME(texel, image, index); \
  } \
  void __ockl_image_store_lod_##NAME(constant uint* i, COORD at, int level, float4 texel) { __ockl_image_store_##NAME(i, at, texel); }
#define BY_TYPE_OF(OBJECT, IMAGE, NAME, FUNCTION, ...) \
  const uint type = channel_type_##NAME##_roimg(HANDLE_AT((OBJECT) + (IMAGE))); \
  return BY_CHANNEL_TYPE(type, FUNCTION##_f32(__VA_ARGS__), FUNCTION##_s32(__VA_ARGS__), FUNCTION##_u32(__VA_ARGS__))
// DELTA3 makes three parts of a gradient `d`.
#define IMAGE_SAMPLE(GEOMETRY, IMAGE, NAME, COORD, SWIZZLE, DELTA, DELTA3) \
  IMAGE_TYPE(GEOMETRY, NAME, roimg) \
  static float3 delta_##NAME(DELTA d) { return DELTA3; } \
  float4 __ockl_image_sample_##NAME(constant uint* i, constant uint* s, COORD at) { \
    BY_TYPE_OF(i, IMAGE, NAME, read_##GEOMETRY, i, at SWIZZLE); \
  } \
  float4 __ockl_image_sample_lod_##NAME(constant uint* i, constant uint* s, COORD at, float level) { \
    BY_TYPE_OF(i, IMAGE, NAME, __heddle_texture_level_##GEOMETRY, i, at SWIZZLE, level); \
  } \
  float4 __ockl_image_sample_grad_##NAME(constant uint* i, constant uint* s, COORD at, DELTA dx, DELTA dy) { \
    BY_TYPE_OF(i, IMAGE, NAME, __heddle_texture_gradients_##GEOMETRY, i, at SWIZZLE, delta_##NAME(dx), delta_##NAME(dy)); \
  }
#define IMAGE_GEOMETRY(GEOMETRY, IMAGE, NAME, COORD, FLOAT_COORD, INDEX, AS_INDEX, SWIZZLE, DELTA, DELTA3) \
  IMAGE_LOAD(GEOMETRY, NAME, rwimg, COORD, INDEX, AS_INDEX, SWIZZLE) \
  IMAGE_STORE(GEOMETRY, NAME, COORD, INDEX, AS_INDEX, SWIZZLE) \
  IMAGE_SAMPLE(GEOMETRY, IMAGE, NAME, FLOAT_COORD, SWIZZLE, DELTA, DELTA3)

IMAGE_GEOMETRY(1d, IMAGE_1D_WORD, 1D, int, float, uint, as_uint, , float, (float3)(d, 0, 0))
IMAGE_GEOMETRY(2d, IMAGE_WORD, 2D, int2, float2, uint2, as_uint2, , float2, (float3)(d, 0))
IMAGE_GEOMETRY(3d, IMAGE_WORD, 3D, int4, float4, uint3, as_uint3, .xyz, float4, d.xyz)
IMAGE_GEOMETRY(1da, IMAGE_WORD, 1Da, int2, float2, uint2, as_uint2, , float, (float3)(d, 0, 0))
IMAGE_GEOMETRY(2da, IMAGE_WORD, 2Da, int4, float4, uint3, as_uint3, .xyz, float2, (float3)(d, 0))
IMAGE_LOAD(1db, 1Db, roimg, int, uint, as_uint, )

// Cubes are images in layers.
#define CUBE_SAMPLE(NAME, CUBE) \
  float4 __ockl_image_sample_##NAME(constant uint* i, constant uint* s, float4 at) { \
    BY_TYPE_OF(i, IMAGE_WORD, 2Da, read_2da, i, __heddle_cube_place(at.xyz, CUBE)); \
  } \
  float4 __ockl_image_sample_lod_##NAME(constant uint* i, constant uint* s, float4 at, float level) { \
    BY_TYPE_OF(i, IMAGE_WORD, 2Da, __heddle_texture_level_2da, i, __heddle_cube_place(at.xyz, CUBE), level); \
  } \
  float4 __ockl_image_sample_grad_##NAME(constant uint* i, constant uint* s, float4 at, float4 dx, float4 dy) { \
    BY_TYPE_OF(i, IMAGE_WORD, 2Da, __heddle_texture_gradients_2da, i, __heddle_cube_place(at.xyz, CUBE), \
               __heddle_cube_gradient(at.xyz, dx.xyz), __heddle_cube_gradient(at.xyz, dy.xyz)); \
  }
CUBE_SAMPLE(CM, 0)
CUBE_SAMPLE(CMa, at.w)
float4 __ockl_image_load_CM(constant uint* i, int2 at, int face) { return __ockl_image_load_2Da(i, (int4)(at, face, 0)); }
void __ockl_image_store_CM(constant uint* i, int2 at, int face, float4 texel) { __ockl_image_store_2Da(i, (int4)(at, face, 0), texel); }
float4 __ockl_image_load_CMa(constant uint* i, int4 at, int face) { return __ockl_image_load_2Da(i, (int4)(at.xy, 6 * at.z + face, 0)); }
void __ockl_image_store_CMa(constant uint* i, int4 at, int face, float4 texel) {
  __ockl_image_store_2Da(i, (int4)(at.xy, 6 * at.z + face, 0), texel);
}

#define GATHER_CHANNEL(LETTER, NUMBER) \
  float4 __ockl_image_gather4##LETTER##_2D(constant uint* i, constant uint* s, float2 at) { \
    BY_TYPE_OF(i, IMAGE_WORD, 2D, __heddle_texture_gather, i, at, NUMBER); \
  }
GATHER_CHANNEL(r, 0)
GATHER_CHANNEL(g, 1)
GATHER_CHANNEL(b, 2)
GATHER_CHANNEL(a, 3)

// What the channels of an image are, as OpenCL C numbers it (images.cl).
#define CHANNELS(GEOMETRY, NAME, KIND) \
  CONSTANT_IN_WORK_ITEM uint channel_order_##NAME(handle) INSTRUCTION(queryimage_##GEOMETRY##_channelorder_u32_##KIND); \
  int __ockl_image_channel_data_type_##NAME(constant uint* i) { return channel_types[channel_type_##NAME##_##KIND(HANDLE_AT(i))]; } \
  int __ockl_image_channel_order_##NAME(constant uint* i) { return channel_orders[channel_order_##NAME(HANDLE_AT(i))]; }
CHANNELS(1d, 1D, rwimg)
CHANNELS(2d, 2D, rwimg)
CHANNELS(3d, 3D, rwimg)
CHANNELS(1da, 1Da, rwimg)
CHANNELS(2da, 2Da, rwimg)
CHANNELS(1db, 1Db, roimg)
