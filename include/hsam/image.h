/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Images and samplers for agents that execute image instructions by software
 * (hsa_agent_driver_config.host_images). The generic driver's runtime makes one structure for each image or
 * sampler that a client creates for the agent (Runtime 3.3) or that a variable starts with (PRM 7.1.7,
 * 7.1.8). The value of the HSAIL types roimg, woimg, rwimg and samp, which kernels get as arguments and read
 * from memory, is the address of that structure. PRM chapter 7 says what the instructions do; everything that
 * they depend on is in here.
 *
 * - Ownership. The structures are the runtime's. They stay in place, and nobody writes to them, from the
 *   creation of the handle until its destruction, unless the agent loses the contents of its memory; then the
 *   client has to make its handles anew. They lie in memory of the agent if it has a global region
 *   of its own (memory_id >= HSAM_MEMORY_AGENT_FIRST) that clients can allocate from, otherwise in that of
 *   the host. The image data are memory of the client (of the executable for images that variables start
 *   with), which instructions read and write without any lock or call of the runtime. The runtime copies
 *   what lies in regions of an agent by memory_copy.
 * - Versions. `size` is the size of the structure at the runtime's build. New members come at the end, so
 *   that an agent may read a member if it ends at or before `size`. If a member that is here now changed its
 *   meaning, the structure would get another magic number.
 * - Wrong handles. Kernels read handles from memory, so that a handle may be any number. hsam_image_of() and
 *   hsam_sampler_of() check what is at the address, but they have to read it: an agent that wants to survive
 *   handles that point nowhere must catch the fault of that access.
 *
 * Thread safety: all threads may read the structures, and call the functions, at any time.
 */
#ifndef HSAM_IMAGE_H_
#define HSAM_IMAGE_H_

#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa_ext_image.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSAM_IMAGE_MAGIC 0x68656464696d6167ull
#define HSAM_SAMPLER_MAGIC 0x6865646473616d70ull

/**
 * An image in the linear layout (PRM 7.1.7). The address of element (x, y, z) is
 *
 *     data + z * slice_pitch + y * row_pitch + x * element_size
 *
 * where z counts the slices of 3D images and the layers of arrays. y is 0 in images of one dimension,
 * including 1DA images, whose layer is the second coordinate of instructions and z here. An element consists
 * of the memory components of its channel order (PRM Table 7-2), each as its channel type says
 * (PRM Table 7-3), little-endian.
 */
typedef struct hsam_image {
  uint64_t magic;                /* HSAM_IMAGE_MAGIC */
  size_t size;                   /* sizeof(hsam_image) at the runtime's build */
  uint32_t geometry;             /* hsa_ext_image_geometry_t; one that fits the format (PRM Table 7-4) */
  uint32_t access_permission;    /* hsa_access_permission_t: RO roimg, WO woimg, RW rwimg */
  hsa_ext_image_format_t format; /* a combination that PRM Table 7-4 allows */
  uint32_t width;                /* elements */
  uint32_t height;               /* rows; 1 where the geometry has none, as the next two */
  uint32_t depth;                /* slices of 3D */
  uint32_t layers;               /* of 1DA, 2DA and 2DADEPTH */
  uint32_t element_size;         /* bytes: bits per pixel / 8 (PRM Table 7-4) */
  uint32_t reserved;             /* 0 */
  uint64_t row_pitch;            /* bytes from one row to the next, a multiple of element_size */
  uint64_t slice_pitch;          /* bytes from one slice or layer to the next; 0 where there are none */
  void* data;                    /* element (0, 0, 0); aligned as hsa_ext_image_data_get_info said */
} hsam_image;

/** A sampler (PRM 7.1.6). Its modes are a combination that PRM 7.1.8 allows. */
typedef struct hsam_sampler {
  uint64_t magic;           /* HSAM_SAMPLER_MAGIC */
  size_t size;              /* sizeof(hsam_sampler) at the runtime's build */
  uint32_t coordinate_mode; /* hsa_ext_sampler_coordinate_mode_t */
  uint32_t filter_mode;     /* hsa_ext_sampler_filter_mode_t */
  uint32_t address_mode;    /* hsa_ext_sampler_addressing_mode_t */
  uint32_t reserved;        /* 0 */
} hsam_sampler;

/** The image that a handle refers to; null if there is no image at that address. */
static inline const hsam_image* hsam_image_of(uint64_t handle) {
  const hsam_image* image = (const hsam_image*)(uintptr_t)handle;
  if (handle == 0 || handle % sizeof(uint64_t) != 0) return NULL;
  return image->magic == HSAM_IMAGE_MAGIC ? image : NULL;
}

/** The sampler that a handle refers to; null if there is no sampler at that address. */
static inline const hsam_sampler* hsam_sampler_of(uint64_t handle) {
  const hsam_sampler* sampler = (const hsam_sampler*)(uintptr_t)handle;
  if (handle == 0 || handle % sizeof(uint64_t) != 0) return NULL;
  return sampler->magic == HSAM_SAMPLER_MAGIC ? sampler : NULL;
}

/** The first byte of an element. x must be less than the width, y less than the height, and z less than the
 * depth or the number of layers. */
static inline void* hsam_image_element(const hsam_image* image, uint32_t x, uint32_t y, uint32_t z) {
  return (char*)image->data + z * image->slice_pitch + y * image->row_pitch +
         (uint64_t)x * image->element_size;
}

#ifdef __cplusplus
}
#endif
#endif /* HSAM_IMAGE_H_ */
