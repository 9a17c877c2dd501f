// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/** System, extensions, agents and caches (Runtime 2.3). */
#ifndef HSA_CORE_SYSTEM_H_
#define HSA_CORE_SYSTEM_H_

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 2.3.1.12 An agent: a host CPU, or a device that executes kernels or agent dispatch packets. */
typedef struct hsa_agent_s {
  uint64_t handle;
} hsa_agent_t;

/** 2.3.1.22 A cache of an agent. */
typedef struct hsa_cache_s {
  uint64_t handle;
} hsa_cache_t;

/* ---- 2.3.1.1 .. 2.3.1.5 System ---- */

/** 2.3.1.1 */
typedef enum { HSA_ENDIANNESS_LITTLE = 0, HSA_ENDIANNESS_BIG = 1 } hsa_endianness_t;

/** 2.3.1.2 Width of addresses: 32 bits (small), 64 bits (large). */
typedef enum { HSA_MACHINE_MODEL_SMALL = 0, HSA_MACHINE_MODEL_LARGE = 1 } hsa_machine_model_t;

/** 2.3.1.3 */
typedef enum { HSA_PROFILE_BASE = 0, HSA_PROFILE_FULL = 1 } hsa_profile_t;

/** 2.3.1.4 Attributes of the system; the comment gives the type of the value. */
typedef enum {
  HSA_SYSTEM_INFO_VERSION_MAJOR = 0,       /**< uint16_t: version of the runtime specification */
  HSA_SYSTEM_INFO_VERSION_MINOR = 1,       /**< uint16_t */
  HSA_SYSTEM_INFO_TIMESTAMP = 2,           /**< uint64_t: ticks now; the same clock on all agents */
  HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3, /**< uint64_t: ticks per second, 1 to 400 MHz */
  HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT = 4,     /**< uint64_t: longest duration of a signal wait, in ticks */
  HSA_SYSTEM_INFO_ENDIANNESS = 5,          /**< hsa_endianness_t */
  HSA_SYSTEM_INFO_MACHINE_MODEL = 6,       /**< hsa_machine_model_t */
  HSA_SYSTEM_INFO_EXTENSIONS = 7,          /**< uint8_t[128]: bit i set if extension i is supported */

  /* AMD extension (hsa_ext_amd.h) */
  HSA_AMD_SYSTEM_INFO_BUILD_VERSION = 0x200, /**< const char*: of the runtime; lives as long as the process */
  HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED = 0x201, /**< bool: the functions hsa_amd_svm_* work */
  /** bool: all agents can access all memory of the process without being allowed */
  HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT = 0x202,
  HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED = 0x203,   /**< bool: waits use the processor instruction MWAITX */
  HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED = 0x204, /**< bool: hsa_amd_portable_export_dmabuf works */
  HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED = 0x205, /**< bool: the functions hsa_amd_vmem_* work */
  HSA_AMD_SYSTEM_INFO_XNACK_ENABLED = 0x206,     /**< bool: kernel agents take page faults and go on */
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR = 0x207, /**< uint16_t: version of the AMD extension */
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR = 0x208  /**< uint16_t */
} hsa_system_info_t;

/** 2.3.1.5 Queries the system. */
HSA_API hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value);

/* ---- 2.3.1.6 .. 2.3.1.11 Extensions ---- */

/** 2.3.1.6 Extension numbers. */
typedef enum {
  HSA_EXTENSION_FINALIZER = 0,
  HSA_EXTENSION_IMAGES = 1,
  HSA_EXTENSION_PERFORMANCE_COUNTERS = 2,
  HSA_EXTENSION_PROFILE_EVENTS = 3,
  HSA_EXTENSION_PROFILING_EVENTS = 3, /**< deprecated: name in drafts of 1.1 */
  HSA_EXTENSION_LOG = 4,              /**< the manual assigns no number to logging (3.6); this is ours */
  /* Extensions of AMD, which the manual does not know */
  HSA_EXTENSION_AMD_PROFILER = 0x200,
  HSA_EXTENSION_AMD_LOADER = 0x201, /**< hsa_ven_amd_loader.h */
  HSA_EXTENSION_AMD_AQLPROFILE = 0x202
} hsa_extension_t;

/**
 * 2.3.1.7 Gets the name of an extension, e.g. "hsa_ext_finalizer". The string lives as long as the process.
 * Errors: INVALID_ARGUMENT (also: no such extension).
 */
HSA_API hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name);

/**
 * 2.3.1.8 Deprecated: use hsa_system_major_extension_supported. Gets whether the system supports exactly this
 * version.
 */
HSA_API hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major,
                                                    uint16_t version_minor, bool* result);

/**
 * 2.3.1.9 Gets whether the system supports a major version of an extension. If it does, version_minor is set
 * to the greatest supported minor version; all smaller ones are supported too.
 */
