/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What an address belongs to, and callbacks when memory is freed (AMD extension). What hsa.h says about
 * errors and threads holds here too.
 */
#ifndef HSA_AMD_POINTER_H_
#define HSA_AMD_POINTER_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory is from. */
typedef enum {
  HSA_EXT_POINTER_TYPE_UNKNOWN = 0,  /**< the runtime does not know it */
  HSA_EXT_POINTER_TYPE_HSA = 1,      /**< it was allocated by the runtime */
  HSA_EXT_POINTER_TYPE_LOCKED = 2,   /**< the operating system's, locked or registered */
  HSA_EXT_POINTER_TYPE_GRAPHICS = 3, /**< of hsa_amd_interop_map_buffer */
  HSA_EXT_POINTER_TYPE_IPC = 4       /**< of another process, by hsa_amd_ipc_memory_attach */
} hsa_amd_pointer_type_t;

/** Describes the memory that contains an address. */
typedef struct hsa_amd_pointer_info_s {
  uint32_t size;               /**< bytes of this structure: the caller sets it, see below */
  hsa_amd_pointer_type_t type; /**< if UNKNOWN, no other member but size is set */
  void* agentBaseAddress;      /**< where it begins for agents */
  void* hostBaseAddress;       /**< where it begins for the host */
  size_t sizeInBytes;          /**< of the memory, as it was asked for */
  void* userData;              /**< of hsa_amd_pointer_info_set_userdata; NULL before */
  hsa_agent_t agentOwner; /**< the agent whose pool it is from; the host for its regions and locked memory */
  uint32_t global_flags;  /**< mask of hsa_amd_memory_pool_global_flag_t */
} hsa_amd_pointer_info_t;

/**
 * Describes the memory that contains ptr. The caller sets info->size to the size of the structure that it
 * knows; the runtime sets it to the smaller of that and its own, and writes no bytes behind it. If alloc,
 * num_agents_accessible and accessible are all given, gets the agents that access the memory too, in an array
 * from alloc, which belongs to the caller.
 * Errors: OUT_OF_RESOURCES (also: alloc returned NULL); INVALID_ARGUMENT (also: info->size is too small for
 * the type).
 */
HSA_API hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info,
                                          void* (*alloc)(size_t), uint32_t* num_agents_accessible,
                                          hsa_agent_t** accessible);

/**
 * Sets what hsa_amd_pointer_info gives as userData for all addresses of the memory that contains ptr.
 * Errors: OUT_OF_RESOURCES; INVALID_ARGUMENT (also: the runtime does not know the memory).
 */
HSA_API hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* userdata);

/** Is called with the address and the value that were registered. */
typedef void (*hsa_amd_deallocation_callback_t)(void* ptr, void* user_data);

/**
 * Registers a function that is called once when the allocation that contains ptr is freed, before the
 * function that frees it returns, and on its thread. The memory can still be accessed then, but not freed
 * again. Errors: OUT_OF_RESOURCES; INVALID_ALLOCATION (ptr is not in an allocation of the runtime);
 * INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_register_deallocation_callback(void* ptr,
                                                            hsa_amd_deallocation_callback_t callback,
                                                            void* user_data);

/** Removes the last registration with this ptr and callback. Errors: INVALID_ARGUMENT (also: there is none).
 */
HSA_API hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr,
                                                              hsa_amd_deallocation_callback_t callback);

#ifdef __cplusplus
}
#endif
#endif
