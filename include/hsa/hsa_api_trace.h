/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The tables through which all functions of the runtime are called, for tools that intercept calls. Names and
 * layouts are those of ROCm 6.3; the tables of ROCm 6.0 to 6.2 are prefixes of them. (ROCm 5 has functions of
 * the AMD extension at other places and says so by its major version 1.)
 *
 * A tool is a shared library that the environment variable HSA_TOOLS_LIB names, or one that the process has
 * loaded already (it is linked or preloaded, or the program has opened it) and that exports a constant
 *
 *     const uint32_t HSA_AMD_TOOL_PRIORITY = 50;
 *
 * The first hsa_init loads it if it is not loaded, and calls its function OnLoad, which saves entries of the
 * tables and replaces them by functions of its own:
 *
 *     bool OnLoad(HsaApiTable* table, uint64_t runtime_version, uint64_t failed_tool_count,
 *                 const char* const* failed_tool_names);
 *     void OnUnload(void);
 *
 * - runtime_version is HSA_API_TABLE_MAJOR_VERSION of the runtime. failed_tool_names are the tools before
 *   this one that could not be loaded. The tables belong to the runtime; the names are valid during the call.
 * - OnLoad may call functions of the runtime. If it returns false, what it wrote to the tables is undone.
 * - Tools that HSA_TOOLS_LIB names come first, in the order of their names, and then the others by ascending
 *   priority. The functions of the last tool are called first. No tool is started twice.
 * - The last hsa_shut_down calls OnUnload of all tools, if they have it, in the reverse order, while the
 *   runtime still works. Then the tables get their first contents back. The libraries stay in the process,
 *   because other threads may still execute their functions; the next first hsa_init calls OnLoad again.
 * - The tables may be written at any time, entry by entry. A call uses either the old or the new function.
 * - Functions of the runtime do not call each other through the tables, so that a tool sees what the program
 *   calls. Functions in tables of extensions (hsa_system_get_major_extension_table) go through the tables.
 * - The child of a fork starts with the first contents of the tables, and without tools until its hsa_init.
 *
 * hsa_ven_heddle_trace.h has the table of those functions that ROCm's tables do not have.
 */
#ifndef HSA_API_TRACE_H_
#define HSA_API_TRACE_H_

#include <stddef.h>
#include <stdint.h>

#include "hsa.h"
/* After hsa.h. */
#include "amd/api_functions.h"
#include "core/api_functions.h"
#include "hsa_amd_tool.h"
#include "hsa_ext_amd.h"
#include "hsa_ext_finalize.h"
#include "hsa_ext_image.h"
#include "hsa_ven_amd_pc_sampling.h"

/** Major versions: tables of different major versions have nothing in common. */
#define HSA_API_TABLE_MAJOR_VERSION 0x03
#define HSA_CORE_API_TABLE_MAJOR_VERSION 0x02
#define HSA_AMD_EXT_API_TABLE_MAJOR_VERSION 0x02
#define HSA_FINALIZER_API_TABLE_MAJOR_VERSION 0x02
#define HSA_IMAGE_API_TABLE_MAJOR_VERSION 0x02
#define HSA_AQLPROFILE_API_TABLE_MAJOR_VERSION 0x01
#define HSA_TOOLS_API_TABLE_MAJOR_VERSION 0x01
#define HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION 0x01

/** Steps: each step adds entries at the end of a table. */
#define HSA_API_TABLE_STEP_VERSION 0x01
#define HSA_CORE_API_TABLE_STEP_VERSION 0x00
#define HSA_AMD_EXT_API_TABLE_STEP_VERSION 0x04
#define HSA_FINALIZER_API_TABLE_STEP_VERSION 0x00
#define HSA_IMAGE_API_TABLE_STEP_VERSION 0x00
#define HSA_AQLPROFILE_API_TABLE_STEP_VERSION 0x00
#define HSA_TOOLS_API_TABLE_STEP_VERSION 0x00
#define HSA_PC_SAMPLING_API_TABLE_STEP_VERSION 0x00

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Receives packets from an interceptor, which is to call it for all packets that are to go on: as many as it
 * likes, in one or more calls, during its own call only.
 */
