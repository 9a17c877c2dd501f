/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The extension of AMD for sampling of program counters: while a session is started, hardware notes now and
 * then where the waves of an agent are. No agent of heddle has such hardware, so that there are no
 * configurations and no sessions, and the functions answer as ROCm's do on devices without it. What hsa.h
 * says about errors and threads holds here too. The functions are in a table of their own (hsa_api_trace.h).
 */
#ifndef HSA_VEN_AMD_PC_SAMPLING_H_
#define HSA_VEN_AMD_PC_SAMPLING_H_

#include <stddef.h>
#include <stdint.h>

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sample that the driver has taken by stopping a wave. */
typedef struct {
  uint64_t pc;
  uint64_t exec_mask; /**< the active lanes */
  uint32_t workgroup_id_x, workgroup_id_y, workgroup_id_z;
  uint32_t wave_in_wg : 6; /**< number of the wave in its work-group */
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id; /**< where the wave is, as the hardware says */
  uint32_t reserved0;
  uint64_t reserved1;
  uint64_t timestamp;
  uint64_t correlation_id; /**< of the dispatch */
} perf_sample_hosttrap_v1_t;

/** A sample that hardware has taken by itself, with what it knows of the instruction. */
typedef struct {
  uint64_t pc;
  uint64_t exec_mask;
  uint32_t workgroup_id_x, workgroup_id_y, workgroup_id_z;
  uint32_t wave_in_wg : 6;
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id;
  uint32_t perf_snapshot_data, perf_snapshot_data1, perf_snapshot_data2;
  uint64_t timestamp;
  uint64_t correlation_id;
} perf_sample_snapshot_v1_t;

/** Who takes samples. */
typedef enum {
  HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1 = 0,
  HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1 = 1
} hsa_ven_amd_pcs_method_kind_t;

/** What intervals between samples are counted in. */
typedef enum {
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS = 0,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_CLOCK_CYCLES = 1,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS = 2
} hsa_ven_amd_pcs_units_t;

/** Flags of configurations. */
typedef enum {
  HSA_VEN_AMD_PCS_CONFIGURATION_FLAGS_INTERVAL_POWER_OF_2 = 1 /**< intervals are powers of 2 */
} hsa_ven_amd_pcs_configuration_flags_t;

/** A way in which an agent can be sampled. */
typedef struct {
  hsa_ven_amd_pcs_method_kind_t method;
  hsa_ven_amd_pcs_units_t units;
  size_t min_interval, max_interval;
  uint64_t flags; /**< hsa_ven_amd_pcs_configuration_flags_t, or-ed */
} hsa_ven_amd_pcs_configuration_t;

/** A session. */
typedef struct {
  uint64_t handle;
} hsa_ven_amd_pcs_t;

/** Is given by the runtime to fetch data_size bytes of samples. */
typedef hsa_status_t (*hsa_ven_amd_pcs_data_copy_callback_t)(void* hsa_callback_data, size_t data_size,
                                                             void* destination);

/** Is called when there are samples to fetch; may not call hsa_ven_amd_pcs_flush. */
typedef void (*hsa_ven_amd_pcs_data_ready_callback_t)(void* client_callback_data, size_t data_size,
                                                      size_t lost_sample_count,
                                                      hsa_ven_amd_pcs_data_copy_callback_t data_copy_callback,
                                                      void* hsa_callback_data);

/** Is called for each configuration. */
typedef hsa_status_t (*hsa_ven_amd_pcs_iterate_configuration_callback_t)(
    const hsa_ven_amd_pcs_configuration_t* configuration, void* callback_data);

/**
 * Calls a function for each way in which the agent can be sampled.
 * Errors: INVALID_AGENT (also: the agent is no GPU); INVALID_ARGUMENT (NULL); HSA_STATUS_ERROR (the hardware
 * cannot be sampled).
 */
HSA_API hsa_status_t hsa_ven_amd_pcs_iterate_configuration(
    hsa_agent_t agent, hsa_ven_amd_pcs_iterate_configuration_callback_t configuration_callback,
    void* callback_data);

/**
 * Makes a session, which is stopped. data_ready_callback is called when buffer_size bytes of samples are
 * expected within latency microseconds, and by a flush.
 * Errors: INVALID_AGENT (also: the agent is no GPU); INVALID_ARGUMENT (also: NULL, no such method or unit);
 * HSA_STATUS_ERROR (the hardware cannot be sampled).
 */
HSA_API hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                            hsa_ven_amd_pcs_units_t units, size_t interval, size_t latency,
                                            size_t buffer_size,
                                            hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                            void* client_callback_data, hsa_ven_amd_pcs_t* pc_sampling);

/** The same for sampling that has been reserved with the kernel driver, which has called it pcs_id. */
HSA_API hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t pcs_id, hsa_agent_t agent,
                                                    hsa_ven_amd_pcs_method_kind_t method,
                                                    hsa_ven_amd_pcs_units_t units, size_t interval,
                                                    size_t latency, size_t buffer_size,
                                                    hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                                    void* client_callback_data,
                                                    hsa_ven_amd_pcs_t* pc_sampling);

/** Stops and destroys a session. Errors: INVALID_ARGUMENT (there is no such session). */
HSA_API hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t pc_sampling);

/** Starts a session. Errors: INVALID_ARGUMENT (there is no such session). */
HSA_API hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t pc_sampling);

/** Stops a session, which keeps its samples. Errors: INVALID_ARGUMENT (there is no such session). */
HSA_API hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t pc_sampling);

/** Delivers the samples that a session has. Errors: INVALID_ARGUMENT (there is no such session). */
HSA_API hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t pc_sampling);

#ifdef __cplusplus
}
#endif

#endif
