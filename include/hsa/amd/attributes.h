/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Attributes of agents and regions that the AMD extension adds. hsa_agent_get_info and hsa_region_get_info
 * take them, converted to hsa_agent_info_t and hsa_region_info_t. The attributes of the system are in
 * core/system.h.
 *
 * Many of these attributes describe parts of AMD's GPUs. For an agent that has no such part the value is 0;
 * the comments name such attributes. docs/status.md says what heddle's agents answer.
 */
#ifndef HSA_AMD_ATTRIBUTES_H_
#define HSA_AMD_ATTRIBUTES_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Attributes of an agent; the comment gives the type of the value. */
typedef enum hsa_amd_agent_info_s {
  HSA_AMD_AGENT_INFO_CHIP_ID = 0xA000,             /**< uint32_t: PCI device ID; 0: no PCI device */
  HSA_AMD_AGENT_INFO_CACHELINE_SIZE = 0xA001,      /**< uint32_t: bytes; 0: unknown */
  HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT = 0xA002,  /**< uint32_t */
  HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY = 0xA003, /**< uint32_t: MHz; 0: unknown */
  HSA_AMD_AGENT_INFO_DRIVER_NODE_ID = 0xA004,      /**< uint32_t: number of the agent within the driver */
  /** uint32_t: ranges of addresses whose accesses the agent can report; 0: none */
  HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS = 0xA005,
  /** uint32_t: PCI bus in bits 15:8, device in 7:3, function in 2:0; 0: no PCI device */
  HSA_AMD_AGENT_INFO_BDFID = 0xA006,
  HSA_AMD_AGENT_INFO_MEMORY_WIDTH = 0xA007,         /**< uint32_t: bits of the memory bus; 0: unknown */
  HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY = 0xA008, /**< uint32_t: MHz; 0: unknown */
  HSA_AMD_AGENT_INFO_PRODUCT_NAME = 0xA009,         /**< char[64], NUL to its end */
  HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU = 0xA00A,     /**< uint32_t: waves that a compute unit holds at once */
  HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU = 0xA00B,     /**< uint32_t: vector units of a compute unit */
  HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES = 0xA00C,   /**< uint32_t: groups of compute units */
  HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE = 0xA00D, /**< uint32_t: parts of such a group */
  /** hsa_amd_hdp_flush_t; both NULL for an agent whose memory the host reaches without a write buffer */
  HSA_AMD_AGENT_INFO_HDP_FLUSH = 0xA00E,
  HSA_AMD_AGENT_INFO_DOMAIN = 0xA00F, /**< uint32_t: PCI domain */
  /** bool: whether queues of type HSA_QUEUE_TYPE_COOPERATIVE can be created */
  HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES = 0xA010,
  /** char[21]: "CPU-", "GPU-" or "DSP-" and 16 hexadecimal digits, or "XX" if the agent has no number of its
   * own; NUL to its end */
  HSA_AMD_AGENT_INFO_UUID = 0xA011,
  HSA_AMD_AGENT_INFO_ASIC_REVISION = 0xA012, /**< uint32_t: stepping of the processor; 0: unknown */
  /** bool: whether the host can access the agent's shared virtual memory where it is */
  HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS = 0xA013,
  HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT = 0xA014, /**< uint32_t: of cooperative queues */
  HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 0xA015,                   /**< uint64_t: free bytes of its memory */
  HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY = 0xA016,            /**< uint64_t: Hz, of its profiling times */
  HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID = 0xA107,                 /**< uint32_t: AMD GPUs only, otherwise 0 */
  HSA_AMD_AGENT_INFO_UCODE_VERSION = 0xA108,                  /**< uint32_t: AMD GPUs only, otherwise 0 */
  HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION = 0xA109,             /**< uint32_t: AMD GPUs only, otherwise 0 */
  HSA_AMD_AGENT_INFO_NUM_SDMA_ENG = 0xA10A,                   /**< uint32_t: copy engines in hardware */
  HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG = 0xA10B,              /**< uint32_t: those for links between GPUs */
  HSA_AMD_AGENT_INFO_IOMMU_SUPPORT = 0xA110,                  /**< hsa_amd_iommu_version_t */
  HSA_AMD_AGENT_INFO_NUM_XCC = 0xA111,     /**< uint32_t: dies with compute units that the agent unites */
  HSA_AMD_AGENT_INFO_DRIVER_UID = 0xA112,  /**< uint32_t: minor number of its device file; 0: none */
  HSA_AMD_AGENT_INFO_NEAREST_CPU = 0xA113, /**< hsa_agent_t: the host agent that is nearest to the agent */
  HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES = 0xA114, /**< uint8_t[8]: hsa_amd_agent_memory_properties_t */
  HSA_AMD_AGENT_INFO_AQL_EXTENSIONS = 0xA115     /**< uint8_t[8]: bits for packets of the vendor; 0: none */
} hsa_amd_agent_info_t;

/** Addresses of the registers that flush what the host wrote to an agent's memory. */
typedef struct hsa_amd_hdp_flush_s {
  uint32_t* HDP_MEM_FLUSH_CNTL;
  uint32_t* HDP_REG_FLUSH_CNTL;
} hsa_amd_hdp_flush_t;

/** How an agent translates addresses of pageable memory. */
typedef enum {
  HSA_IOMMU_SUPPORT_NONE = 0,
  HSA_IOMMU_SUPPORT_V2 = 1 /**< through the page tables of the process */
} hsa_amd_iommu_version_t;

/** Bits of HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES. */
typedef enum hsa_amd_agent_memory_properties_s {
  HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU = 1 /**< agent and host have the same physical memory */
} hsa_amd_agent_memory_properties_t;

/** Attributes of a region; the comment gives the type of the value. */
typedef enum hsa_amd_region_info_s {
  HSA_AMD_REGION_INFO_HOST_ACCESSIBLE = 0xA000,    /**< bool: whether the host can access the memory */
  HSA_AMD_REGION_INFO_BASE = 0xA001,               /**< void*: where it is mapped; NULL: nowhere as a whole */
  HSA_AMD_REGION_INFO_BUS_WIDTH = 0xA002,          /**< uint32_t: bits; 0: unknown */
  HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY = 0xA003 /**< uint32_t: MHz; 0: unknown */
} hsa_amd_region_info_t;

/** Whether an agent's fine-grained accesses go past its caches; only the first AMD APUs tell the two apart.
 */
typedef enum hsa_amd_coherency_type_s {
  HSA_AMD_COHERENCY_TYPE_COHERENT = 0,
  HSA_AMD_COHERENCY_TYPE_NONCOHERENT = 1
} hsa_amd_coherency_type_t;

/**
 * Gets what hsa_amd_coherency_set_type has set; COHERENT before. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type);

/**
 * Says which coherency the program expects of an agent. heddle's agents are always coherent, which satisfies
 * both. Errors: INVALID_AGENT; INVALID_ARGUMENT.
 */
HSA_API hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type);

#ifdef __cplusplus
}
#endif
#endif
