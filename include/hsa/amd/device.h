/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Parts of AMD's GPUs that no agent of heddle has (AMD extension). The functions exist for programs that try
 * them; what hsa.h says about errors and threads holds here too.
 */
#ifndef HSA_AMD_DEVICE_H_
#define HSA_AMD_DEVICE_H_

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reserves the streaming performance monitor of an agent. Errors: INVALID_AGENT; HSA_STATUS_ERROR (the agent
 * has none). */
HSA_API hsa_status_t hsa_amd_spm_acquire(hsa_agent_t preferred_agent);

/** Gives the monitor back. Errors: INVALID_AGENT; HSA_STATUS_ERROR (the agent has none). */
HSA_API hsa_status_t hsa_amd_spm_release(hsa_agent_t preferred_agent);

/**
 * Gives the monitor a buffer for what it counts. Errors: INVALID_AGENT; HSA_STATUS_ERROR (the agent has
 * none).
 */
HSA_API hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t preferred_agent, size_t size_in_bytes,
                                                 uint32_t* timeout, uint32_t* size_copied, void* dest,
                                                 bool* is_data_loss);

/**
 * Limits the private memory that an agent keeps between dispatches and gives back when others need it.
 * Errors: INVALID_AGENT; INVALID_ARGUMENT (the agent gives no such memory back, as none of heddle does).
 */
HSA_API hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold);

/** Bits of the flags of hsa_amd_enable_logging. */
typedef enum hsa_amd_log_flag_s {
  HSA_AMD_LOG_FLAG_BLIT_KERNEL_PKTS = 0 /**< packets by which the runtime copies and fills memory */
} hsa_amd_log_flag_t;

/**
 * Chooses what is logged to a file (a FILE* of C): flags is uint8_t[8], a bit for each kind of message.
 * heddle writes no such messages, because it sends no packets of its own; its log is HEDDLE_LOG. Errors:
 * none.
 */
HSA_API hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void* file);

#ifdef __cplusplus
}
#endif
#endif