typedef void (*hsa_amd_queue_intercept_packet_writer)(const void* pkts, uint64_t pkt_count);

/**
 * An interceptor: gets pkt_count packets, which begin at pkts, and passes on what the queue is to execute
 * instead. user_pkt_index is the number of the packet that the program wrote, data what was registered.
 */
typedef void (*hsa_amd_queue_intercept_handler)(const void* pkts, uint64_t pkt_count, uint64_t user_pkt_index,
                                                void* data, hsa_amd_queue_intercept_packet_writer writer);

/** Is called with a queue that the runtime makes for its own use. */
typedef void (*hsa_amd_runtime_queue_notifier)(const hsa_queue_t* queue, hsa_agent_t agent, void* data);

/** The format of a marker, which is a packet of type HSA_PACKET_TYPE_VENDOR_SPECIFIC. */
#define AMD_AQL_FORMAT_INTERCEPT_MARKER 0xFEu

struct amd_aql_intercept_marker_s;

/**
 * Is called with a marker. queue is the queue from which the agent takes packets, and packet_id is the number
 * that the next packet has there.
 */
typedef void (*amd_intercept_marker_handler)(const struct amd_aql_intercept_marker_s* packet,
                                             hsa_queue_t* queue, uint64_t packet_id);

/**
 * A marker, which interceptors write before a packet in order to learn where the packet goes. The agent does
 * not get it; its callback is called before the agent sees the packet.
 */
typedef struct amd_aql_intercept_marker_s {
  uint16_t header;
  uint8_t format;      /**< AMD_AQL_FORMAT_INTERCEPT_MARKER */
  uint8_t reserved[5]; /**< 0 */
#if defined(HSA_LARGE_MODEL)
  amd_intercept_marker_handler callback;
#elif defined(HSA_LITTLE_ENDIAN)
  amd_intercept_marker_handler callback;
  uint32_t reserved1; /**< 0 */
#else
  uint32_t reserved1; /**< 0 */
  amd_intercept_marker_handler callback;
#endif
  uint64_t user_data[6]; /**< for the tool */
} amd_aql_intercept_marker_t;

/**
 * Creates a queue whose packets go through interceptors before the agent gets them. Arguments and errors are
 * those of hsa_queue_create; size is at least 3. The queue is used and destroyed like any other.
 *
 * - Each packet that the program writes goes to the interceptor that was registered last, and what that
 *   passes on to the one before it. What the first one passes on goes to the agent, in this order.
 * - Interceptors run on the thread that rings the doorbell, one packet at a time, with a lock of the queue.
 *   If code of an agent rings, such as a kernel, another thread calls them; if an interceptor rings, they are
 *   called when it has returned.
 * - An interceptor may pass on any number of packets, none included. What it passes on in one call of the
 *   writer becomes visible to the agent together, if the queue is large enough.
 * - Packets for which the agent's queue has no room wait in memory. Nobody waits for room.
 * - Errors of the queue come with this queue as their source. The read index says which packets have been
 *   intercepted, not which the agent has taken.
 */
HSA_API hsa_status_t hsa_amd_queue_intercept_create(
    hsa_agent_t agent_handle, uint32_t size, hsa_queue_type32_t type,
    void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data), void* data,
    uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t** queue);

/**
 * Adds an interceptor, which gets packets before those that are registered already. user_data is passed to
 * it. Errors: INVALID_ARGUMENT (callback NULL); INVALID_QUEUE (not of hsa_amd_queue_intercept_create).
 */
HSA_API hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue,
                                                      hsa_amd_queue_intercept_handler callback,
                                                      void* user_data);

/**
 * Has callback called for each queue that the runtime makes for its own use from now on. The runtime makes
 * none: it copies on the host. Errors: INVALID_ARGUMENT (callback NULL).
 */
HSA_API hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback,
                                                           void* user_data);

