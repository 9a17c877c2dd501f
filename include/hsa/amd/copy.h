/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Asynchronous copies of the AMD extension. A copy starts when each of its dependencies has been seen with
 * the value 0, and then subtracts 1 from its completion signal; if it fails, it sets the signal to a negative
 * value instead. Source and destination must be accessible and must not overlap, and stay valid until then.
 */
#ifndef HSA_AMD_COPY_H_
#define HSA_AMD_COPY_H_

#include <stdbool.h>
#include <stddef.h>

#include "../hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies size bytes. If size is 0, there is no copy, and the completion signal keeps its value.
 * Errors: INVALID_AGENT; INVALID_SIGNAL (a dependency or the completion signal); INVALID_ARGUMENT (also: the
 * completion signal is 0; dep_signals NULL though num_dep_signals > 0); OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                               hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                               const hsa_signal_t* dep_signals,
                                               hsa_signal_t completion_signal);

/** The engines that make copies, as bits of a mask. heddle has the first. */
typedef enum hsa_amd_sdma_engine_id {
  HSA_AMD_SDMA_ENGINE_0 = 0x1,
  HSA_AMD_SDMA_ENGINE_1 = 0x2,
  HSA_AMD_SDMA_ENGINE_2 = 0x4,
  HSA_AMD_SDMA_ENGINE_3 = 0x8,
  HSA_AMD_SDMA_ENGINE_4 = 0x10,
  HSA_AMD_SDMA_ENGINE_5 = 0x20,
  HSA_AMD_SDMA_ENGINE_6 = 0x40,
  HSA_AMD_SDMA_ENGINE_7 = 0x80,
  HSA_AMD_SDMA_ENGINE_8 = 0x100,
  HSA_AMD_SDMA_ENGINE_9 = 0x200,
  HSA_AMD_SDMA_ENGINE_10 = 0x400,
  HSA_AMD_SDMA_ENGINE_11 = 0x800,
  HSA_AMD_SDMA_ENGINE_12 = 0x1000,
  HSA_AMD_SDMA_ENGINE_13 = 0x2000,
  HSA_AMD_SDMA_ENGINE_14 = 0x4000,
  HSA_AMD_SDMA_ENGINE_15 = 0x8000
} hsa_amd_sdma_engine_id_t;

/**
 * Copies like hsa_amd_memory_async_copy, on one engine. Because that engine makes all copies,
 * force_copy_on_sdma changes nothing.
 * Errors: those of hsa_amd_memory_async_copy; INVALID_ARGUMENT (also: no such engine).
 */
HSA_API hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, size_t size,
    uint32_t num_dep_signals, const hsa_signal_t* dep_signals, hsa_signal_t completion_signal,
    hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma);

/**
 * Gives the mask of the engines that have no copy to make at the moment.
 * Errors: INVALID_AGENT (also: both are the same agent); INVALID_ARGUMENT; OUT_OF_RESOURCES (there is none,
 * and the mask is 0).
 */
HSA_API hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                       uint32_t* engine_ids_mask);

/** Memory in rows and layers; pitch and slice are the distances between them in bytes. */
typedef struct hsa_pitched_ptr_s {
  void* base;
  size_t pitch;
  size_t slice;
} hsa_pitched_ptr_t;

/** Between which agents memory is copied. Existing programs rely on these names without a prefix. */
typedef enum {
  hsaHostToHost = 0,
  hsaHostToDevice = 1,
  hsaDeviceToHost = 2,
  hsaDeviceToDevice = 3
} hsa_amd_copy_direction_t;

/**
 * Copies a cuboid: range->x bytes of each of range->y rows of range->z layers, from src_offset in src to
 * dst_offset in dst (x in bytes, y in rows, z in layers). If a member of range is 0, there is no copy, and
 * the completion signal keeps its value. Addresses, pitches and slices need no alignment. The direction is
 * checked and makes no difference.
 * Errors: INVALID_AGENT; INVALID_SIGNAL; INVALID_ARGUMENT (also: the completion signal is 0; dep_signals NULL
 * though num_dep_signals > 0; no such direction; rows that are longer than a pitch, or layers that are larger
 * than a slice, if there are several; addresses that overflow); OUT_OF_RESOURCES.
 */
HSA_API hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst,
                                                    const hsa_dim3_t* dst_offset,
                                                    const hsa_pitched_ptr_t* src,
                                                    const hsa_dim3_t* src_offset, const hsa_dim3_t* range,
                                                    hsa_agent_t copy_agent, hsa_amd_copy_direction_t dir,
                                                    uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                                    hsa_signal_t completion_signal);

#ifdef __cplusplus
}
#endif
#endif
