// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __ockl_image_*, behind the textures and surfaces of HIP's headers for AMD's devices. `i` is where the handle of an image is in memory, and `s`
// that of a sampler. Channels come as 32 bits each: a float, or the bits of an integer if the image holds integers, which only it knows.
// There are no mipmaps, so that levels of detail and gradients mean nothing, and no cubes.

// Handles are 64 bits that IR treats as pointers. The names of instructions are taken a second time for handles from memory.
typedef constant void* handle;
#define HANDLE_AT(address) (*(constant handle*)(address))
#define INSTRUCTION(NAME) __asm("__hsail_" #NAME)

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
#define IMAGE_SAMPLE(GEOMETRY, NAME, COORD, HSAIL_COORD, SWIZZLE, DELTA) \
  IMAGE_TYPE(GEOMETRY, NAME, roimg) \
  float4 sample_f32_##NAME(handle, handle, HSAIL_COORD) INSTRUCTION(rdimage_v4_##GEOMETRY##_f32_roimg_f32); \
  int4 sample_s32_##NAME(handle, handle, HSAIL_COORD) INSTRUCTION(rdimage_v4_##GEOMETRY##_s32_roimg_f32); \
  uint4 sample_u32_##NAME(handle, handle, HSAIL_COORD) INSTRUCTION(rdimage_v4_##GEOMETRY##_u32_roimg_f32); \
  float4 __ockl_image_sample_##NAME(constant uint* i, constant uint* s, COORD at) { \
    const handle image = HANDLE_AT(i), sampler = HANDLE_AT(s); \
    const HSAIL_COORD where = at SWIZZLE; \
    const uint type = channel_type_##NAME##_roimg(image); \
    return BY_CHANNEL_TYPE(type, sample_f32_##NAME(image, sampler, where), sample_s32_##NAME(image, sampler, where), \
                           sample_u32_##NAME(image, sampler, where)); \
  } \
  float4 __ockl_image_sample_lod_##NAME(constant uint* i, constant uint* s, COORD at, float level) { \
    return __ockl_image_sample_##NAME(i, s, at); \
  } \
  float4 __ockl_image_sample_grad_##NAME(constant uint* i, constant uint* s, COORD at, DELTA dx, DELTA dy) { \
    return __ockl_image_sample_##NAME(i, s, at); \
  }
#define IMAGE_GEOMETRY(GEOMETRY, NAME, COORD, FLOAT_COORD, INDEX, AS_INDEX, HSAIL_COORD, SWIZZLE, DELTA) \
  IMAGE_LOAD(GEOMETRY, NAME, rwimg, COORD, INDEX, AS_INDEX, SWIZZLE) \
  IMAGE_STORE(GEOMETRY, NAME, COORD, INDEX, AS_INDEX, SWIZZLE) \
  IMAGE_SAMPLE(GEOMETRY, NAME, FLOAT_COORD, HSAIL_COORD, SWIZZLE, DELTA)

IMAGE_GEOMETRY(1d, 1D, int, float, uint, as_uint, float, , float)
IMAGE_GEOMETRY(2d, 2D, int2, float2, uint2, as_uint2, float2, , float2)
IMAGE_GEOMETRY(3d, 3D, int4, float4, uint3, as_uint3, float3, .xyz, float4)
IMAGE_GEOMETRY(1da, 1Da, int2, float2, uint2, as_uint2, float2, , float)
IMAGE_GEOMETRY(2da, 2Da, int4, float4, uint3, as_uint3, float3, .xyz, float2)
IMAGE_LOAD(1db, 1Db, roimg, int, uint, as_uint, )

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
