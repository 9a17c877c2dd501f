// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/** Instruction set architectures and their wavefronts (Runtime 2.8.1.1 to 2.8.1.16). */
#ifndef HSA_CORE_ISA_H_
#define HSA_CORE_ISA_H_

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 2.8.1.1 An instruction set architecture (ISA): what code objects are finalized for. */
typedef struct hsa_isa_s {
  uint64_t handle;
} hsa_isa_t;

/**
 * 2.8.1.2 Finds an ISA by its name: the vendor, a colon, and text that the vendor chooses. The ISAs of the
 * agents and of the finalizer can be found.
 * Errors: INVALID_ISA_NAME; OUT_OF_RESOURCES; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa);

/**
 * 2.8.1.3 Iterates over the ISAs that an agent executes, always in the same order.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent,
                                            hsa_status_t (*callback)(hsa_isa_t isa, void* data), void* data);

/** 2.8.1.4 Attributes of an ISA; the comment gives the type of the value. Sizes are in work-items. */
typedef enum {
  HSA_ISA_INFO_NAME_LENGTH = 0,           /**< uint32_t: bytes that NAME writes, the NUL included */
  HSA_ISA_INFO_NAME = 1,                  /**< char[NAME_LENGTH], ends in NUL */
  HSA_ISA_INFO_CALL_CONVENTION_COUNT = 2, /**< uint32_t; deprecated */
  HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE = 3,              /**< uint32_t; deprecated */
  HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT = 4, /**< uint32_t; deprecated */
  HSA_ISA_INFO_MACHINE_MODELS = 5,               /**< bool[2], indexed by hsa_machine_model_t */
  HSA_ISA_INFO_PROFILES = 6,                     /**< bool[2], indexed by hsa_profile_t */
  HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES = 7, /**< bool[3], indexed by the mode; at least one is true */
  HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 8, /**< bool[3], indexed by the mode */
  HSA_ISA_INFO_FAST_F16_OPERATION = 9,                        /**< bool: f16 at least as fast as f32 */
  HSA_ISA_INFO_WORKGROUP_MAX_DIM = 12,                        /**< uint16_t[3] */
  HSA_ISA_INFO_WORKGROUP_MAX_SIZE = 13,                       /**< uint32_t */
  HSA_ISA_INFO_GRID_MAX_DIM = 14,                             /**< hsa_dim3_t */
  HSA_ISA_INFO_GRID_MAX_SIZE = 16,                            /**< uint64_t */
  HSA_ISA_INFO_FBARRIER_MAX_SIZE = 17 /**< uint32_t: fbarriers per work-group, at least 32 */
} hsa_isa_info_t;

/**
 * 2.8.1.5 Deprecated: use hsa_isa_get_info_alt. Queries an ISA. index selects the call convention for
 * attributes of call conventions; it must be below CALL_CONVENTION_COUNT for every attribute. Errors:
 * INVALID_ISA; INVALID_INDEX; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value);

/** 2.8.1.6 Queries an ISA. Errors: INVALID_ISA; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value);

/**
 * 2.8.1.7 Gets the exception policies that an ISA supports in a profile, a mask of hsa_exception_policy_t.
 * Errors: INVALID_ISA; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t profile, uint16_t* mask);

/** 2.8.1.8 Floating-point types, by width. */
typedef enum { HSA_FP_TYPE_16 = 1, HSA_FP_TYPE_32 = 2, HSA_FP_TYPE_64 = 4 } hsa_fp_type_t;

/** 2.8.1.9 Whether subnormal values become zero. */
typedef enum { HSA_FLUSH_MODE_FTZ = 1, HSA_FLUSH_MODE_NON_FTZ = 2 } hsa_flush_mode_t;

/** 2.8.1.10 Whether mad rounds once (fused), or also after the multiplication. */
typedef enum { HSA_ROUND_METHOD_SINGLE = 1, HSA_ROUND_METHOD_DOUBLE = 2 } hsa_round_method_t;

/** 2.8.1.11 Gets how mad of this type and flush mode rounds. Errors: INVALID_ISA; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t fp_type,
                                              hsa_flush_mode_t flush_mode, hsa_round_method_t* round_method);

/** 2.8.1.12 A kind of wavefront of an ISA. */
typedef struct hsa_wavefront_s {
  uint64_t handle;
} hsa_wavefront_t;

/** 2.8.1.13 Attributes of a wavefront. */
typedef enum {
  HSA_WAVEFRONT_INFO_SIZE = 0 /**< uint32_t: work-items; a power of 2, 1 to 256 */
} hsa_wavefront_info_t;

/** 2.8.1.14 Queries a wavefront. Errors: INVALID_WAVEFRONT; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute,
                                            void* value);

/** 2.8.1.15 Iterates over the wavefronts of an ISA. Errors: INVALID_ISA; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_isa_iterate_wavefronts(
    hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t wavefront, void* data), void* data);

/**
 * 2.8.1.16 Deprecated: compare with the ISAs of hsa_agent_iterate_isas. Gets whether code for the first ISA
 * runs on every agent that has the second, as older code does on newer processors, but not vice versa.
 * Errors: INVALID_ISA; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result);

#ifdef __cplusplus
}
#endif

#endif
