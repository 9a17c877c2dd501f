/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Images and samplers, the extension "hsa_ext_images" (Runtime 3.3). PRM chapter 7 describes the instructions
 * that use images.
 *
 * An image handle determines how an agent interprets image data, which is memory of the application. Handles
 * belong to the agent for which they were created, and are values of the HSAIL types roimg, woimg, rwimg and
 * samp. All functions are thread safe. Only import, copy and clear change image data, and none frees it. The
 * conventions of hsa.h apply; EXT_ at the beginning of the name of an error stands for HSA_EXT_STATUS_ERROR_.
 */
#ifndef HSA_EXT_IMAGE_H_
#define HSA_EXT_IMAGE_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 3.1.1 Version of the extension that this header declares: three digits major, three digits minor. */
#define hsa_ext_images 001002

/** 3.3.1.3 An image of one agent. */
typedef struct hsa_ext_image_s {
  uint64_t handle;
} hsa_ext_image_t;

/**
 * 3.3.1.4 Geometry of an image, which determines its coordinates; values of hsa_ext_brig_image_geometry_t.
 */
typedef enum {
  HSA_EXT_IMAGE_GEOMETRY_1D = 0,
  HSA_EXT_IMAGE_GEOMETRY_2D = 1,
  HSA_EXT_IMAGE_GEOMETRY_3D = 2,
  HSA_EXT_IMAGE_GEOMETRY_1DA = 3,
  HSA_EXT_IMAGE_GEOMETRY_2DA = 4,
  HSA_EXT_IMAGE_GEOMETRY_1DB = 5,
  HSA_EXT_IMAGE_GEOMETRY_2DDEPTH = 6,
  HSA_EXT_IMAGE_GEOMETRY_2DADEPTH = 7
} hsa_ext_image_geometry_t;

/** 3.3.1.5 How a component is stored; values of hsa_ext_brig_image_channel_type_t. */
typedef enum {
  HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8 = 0,
  HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16 = 1,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 = 2,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16 = 3,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24 = 4,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 = 5,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 = 6,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010 = 7,
  HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8 = 8,
  HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16 = 9,
  HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32 = 10,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 = 11,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 = 12,
  HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 = 13,
  HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT = 14,
  HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT = 15
} hsa_ext_image_channel_type_t;

/** 3.3.1.6 */
typedef uint32_t hsa_ext_image_channel_type32_t;

/** 3.3.1.7 The components of an element and their order; values of hsa_ext_brig_image_channel_order_t. */
typedef enum {
  HSA_EXT_IMAGE_CHANNEL_ORDER_A = 0,
  HSA_EXT_IMAGE_CHANNEL_ORDER_R = 1,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RX = 2,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RG = 3,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RGX = 4,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RA = 5,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RGB = 6,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX = 7,
  HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA = 8,
  HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA = 9,
  HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB = 10,
  HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR = 11,
  HSA_EXT_IMAGE_CHANNEL_ORDER_SRGB = 12,
  HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBX = 13,
  HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA = 14,
  HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA = 15,
  HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY = 16,
  HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE = 17,
  HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH = 18,
  HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL = 19
} hsa_ext_image_channel_order_t;

/** 3.3.1.8 */
typedef uint32_t hsa_ext_image_channel_order32_t;

/** 3.3.1.9 Format of the elements of an image. */
typedef struct hsa_ext_image_format_s {
  hsa_ext_image_channel_type32_t channel_type;
  hsa_ext_image_channel_order32_t channel_order;
} hsa_ext_image_format_t;

/**
 * 3.3.1.10 Describes an image independently of the agent. Sizes that the geometry does not have must be 0.
 */
typedef struct hsa_ext_image_descriptor_s {
  hsa_ext_image_geometry_t geometry;
  size_t width;      /**< elements */
  size_t height;     /**< 2D, 3D, 2DA, 2DDEPTH, 2DADEPTH */
  size_t depth;      /**< 3D */
  size_t array_size; /**< layers: 1DA, 2DA, 2DADEPTH */
  hsa_ext_image_format_t format;
} hsa_ext_image_descriptor_t;

