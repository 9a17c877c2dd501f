/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The signals of AMD's devices in memory. amd_hsa_common.h says what this is for. */
#ifndef AMD_HSA_SIGNAL_H_
#define AMD_HSA_SIGNAL_H_

#include "amd_hsa_common.h"

#define AMD_SIGNAL_ALIGN_BYTES 64
#define AMD_SIGNAL_ALIGN AMD_HSA_ALIGNED(AMD_SIGNAL_ALIGN_BYTES)

/** What a signal is. */
enum amd_signal_kind_t {
  AMD_SIGNAL_KIND_INVALID = 0,
  AMD_SIGNAL_KIND_USER = 1,            /**< a value in memory */
  AMD_SIGNAL_KIND_DOORBELL = -1,       /**< a register of the device with 64 bits */
  AMD_SIGNAL_KIND_LEGACY_DOORBELL = -2 /**< a register of the device with 32 bits */
};
typedef int64_t amd_signal_kind64_t;

struct amd_queue_s;

/** A signal: 64 bytes, of which a device writes value, start_ts and end_ts. */
typedef struct AMD_SIGNAL_ALIGN amd_signal_s {
  amd_signal_kind64_t kind;
  AMD_HSA_EXTENSION union {
    volatile int64_t value;                          /**< AMD_SIGNAL_KIND_USER */
    volatile uint32_t* legacy_hardware_doorbell_ptr; /**< AMD_SIGNAL_KIND_LEGACY_DOORBELL */
    volatile uint64_t* hardware_doorbell_ptr;        /**< AMD_SIGNAL_KIND_DOORBELL */
  };
  uint64_t event_mailbox_ptr; /**< where the device writes event_id to wake the host; 0: nowhere */
  uint32_t event_id;
  uint32_t reserved1;
  uint64_t start_ts; /**< when the dispatch that the signal completes started, in ticks of the device */
  uint64_t end_ts;   /**< when it ended */
  AMD_HSA_EXTENSION union {
    struct amd_queue_s* queue_ptr; /**< the queue of a doorbell */
    uint64_t reserved2;
  };
  uint32_t reserved3[2];
} amd_signal_t;

#endif