/** The first member of each table. */
typedef struct ApiTableVersion {
  uint32_t major_id;
  uint32_t minor_id; /**< the size of the table in bytes: entries beyond it do not exist */
  uint32_t step_id;
  uint32_t reserved; /**< 0 */
} ApiTableVersion;

/** The entry of a function: a pointer of its type with the suffix _fn. Tables are lists of functions. */
#define HSA_API_TABLE_ENTRY(name) __typeof__(name)* name##_fn;

/** The functions of HSA_FINALIZER_1_00 in the order of FinalizerExtTable. */
#define HSA_FINALIZER_EXT_API_FUNCTIONS(F) \
  F(hsa_ext_program_create)                \
  F(hsa_ext_program_destroy)               \
  F(hsa_ext_program_add_module)            \
  F(hsa_ext_program_iterate_modules)       \
  F(hsa_ext_program_get_info)              \
  F(hsa_ext_program_finalize)

/** The functions of the images extension in the order of ImageExtTable. */
#define HSA_IMAGE_EXT_API_FUNCTIONS(F)        \
  F(hsa_ext_image_get_capability)             \
  F(hsa_ext_image_data_get_info)              \
  F(hsa_ext_image_create)                     \
  F(hsa_ext_image_import)                     \
  F(hsa_ext_image_export)                     \
  F(hsa_ext_image_copy)                       \
  F(hsa_ext_image_clear)                      \
  F(hsa_ext_image_destroy)                    \
  F(hsa_ext_sampler_create)                   \
  F(hsa_ext_sampler_destroy)                  \
  F(hsa_ext_image_get_capability_with_layout) \
  F(hsa_ext_image_data_get_info_with_layout)  \
  F(hsa_ext_image_create_with_layout)

/** The functions of sampling of program counters in the order of PcSamplingExtTable. */
#define HSA_PC_SAMPLING_EXT_API_FUNCTIONS(F) \
  F(hsa_ven_amd_pcs_iterate_configuration)   \
  F(hsa_ven_amd_pcs_create)                  \
  F(hsa_ven_amd_pcs_create_from_id)          \
  F(hsa_ven_amd_pcs_destroy)                 \
  F(hsa_ven_amd_pcs_start)                   \
  F(hsa_ven_amd_pcs_stop)                    \
  F(hsa_ven_amd_pcs_flush)

typedef struct CoreApiTable {
  ApiTableVersion version;
  HSA_CORE_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} CoreApiTable;

typedef struct AmdExtTable {
  ApiTableVersion version;
  HSA_AMD_EXT_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} AmdExtTable;

typedef struct FinalizerExtTable {
  ApiTableVersion version;
  HSA_FINALIZER_EXT_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} FinalizerExtTable;

typedef struct ImageExtTable {
  ApiTableVersion version;
  HSA_IMAGE_EXT_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} ImageExtTable;

/**
 * Functions of tools that the runtime calls; NULL until a tool sets them. Heddle calls none of them, because
 * its agents do not allocate scratch memory while kernels run.
 */
typedef struct ToolsApiTable {
  ApiTableVersion version;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_alloc_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_alloc_end_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_free_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_free_end_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_async_reclaim_start_fn;
  hsa_amd_tool_event hsa_amd_tool_scratch_event_async_reclaim_end_fn;
} ToolsApiTable;

typedef struct PcSamplingExtTable {
  ApiTableVersion version;
  HSA_PC_SAMPLING_EXT_API_FUNCTIONS(HSA_API_TABLE_ENTRY)
} PcSamplingExtTable;

/** The root. */
typedef struct HsaApiTable {
  ApiTableVersion version;
  CoreApiTable* core_;
  AmdExtTable* amd_ext_;
  FinalizerExtTable* finalizer_ext_;
  ImageExtTable* image_ext_;
  ToolsApiTable* tools_;
  PcSamplingExtTable* pc_sampling_ext_;
} HsaApiTable;

#ifdef __cplusplus
}
#endif

#endif