/** 3.3.1.11 Bits of a capability mask. */
typedef enum {
  HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED = 0x0,
  HSA_EXT_IMAGE_CAPABILITY_READ_ONLY = 0x1,
  HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY = 0x2,
  HSA_EXT_IMAGE_CAPABILITY_READ_WRITE = 0x4,
  HSA_EXT_IMAGE_CAPABILITY_READ_MODIFY_WRITE = 0x8, /**< deprecated: there are no image atomics any more */
  /** The layout of the data is the same for all access permissions. */
  HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT = 0x10
} hsa_ext_image_capability_t;

/** 3.3.1.12 How elements are arranged in the image data. */
typedef enum {
  HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE = 0x0, /**< chosen by the agent */
  /** Slices or layers, rows, elements and components in sequence, at distances of slice and row pitch. */
  HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR = 0x1
} hsa_ext_image_data_layout_t;

/** 3.3.1.15 Memory that image data needs. */
typedef struct hsa_ext_image_data_info_s {
  size_t size;      /**< bytes */
  size_t alignment; /**< bytes, a power of 2 */
} hsa_ext_image_data_info_t;

/** 3.3.1.22 A part of an image, in elements. z counts slices or, for arrays, layers (y for 1DA). */
typedef struct hsa_ext_image_region_s {
  hsa_dim3_t offset;
  hsa_dim3_t range;
} hsa_ext_image_region_t;

/** 3.3.1.26 A sampler of one agent. */
typedef struct hsa_ext_sampler_s {
  uint64_t handle;
} hsa_ext_sampler_t;

/** 3.3.1.27 What happens to coordinates out of range (PRM 7.1.6.2); values of
 * hsa_ext_brig_sampler_addressing_t. */
typedef enum {
  HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED = 0,
  HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE = 1,
  HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER = 2,
  HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT = 3,
  HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT = 4
} hsa_ext_sampler_addressing_mode_t;

/** 3.3.1.28 */
typedef uint32_t hsa_ext_sampler_addressing_mode32_t;

/** 3.3.1.29 Whether coordinates count elements or span [0, 1) (PRM 7.1.6.1). */
typedef enum {
  HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED = 0,
  HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED = 1
} hsa_ext_sampler_coordinate_mode_t;

/** 3.3.1.30 */
typedef uint32_t hsa_ext_sampler_coordinate_mode32_t;

/** 3.3.1.31 Whether a read returns one element or a weighted average of neighbours (PRM 7.1.6.3). */
typedef enum {
  HSA_EXT_SAMPLER_FILTER_MODE_NEAREST = 0,
  HSA_EXT_SAMPLER_FILTER_MODE_LINEAR = 1
} hsa_ext_sampler_filter_mode_t;

/** 3.3.1.32 */
typedef uint32_t hsa_ext_sampler_filter_mode32_t;

/** 3.3.1.33 Describes a sampler on any agent. Addressing modes that repeat need normalized coordinates. */
typedef struct hsa_ext_sampler_descriptor_s {
  hsa_ext_sampler_coordinate_mode32_t coordinate_mode;
  hsa_ext_sampler_filter_mode32_t filter_mode;
  hsa_ext_sampler_addressing_mode32_t address_mode;
} hsa_ext_sampler_descriptor_t;

/**
 * 3.3.1.13 Gets what an agent supports for images of a geometry and format in its opaque layout: a mask of
 * hsa_ext_image_capability_t, 0 for nothing. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                  const hsa_ext_image_format_t* image_format,
                                                  uint32_t* capability_mask);

/**
 * 3.3.1.14 Gets what an agent supports for images of a geometry and format in an explicit layout. Errors:
 * INVALID_AGENT; INVALID_ARGUMENT (also: layout OPAQUE).
 */
HSA_API hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent,
                                                              hsa_ext_image_geometry_t geometry,
                                                              const hsa_ext_image_format_t* image_format,
                                                              hsa_ext_image_data_layout_t image_data_layout,
                                                              uint32_t* capability_mask);

