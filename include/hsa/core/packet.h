// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * Architected Queuing Language packets (Runtime 2.6).
 *
 * Every packet is 64 bytes long and begins with a 16-bit header. The header must be written last, with
 * release order and, for a kernel dispatch, in one 32-bit store together with setup, because the packet
 * belongs to the packet processor as soon as its type is no longer INVALID. Reserved fields are 0.
 *
 * The processor launches packets in order. It subtracts 1 from the completion signal when a packet is
 * complete.
 */
#ifndef HSA_CORE_PACKET_H_
#define HSA_CORE_PACKET_H_

#include "signal.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * 2.6.5.1 Packet types. All queues accept INVALID and the barriers; hsa_queue_feature_t says which dispatches
 * a queue accepts.
 */
typedef enum {
  HSA_PACKET_TYPE_VENDOR_SPECIFIC = 0, /**< the vendor defines everything except the header */
  HSA_PACKET_TYPE_INVALID = 1,         /**< free slot; the processor waits here */
  HSA_PACKET_TYPE_KERNEL_DISPATCH = 2,
  HSA_PACKET_TYPE_BARRIER_AND = 3,
  HSA_PACKET_TYPE_AGENT_DISPATCH = 4,
  HSA_PACKET_TYPE_BARRIER_OR = 5
} hsa_packet_type_t;

/** 2.6.5.2 Scope of a memory fence of a packet on the global segment. */
typedef enum {
  HSA_FENCE_SCOPE_NONE = 0, /**< no fence */
  HSA_FENCE_SCOPE_AGENT = 1,
  HSA_FENCE_SCOPE_SYSTEM = 2 /**< includes the agent */
} hsa_fence_scope_t;

/** 2.6.5.3 Bit offsets of the header's fields. */
typedef enum {
  HSA_PACKET_HEADER_TYPE = 0,    /**< hsa_packet_type_t */
  HSA_PACKET_HEADER_BARRIER = 8, /**< launch only after all preceding packets are complete */
  /** hsa_fence_scope_t: fence before the packet becomes active; it and later packets see what was released */
  HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE = 9,
  HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE = 9, /**< deprecated */
  /** hsa_fence_scope_t: fence before the packet completes; releases the writes of it and of finished packets
   * */
  HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE = 11,
  HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE = 11 /**< deprecated */
} hsa_packet_header_t;

/** 2.6.5.4 Widths in bits of the header's fields. */
typedef enum {
  HSA_PACKET_HEADER_WIDTH_TYPE = 8,
  HSA_PACKET_HEADER_WIDTH_BARRIER = 1,
  HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE = 2,
  HSA_PACKET_HEADER_WIDTH_ACQUIRE_FENCE_SCOPE = 2, /**< deprecated */
  HSA_PACKET_HEADER_WIDTH_SCRELEASE_FENCE_SCOPE = 2,
  HSA_PACKET_HEADER_WIDTH_RELEASE_FENCE_SCOPE = 2 /**< deprecated */
} hsa_packet_header_width_t;

/** 2.6.5.5 Bit offsets of the fields of a kernel dispatch packet's setup. */
typedef enum {
  HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS = 0 /**< dimensions of the grid: 1, 2 or 3 */
} hsa_kernel_dispatch_packet_setup_t;

/** 2.6.5.6 Widths in bits of the fields of a kernel dispatch packet's setup. */
typedef enum {
  HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS = 2
} hsa_kernel_dispatch_packet_setup_width_t;

/**
 * 2.6.5.7 Executes a kernel. Sizes are in work-items: at least 1, and exactly 1 in the dimensions that the
 * grid does not have. In each dimension the grid must be at least as large as the work-group, but need not be
 * a multiple of it.
 */
typedef struct hsa_kernel_dispatch_packet_s {
  uint16_t header; /**< hsa_packet_header_t */
  uint16_t setup;  /**< hsa_kernel_dispatch_packet_setup_t */
  uint16_t workgroup_size_x;
  uint16_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t reserved0;
  uint32_t grid_size_x;
  uint32_t grid_size_y;
  uint32_t grid_size_z;
  uint32_t private_segment_size; /**< bytes per work-item */
  uint32_t group_segment_size;   /**< bytes per work-group, static and dynamic */
  uint64_t kernel_object;        /**< HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT */
#ifdef HSA_LARGE_MODEL
  void* kernarg_address; /**< arguments, or NULL; from a KERNARG region, unchanged until completion */
#elif defined(HSA_LITTLE_ENDIAN)
  void* kernarg_address;
  uint32_t reserved1;
#else
  uint32_t reserved1;
  void* kernarg_address;
#endif
  uint64_t reserved2;
  hsa_signal_t completion_signal; /**< 0: none */
} hsa_kernel_dispatch_packet_t;

/** 2.6.5.8 Asks an agent to do something that the application has defined. */
typedef struct hsa_agent_dispatch_packet_s {
  uint16_t header; /**< hsa_packet_header_t */
  uint16_t type;   /**< application-defined function to execute */
  uint32_t reserved0;
#ifdef HSA_LARGE_MODEL
  void* return_address; /**< where results go, or NULL */
#elif defined(HSA_LITTLE_ENDIAN)
  void* return_address;
  uint32_t reserved1;
#else
  uint32_t reserved1;
  void* return_address;
#endif
  uint64_t arg[4];
  uint64_t reserved2;
  hsa_signal_t completion_signal; /**< 0: none */
} hsa_agent_dispatch_packet_t;

/**
 * 2.6.5.9 Delays all later packets of the queue until every dependency has been observed to be 0, though not
 * necessarily at the same time. Handle 0 counts as satisfied.
 */
typedef struct hsa_barrier_and_packet_s {
  uint16_t header; /**< hsa_packet_header_t */
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal; /**< 0: none */
} hsa_barrier_and_packet_t;

/**
 * 2.6.5.10 Delays all later packets of the queue until one dependency has been observed to be 0. Handle 0
 * counts as not satisfied, so a packet without dependencies never completes.
 */
typedef struct hsa_barrier_or_packet_s {
  uint16_t header; /**< hsa_packet_header_t */
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal; /**< 0: none */
} hsa_barrier_or_packet_t;

#ifdef __cplusplus
}
#endif

#endif
