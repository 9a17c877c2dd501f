/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The queues of AMD's devices in memory. amd_hsa_common.h says what this is for. */
#ifndef AMD_HSA_QUEUE_H_
#define AMD_HSA_QUEUE_H_

#include "amd_hsa_common.h"
#include "hsa.h"

#define AMD_QUEUE_ALIGN_BYTES 64
#define AMD_QUEUE_ALIGN AMD_HSA_ALIGNED(AMD_QUEUE_ALIGN_BYTES)

/** Properties of a queue, as bit fields. */
enum amd_queue_properties_t {
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER, 0, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_IS_PTR64, 1, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS, 2, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_ENABLE_PROFILING, 3, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE, 4, 1),
  AMD_HSA_BITS_CREATE_ENUM_ENTRIES(AMD_QUEUE_PROPERTIES_RESERVED1, 5, 27)
};
typedef uint32_t amd_queue_properties32_t;

/** A queue: what the client sees, and behind it what the device and its runtime share. 256 bytes. */
typedef struct AMD_QUEUE_ALIGN amd_queue_s {
  hsa_queue_t hsa_queue;
  uint32_t reserved1[4];
  volatile uint64_t write_dispatch_id;       /**< the write index */
  uint32_t group_segment_aperture_base_hi;   /**< upper half of the flat address of the group segment */
  uint32_t private_segment_aperture_base_hi; /**< the same of the private segment */
  uint32_t max_cu_id;                        /**< number of compute units, minus one */
  uint32_t max_wave_id;                      /**< waves of a compute unit, minus one */
  volatile uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  volatile uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  volatile uint64_t read_dispatch_id;               /**< the read index */
  uint32_t read_dispatch_id_field_base_byte_offset; /**< from the beginning of the queue */
  uint32_t compute_tmpring_size;                    /**< private memory of waves, as the device has it */
  uint32_t scratch_resource_descriptor[4];
  uint64_t scratch_backing_memory_location;
  uint64_t scratch_backing_memory_byte_size;
  uint32_t scratch_wave64_lane_byte_size; /**< private bytes of a work-item in waves of 64 */
  amd_queue_properties32_t queue_properties;
  uint32_t reserved3[2];
  hsa_signal_t queue_inactive_signal; /**< gets the error that has stopped the queue */
  uint32_t reserved4[14];
} amd_queue_t;

#endif
