// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images (OpenCL C 6.15.15) over HSAIL's image instructions (PRM chapter 7). An image or sampler is its HSAIL handle, 64 bits that clang
// treats as a pointer. Of the coordinates of arrays, the last one is the index of the layer, in OpenCL C as in HSAIL.

#define CONVERT_NOTHING(c) (c)

// Reads through samplers. SHAPE is how many coordinates clang has: OpenCL C has four where HSAIL takes three.
#define SAMPLED_READ(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, COORD, HSAIL_COORD, COORD_TYPE, SWIZZLE) \
  R __hsail_rdimage_##VECTOR##GEOMETRY##_##TYPE##_roimg_##COORD_TYPE(read_only IMAGE, sampler_t, HSAIL_COORD) __attribute__((pure)); \
  OVERLOAD R read_image##SUFFIX(read_only IMAGE image, sampler_t sampler, COORD coord) { \
    return __hsail_rdimage_##VECTOR##GEOMETRY##_##TYPE##_roimg_##COORD_TYPE(image, sampler, coord SWIZZLE); \
  }

// Loads without samplers, whose coordinates are unsigned in HSAIL; those outside of the image are undefined in both languages.
#define LOAD(GEOMETRY, IMAGE, ACCESS, KIND, SUFFIX, R, VECTOR, TYPE, COORD, HSAIL_COORD, AS_HSAIL, SWIZZLE) \
  R __hsail_ldimage_##VECTOR##GEOMETRY##_##TYPE##_##KIND##_u32(ACCESS IMAGE, HSAIL_COORD) __attribute__((pure)); \
  OVERLOAD R read_image##SUFFIX(ACCESS IMAGE image, COORD coord) { \
    return __hsail_ldimage_##VECTOR##GEOMETRY##_##TYPE##_##KIND##_u32(image, AS_HSAIL(coord SWIZZLE)); \
  }

#define STORE(GEOMETRY, IMAGE, ACCESS, KIND, SUFFIX, R, VECTOR, TYPE, COORD, HSAIL_COORD, AS_HSAIL, SWIZZLE) \
  void __hsail_stimage_##VECTOR##GEOMETRY##_##TYPE##_##KIND##_u32(R, ACCESS IMAGE, HSAIL_COORD); \
  OVERLOAD void write_image##SUFFIX(ACCESS IMAGE image, COORD coord, R value) { \
    __hsail_stimage_##VECTOR##GEOMETRY##_##TYPE##_##KIND##_u32(value, image, AS_HSAIL(coord SWIZZLE)); \
  }

#define READS(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, FC, HFC, IC, HIC, SWIZZLE) \
  SAMPLED_READ(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, FC, HFC, f32, SWIZZLE) \
  SAMPLED_READ(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, IC, HIC, s32, SWIZZLE)

#define LOADS_AND_STORES(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE) \
  LOAD(GEOMETRY, IMAGE, read_only, roimg, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE) \
  LOAD(GEOMETRY, IMAGE, read_write, rwimg, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE) \
  STORE(GEOMETRY, IMAGE, write_only, woimg, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE) \
  STORE(GEOMETRY, IMAGE, read_write, rwimg, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE)

// The access types of colour images: f, i, ui and h.
#define ACCESS_TYPES(X, ...) \
  X(f, float4, v4_, f32, __VA_ARGS__) X(i, int4, v4_, s32, __VA_ARGS__) X(ui, uint4, v4_, u32, __VA_ARGS__) X(h, half4, v4_, f16, __VA_ARGS__)

#define READS_OF_TYPE(SUFFIX, R, VECTOR, TYPE, GEOMETRY, IMAGE, FC, HFC, IC, HIC, SWIZZLE) \
  READS(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, FC, HFC, IC, HIC, SWIZZLE)