/**
 * 3.3.1.16 Gets the size and alignment of the data of an image in the opaque layout of the agent. Errors:
 * INVALID_AGENT; EXT_IMAGE_FORMAT_UNSUPPORTED; EXT_IMAGE_SIZE_UNSUPPORTED; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent,
                                                 const hsa_ext_image_descriptor_t* image_descriptor,
                                                 hsa_access_permission_t access_permission,
                                                 hsa_ext_image_data_info_t* image_data_info);

/**
 * 3.3.1.17 Gets the size and alignment of the data of an image in an explicit layout. Pitches are in bytes; 0
 * stands for the smallest that the layout allows. Errors: EXT_IMAGE_FORMAT_UNSUPPORTED;
 * EXT_IMAGE_SIZE_UNSUPPORTED; EXT_IMAGE_PITCH_UNSUPPORTED; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_data_get_info_with_layout(
    const hsa_ext_image_descriptor_t* image_descriptor, hsa_access_permission_t access_permission,
    hsa_ext_image_data_layout_t image_data_layout, size_t image_data_row_pitch, size_t image_data_slice_pitch,
    hsa_ext_image_data_info_t* image_data_info);

/**
 * 3.3.1.18 Creates a handle for image data in the opaque layout of the agent. The application still owns the
 * data, which must outlive the handle. Errors: INVALID_AGENT; EXT_IMAGE_FORMAT_UNSUPPORTED;
 * EXT_IMAGE_SIZE_UNSUPPORTED; OUT_OF_RESOURCES (the agent has no more handles); INVALID_ARGUMENT (also:
 * misaligned data).
 */
HSA_API hsa_status_t hsa_ext_image_create(hsa_agent_t agent,
                                          const hsa_ext_image_descriptor_t* image_descriptor,
                                          const void* image_data, hsa_access_permission_t access_permission,
                                          hsa_ext_image_t* image);

/**
 * 3.3.1.19 Creates a handle for image data in an explicit layout. Pitches are in bytes; 0 stands for the
 * smallest that the layout allows. Errors: those of hsa_ext_image_create; EXT_IMAGE_PITCH_UNSUPPORTED.
 */
HSA_API hsa_status_t hsa_ext_image_create_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor, const void* image_data,
    hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout,
    size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_t* image);

/**
 * 3.3.1.20 Destroys an image handle; the image data does not change. No kernel may still use the handle.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT (not an image of this agent).
 */
HSA_API hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image);

/**
 * 3.3.1.21 Copies elements between two images of one agent. Their formats must be equal, or differ only in
 * that one channel order is the sRGB form of the other, or one is r and the other depth. Geometries may
 * differ. The call returns when the copy is complete. Errors: INVALID_AGENT; INVALID_ARGUMENT (also:
 * incompatible formats, or a region outside an image).
 */
HSA_API hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image,
                                        const hsa_dim3_t* src_offset, hsa_ext_image_t dst_image,
                                        const hsa_dim3_t* dst_offset, const hsa_dim3_t* range);

/**
 * 3.3.1.23 Copies linearly organised memory to a region of an image. Pitches are those of the memory, in
 * bytes; a pitch that is too small stands for the smallest possible one. Errors: INVALID_AGENT;
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void* src_memory, size_t src_row_pitch,
                                          size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                          const hsa_ext_image_region_t* image_region);

/**
 * 3.3.1.24 Copies a region of an image to linearly organised memory. Pitches are as for hsa_ext_image_import.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image, void* dst_memory,
                                          size_t dst_row_pitch, size_t dst_slice_pitch,
                                          const hsa_ext_image_region_t* image_region);

/**
 * 3.3.1.25 Sets all elements of a region to one value. `data` has four components (one for depth geometries)
 * of the access type of the channel type: float, int32_t or uint32_t. They are converted as by stimage.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t image, const void* data,
                                         const hsa_ext_image_region_t* image_region);

/**
 * 3.3.1.34 Creates a sampler handle for an agent. Errors: INVALID_AGENT; EXT_SAMPLER_DESCRIPTOR_UNSUPPORTED;
 * OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent,
                                            const hsa_ext_sampler_descriptor_t* sampler_descriptor,
                                            hsa_ext_sampler_t* sampler);

/**
 * 3.3.1.35 Destroys a sampler handle; no kernel may still use it. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler);

/** 3.3.1.36 Functions of version 1.0, for hsa_system_get_extension_table. */
#define hsa_ext_images_1_00
typedef struct hsa_ext_images_1_00_pfn_s {
  hsa_status_t (*hsa_ext_image_get_capability)(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                               const hsa_ext_image_format_t* image_format,
                                               uint32_t* capability_mask);
  hsa_status_t (*hsa_ext_image_data_get_info)(hsa_agent_t agent,
                                              const hsa_ext_image_descriptor_t* image_descriptor,
                                              hsa_access_permission_t access_permission,
                                              hsa_ext_image_data_info_t* image_data_info);
  hsa_status_t (*hsa_ext_image_create)(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                       const void* image_data, hsa_access_permission_t access_permission,
                                       hsa_ext_image_t* image);
  hsa_status_t (*hsa_ext_image_destroy)(hsa_agent_t agent, hsa_ext_image_t image);
  hsa_status_t (*hsa_ext_image_copy)(hsa_agent_t agent, hsa_ext_image_t src_image,
                                     const hsa_dim3_t* src_offset, hsa_ext_image_t dst_image,
                                     const hsa_dim3_t* dst_offset, const hsa_dim3_t* range);
  hsa_status_t (*hsa_ext_image_import)(hsa_agent_t agent, const void* src_memory, size_t src_row_pitch,
                                       size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                       const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_image_export)(hsa_agent_t agent, hsa_ext_image_t src_image, void* dst_memory,
                                       size_t dst_row_pitch, size_t dst_slice_pitch,
                                       const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_image_clear)(hsa_agent_t agent, hsa_ext_image_t image, const void* data,
                                      const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_sampler_create)(hsa_agent_t agent,
                                         const hsa_ext_sampler_descriptor_t* sampler_descriptor,
                                         hsa_ext_sampler_t* sampler);
  hsa_status_t (*hsa_ext_sampler_destroy)(hsa_agent_t agent, hsa_ext_sampler_t sampler);
} hsa_ext_images_1_00_pfn_t;