HSA_API hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major,
                                                          uint16_t* version_minor, bool* result);

/**
 * 2.3.1.10 Deprecated: use hsa_system_get_major_extension_table. Fills the table of function pointers of an
 * extension version. The call has no argument for the size of the table, so for the finalizer 1.0 exactly the
 * members of hsa_ext_finalizer_1_00_pfn_t are written. The system must support the extension.
 */
HSA_API hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major,
                                                    uint16_t version_minor, void* table);

/**
 * 2.3.1.11 Fills the table of function pointers of a major version of an extension, at most table_length
 * bytes. An older client can thus pass a shorter table and gets the functions that it knows.
 */
HSA_API hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major,
                                                          size_t table_length, void* table);

/* ---- 2.3.1.12 .. 2.3.1.21 Agents ---- */

/** 2.3.1.13 Mask of the packets that an agent accepts. An agent that accepts neither is a host. */
typedef enum {
  HSA_AGENT_FEATURE_KERNEL_DISPATCH = 1, /**< a kernel agent */
  HSA_AGENT_FEATURE_AGENT_DISPATCH = 2
} hsa_agent_feature_t;

/** 2.3.1.14 */
typedef enum {
  HSA_DEVICE_TYPE_CPU = 0,
  HSA_DEVICE_TYPE_GPU = 1,
  HSA_DEVICE_TYPE_DSP = 2,
  HSA_DEVICE_TYPE_FPGA = 3,
  HSA_DEVICE_TYPE_CUSTOM = 4
} hsa_device_type_t;

/** 2.3.1.15 Rounding of floating-point operations that do not name a mode. */
typedef enum {
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT = 0, /**< decided when the code object is loaded */
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO = 1,
  HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR = 2
} hsa_default_float_rounding_mode_t;

/** 2.3.1.17 The memory that holds the group segment of an agent. */
typedef enum {
  HSA_AGENT_GROUP_SEGMENT_INFO_LOCAL = 0,        /**< memory on the chip */
  HSA_AGENT_GROUP_SEGMENT_INFO_CACHED_GLOBAL = 1 /**< cached global memory */
} hsa_agent_group_segment_type_t;

/**
 * 2.3.1.16 Attributes of an agent; the comment gives the type of the value. Attributes that are deprecated in
 * favour of hsa_isa_info_t describe the first ISA that hsa_agent_iterate_isas reports. The limits of
 * work-groups, grids, wavefronts and fbarriers are defined for kernel agents only.
 */
typedef enum {
  HSA_AGENT_INFO_NAME = 0,                        /**< char[64], NUL to its end */
  HSA_AGENT_INFO_VENDOR_NAME = 1,                 /**< char[64], NUL to its end */
  HSA_AGENT_INFO_FEATURE = 2,                     /**< hsa_agent_feature_t, a mask */
  HSA_AGENT_INFO_MACHINE_MODEL = 3,               /**< hsa_machine_model_t; deprecated: ISA */
  HSA_AGENT_INFO_PROFILE = 4,                     /**< hsa_profile_t; deprecated: ISA */
  HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5, /**< its type, never DEFAULT; deprecated: ISA */
  HSA_AGENT_INFO_WAVEFRONT_SIZE = 6,     /**< uint32_t: power of 2, 1 to 256; deprecated: wavefront */
  HSA_AGENT_INFO_WORKGROUP_MAX_DIM = 7,  /**< uint16_t[3]: work-items; deprecated: ISA */
  HSA_AGENT_INFO_WORKGROUP_MAX_SIZE = 8, /**< uint32_t: work-items; deprecated: ISA */
  HSA_AGENT_INFO_GRID_MAX_DIM = 9,       /**< hsa_dim3_t: work-items; deprecated: ISA */
  HSA_AGENT_INFO_GRID_MAX_SIZE = 10,     /**< uint32_t: work-items; deprecated: ISA */
  HSA_AGENT_INFO_FBARRIER_MAX_SIZE = 11, /**< uint32_t: per work-group, at least 32; deprecated: ISA */
  HSA_AGENT_INFO_QUEUES_MAX = 12,        /**< uint32_t: queues alive at once; deprecated */
  HSA_AGENT_INFO_QUEUE_MIN_SIZE = 13,    /**< uint32_t: packets, a power of 2 */
  HSA_AGENT_INFO_QUEUE_MAX_SIZE = 14,    /**< uint32_t: packets, a power of 2 */
  HSA_AGENT_INFO_QUEUE_TYPE = 15,        /**< hsa_queue_type_t: MULTI allows both types */
  HSA_AGENT_INFO_NODE = 16,              /**< uint32_t: NUMA node; deprecated */
  HSA_AGENT_INFO_DEVICE = 17,            /**< hsa_device_type_t */
  HSA_AGENT_INFO_CACHE_SIZE = 18,        /**< uint32_t[4]: bytes of L1 to L4; deprecated: caches */
  HSA_AGENT_INFO_ISA = 19,               /**< hsa_isa_t; deprecated: hsa_agent_iterate_isas */
  HSA_AGENT_INFO_EXTENSIONS = 20,        /**< uint8_t[128]: bit i set if extension i is supported */
  HSA_AGENT_INFO_VERSION_MAJOR = 21,     /**< uint16_t: version of the runtime specification */
  HSA_AGENT_INFO_VERSION_MINOR = 22,     /**< uint16_t */
  HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 23, /**< uint32_t: mask; deprecated: ISA */
  HSA_AGENT_INFO_FAST_F16_OPERATION = 24, /**< bool: f16 at least as fast as f32; deprecated: ISA */
  HSA_AGENT_INFO_GROUP_SEGMENT_TYPE = 25, /**< hsa_agent_group_segment_type_t */
  /* The manual gives these two the values 23 and 24, which HSA 1.0 clients use with the meaning above. */
  HSA_AGENT_INFO_COMPUTE_UNIT_COUNT = 26,  /**< uint32_t */
  HSA_AGENT_INFO_MAX_CLOCK_FREQUENCY = 27, /**< uint64_t: Hz, while executing kernels */

  /* Images extension, 3.3.1.2: 0 for agents without images. The manual says size_t, but runtimes of HSA 1.0
   * wrote uint32_t. This one does too, so that no caller's buffer overflows. Set a size_t to 0 before the
   * call. */
  HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS = 0x3000,           /**< uint32_t */
  HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS = 0x3001,          /**< uint32_t */
  HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS = 0x3002,          /**< uint32_t */
  HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS = 0x3003,           /**< uint32_t[2] */
  HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS = 0x3004,          /**< uint32_t[2] */
  HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS = 0x3005,      /**< uint32_t[2] */
  HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS = 0x3006,     /**< uint32_t[2] */
  HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS = 0x3007,           /**< uint32_t[3] */
  HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS = 0x3008,          /**< uint32_t */
  HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES = 0x3009,            /**< uint32_t: at least 128 */
  HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES = 0x300A,          /**< uint32_t: at least 64 */
  HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS = 0x300B,            /**< uint32_t: at least 16 */
  HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT = 0x300C /**< uint32_t: bytes */
} hsa_agent_info_t;