#define LOADS_AND_STORES_OF_TYPE(SUFFIX, R, VECTOR, TYPE, GEOMETRY, IMAGE, IC, HUC, AS_HUC, SWIZZLE) \
  LOADS_AND_STORES(GEOMETRY, IMAGE, SUFFIX, R, VECTOR, TYPE, IC, HUC, AS_HUC, SWIZZLE)

#define COLOUR_IMAGE(GEOMETRY, IMAGE, FC, HFC, IC, HIC, HUC, AS_HUC, SWIZZLE) \
  ACCESS_TYPES(READS_OF_TYPE, GEOMETRY, IMAGE, FC, HFC, IC, HIC, SWIZZLE) \
  ACCESS_TYPES(LOADS_AND_STORES_OF_TYPE, GEOMETRY, IMAGE, IC, HUC, AS_HUC, SWIZZLE)
#define DEPTH_IMAGE(GEOMETRY, IMAGE, FC, HFC, IC, HIC, HUC, AS_HUC, SWIZZLE) \
  READS(GEOMETRY, IMAGE, f, float, , f32, FC, HFC, IC, HIC, SWIZZLE) \
  LOADS_AND_STORES(GEOMETRY, IMAGE, f, float, , f32, IC, HUC, AS_HUC, SWIZZLE)

COLOUR_IMAGE(1d, image1d_t, float, float, int, int, uint, as_uint, )
COLOUR_IMAGE(2d, image2d_t, float2, float2, int2, int2, uint2, as_uint2, )
COLOUR_IMAGE(3d, image3d_t, float4, float3, int4, int3, uint3, as_uint3, .xyz)
COLOUR_IMAGE(1da, image1d_array_t, float2, float2, int2, int2, uint2, as_uint2, )
COLOUR_IMAGE(2da, image2d_array_t, float4, float3, int4, int3, uint3, as_uint3, .xyz)
DEPTH_IMAGE(2ddepth, image2d_depth_t, float2, float2, int2, int2, uint2, as_uint2, )
DEPTH_IMAGE(2dadepth, image2d_array_depth_t, float4, float3, int4, int3, uint3, as_uint3, .xyz)
ACCESS_TYPES(LOADS_AND_STORES_OF_TYPE, 1db, image1d_buffer_t, int, uint, as_uint, )

// Queries. Numbers of channel types and orders are those of BRIG (PRM 18.3.33, 18.3.34), in this order.
static constant ushort channel_types[] = {
    CLK_SNORM_INT8,         CLK_SNORM_INT16,     CLK_UNORM_INT8,   CLK_UNORM_INT16,  CLK_UNORM_INT24,    CLK_UNORM_SHORT_555,
    CLK_UNORM_SHORT_565,    CLK_UNORM_INT_101010, CLK_SIGNED_INT8, CLK_SIGNED_INT16, CLK_SIGNED_INT32,   CLK_UNSIGNED_INT8,
    CLK_UNSIGNED_INT16,     CLK_UNSIGNED_INT32,  CLK_HALF_FLOAT,   CLK_FLOAT};
static constant ushort channel_orders[] = {CLK_A,    CLK_R,    CLK_Rx,   CLK_RG,    CLK_RGx,   CLK_RA,    CLK_RGB,       CLK_RGBx,
                                           CLK_RGBA, CLK_BGRA, CLK_ARGB, CLK_ABGR,  CLK_sRGB,  CLK_sRGBx, CLK_sRGBA,     CLK_sBGRA,
                                           CLK_INTENSITY, CLK_LUMINANCE, CLK_DEPTH, CLK_DEPTH_STENCIL};

#define QUERY(GEOMETRY, IMAGE, ACCESS, KIND, PROPERTY) \
  CONSTANT_IN_WORK_ITEM uint __hsail_queryimage_##GEOMETRY##_##PROPERTY##_u32_##KIND(ACCESS IMAGE);
