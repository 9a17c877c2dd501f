/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Images in layouts of AMD's GPUs (AMD extension). What hsa.h says about errors and threads holds here too.
 */
#ifndef HSA_AMD_IMAGE_H_
#define HSA_AMD_IMAGE_H_

#include "../hsa.h"
#include "../hsa_ext_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The layout of an image: words that only devices of the given kind understand. */
typedef struct hsa_amd_image_descriptor_s {
  uint32_t version;
  uint32_t deviceID; /**< vendor in bits 31:16, chip in bits 15:0 */
  uint32_t data[1];  /**< as many as the device needs */
} hsa_amd_image_descriptor_t;

/**
 * Creates an image of data in the layout of a device. No agent of heddle has such layouts; their images are
 * linear (hsa_ext_image_create_with_layout).
 * Errors: OUT_OF_RESOURCES; INVALID_AGENT; INVALID_ARGUMENT (also: the agent does not have this layout).
 */
HSA_API hsa_status_t hsa_amd_image_create(hsa_agent_t agent,
                                          const hsa_ext_image_descriptor_t* image_descriptor,
                                          const hsa_amd_image_descriptor_t* image_layout,
                                          const void* image_data, hsa_access_permission_t access_permission,
                                          hsa_ext_image_t* image);

/**
 * Gets a limit of images, one of HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS to
 * HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS, as hsa_agent_get_info does.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT (also: another attribute).
 */
HSA_API hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute,
                                                    void* value);

#ifdef __cplusplus
}
#endif
#endif