/** 2.3.1.18 Queries an agent. Errors: INVALID_AGENT; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value);

/** 2.3.1.19 Iterates over the agents of the system, among them at least the host CPU. */
HSA_API hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data), void* data);

/** 2.3.1.20 Mask of what a kernel does on an exception. */
typedef enum {
  HSA_EXCEPTION_POLICY_BREAK = 1, /**< the kernel stops */
  HSA_EXCEPTION_POLICY_DETECT = 2 /**< the kernel continues and can query the exception */
} hsa_exception_policy_t;

/**
 * 2.3.1.21 Deprecated: use hsa_isa_get_exception_policies. Gets the exception policies that the first ISA of
 * the agent supports in a profile, a mask of hsa_exception_policy_t. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile,
                                                      uint16_t* mask);

/* ---- 2.3.1.22 .. 2.3.1.25 Caches ---- */

/** 2.3.1.23 Attributes of a cache; the comment gives the type of the value. */
typedef enum {
  HSA_CACHE_INFO_NAME_LENGTH = 0,    /**< uint32_t: bytes that NAME writes, the NUL included */
  HSA_CACHE_INFO_NAME = 1,           /**< char[NAME_LENGTH], ends in NUL */
  HSA_CACHE_INFO_LEVEL = 2,          /**< uint8_t: 1 for L1 */
  HSA_CACHE_INFO_SIZE = 3,           /**< uint32_t: bytes; 0 if unknown */
  HSA_CACHE_INFO_CACHE_LINE_SIZE = 4 /**< uint32_t: bytes; 0 if unknown */
} hsa_cache_info_t;

/** 2.3.1.24 Queries a cache. Errors: INVALID_CACHE; INVALID_ARGUMENT. */
HSA_API hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value);

/**
 * 2.3.1.25 Iterates over the caches of an agent, lowest level first. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent,
                                              hsa_status_t (*callback)(hsa_cache_t cache, void* data),
                                              void* data);

/* ---- 2.3.1.26, 2.3.1.27 Extensions of an agent ---- */

/**
 * 2.3.1.26 Deprecated: use hsa_agent_major_extension_supported. Gets whether an agent supports exactly this
 * version, which it cannot if the system does not. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                   uint16_t version_major, uint16_t version_minor,
                                                   bool* result);

/**
 * 2.3.1.27 Gets whether an agent supports a major version of an extension, which it cannot if the system does
 * not, and the greatest minor version that it supports. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent,
                                                         uint16_t version_major, uint16_t* version_minor,
                                                         bool* result);

#ifdef __cplusplus
}
#endif

#endif