#define QUERIES_OF_ALL(GEOMETRY, IMAGE, ACCESS, KIND) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, width) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, channeltype) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, channelorder) \
  OVERLOAD int get_image_width(ACCESS IMAGE image) { return (int)__hsail_queryimage_##GEOMETRY##_width_u32_##KIND(image); } \
  OVERLOAD int get_image_channel_data_type(ACCESS IMAGE image) { \
    return channel_types[__hsail_queryimage_##GEOMETRY##_channeltype_u32_##KIND(image)]; \
  } \
  OVERLOAD int get_image_channel_order(ACCESS IMAGE image) { \
    return channel_orders[__hsail_queryimage_##GEOMETRY##_channelorder_u32_##KIND(image)]; \
  }
#define QUERIES_OF_2D(GEOMETRY, IMAGE, ACCESS, KIND) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, height) \
  OVERLOAD int get_image_height(ACCESS IMAGE image) { return (int)__hsail_queryimage_##GEOMETRY##_height_u32_##KIND(image); } \
  OVERLOAD int2 get_image_dim(ACCESS IMAGE image) { return (int2)(get_image_width(image), get_image_height(image)); }
#define QUERIES_OF_3D(GEOMETRY, IMAGE, ACCESS, KIND) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, height) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, depth) \
  OVERLOAD int get_image_height(ACCESS IMAGE image) { return (int)__hsail_queryimage_##GEOMETRY##_height_u32_##KIND(image); } \
  OVERLOAD int get_image_depth(ACCESS IMAGE image) { return (int)__hsail_queryimage_##GEOMETRY##_depth_u32_##KIND(image); } \
  OVERLOAD int4 get_image_dim(ACCESS IMAGE image) { \
    return (int4)(get_image_width(image), get_image_height(image), get_image_depth(image), 0); \
  }
#define QUERIES_OF_ARRAY(GEOMETRY, IMAGE, ACCESS, KIND) \
  QUERY(GEOMETRY, IMAGE, ACCESS, KIND, array) \
  OVERLOAD size_t get_image_array_size(ACCESS IMAGE image) { return __hsail_queryimage_##GEOMETRY##_array_u32_##KIND(image); }

#define FOR_ACCESSES(X, GEOMETRY, IMAGE) \
  X(GEOMETRY, IMAGE, read_only, roimg) X(GEOMETRY, IMAGE, write_only, woimg) X(GEOMETRY, IMAGE, read_write, rwimg)

FOR_ACCESSES(QUERIES_OF_ALL, 1d, image1d_t)
FOR_ACCESSES(QUERIES_OF_ALL, 2d, image2d_t)
FOR_ACCESSES(QUERIES_OF_ALL, 3d, image3d_t)
FOR_ACCESSES(QUERIES_OF_ALL, 1da, image1d_array_t)
FOR_ACCESSES(QUERIES_OF_ALL, 2da, image2d_array_t)
FOR_ACCESSES(QUERIES_OF_ALL, 1db, image1d_buffer_t)
FOR_ACCESSES(QUERIES_OF_ALL, 2ddepth, image2d_depth_t)
FOR_ACCESSES(QUERIES_OF_ALL, 2dadepth, image2d_array_depth_t)
FOR_ACCESSES(QUERIES_OF_2D, 2d, image2d_t)
FOR_ACCESSES(QUERIES_OF_2D, 2da, image2d_array_t)
FOR_ACCESSES(QUERIES_OF_2D, 2ddepth, image2d_depth_t)
FOR_ACCESSES(QUERIES_OF_2D, 2dadepth, image2d_array_depth_t)
FOR_ACCESSES(QUERIES_OF_3D, 3d, image3d_t)
FOR_ACCESSES(QUERIES_OF_ARRAY, 1da, image1d_array_t)
FOR_ACCESSES(QUERIES_OF_ARRAY, 2da, image2d_array_t)
FOR_ACCESSES(QUERIES_OF_ARRAY, 2dadepth, image2d_array_depth_t)