/** 3.3.1.37 Functions of version 1. */
#define hsa_ext_images_1
typedef struct hsa_ext_images_1_pfn_s {
  hsa_status_t (*hsa_ext_image_get_capability)(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                               const hsa_ext_image_format_t* image_format,
                                               uint32_t* capability_mask);
  hsa_status_t (*hsa_ext_image_data_get_info)(hsa_agent_t agent,
                                              const hsa_ext_image_descriptor_t* image_descriptor,
                                              hsa_access_permission_t access_permission,
                                              hsa_ext_image_data_info_t* image_data_info);
  hsa_status_t (*hsa_ext_image_create)(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                       const void* image_data, hsa_access_permission_t access_permission,
                                       hsa_ext_image_t* image);
  hsa_status_t (*hsa_ext_image_destroy)(hsa_agent_t agent, hsa_ext_image_t image);
  hsa_status_t (*hsa_ext_image_copy)(hsa_agent_t agent, hsa_ext_image_t src_image,
                                     const hsa_dim3_t* src_offset, hsa_ext_image_t dst_image,
                                     const hsa_dim3_t* dst_offset, const hsa_dim3_t* range);
  hsa_status_t (*hsa_ext_image_import)(hsa_agent_t agent, const void* src_memory, size_t src_row_pitch,
                                       size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                       const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_image_export)(hsa_agent_t agent, hsa_ext_image_t src_image, void* dst_memory,
                                       size_t dst_row_pitch, size_t dst_slice_pitch,
                                       const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_image_clear)(hsa_agent_t agent, hsa_ext_image_t image, const void* data,
                                      const hsa_ext_image_region_t* image_region);
  hsa_status_t (*hsa_ext_sampler_create)(hsa_agent_t agent,
                                         const hsa_ext_sampler_descriptor_t* sampler_descriptor,
                                         hsa_ext_sampler_t* sampler);
  hsa_status_t (*hsa_ext_sampler_destroy)(hsa_agent_t agent, hsa_ext_sampler_t sampler);
  hsa_status_t (*hsa_ext_image_get_capability_with_layout)(hsa_agent_t agent,
                                                           hsa_ext_image_geometry_t geometry,
                                                           const hsa_ext_image_format_t* image_format,
                                                           hsa_ext_image_data_layout_t image_data_layout,
                                                           uint32_t* capability_mask);
  hsa_status_t (*hsa_ext_image_data_get_info_with_layout)(const hsa_ext_image_descriptor_t* image_descriptor,
                                                          hsa_access_permission_t access_permission,
                                                          hsa_ext_image_data_layout_t image_data_layout,
                                                          size_t image_data_row_pitch,
                                                          size_t image_data_slice_pitch,
                                                          hsa_ext_image_data_info_t* image_data_info);
  hsa_status_t (*hsa_ext_image_create_with_layout)(
      hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor, const void* image_data,
      hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout,
      size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_t* image);
} hsa_ext_images_1_pfn_t;

#ifdef __cplusplus
}
#endif
#endif /* HSA_EXT_IMAGE_H_ */
