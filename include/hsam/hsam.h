/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The component interface between the generic HSA driver and agent drivers (HSA Multi-vendor
 * Architecture 1.1, chapter 3; "MVA" below). An agent driver is a shared library in C or anything that speaks
 * C. It exports
 *
 *     int hsam_agent_driver_main(const hsam_host *host);
 *
 * which registers one or more agents through host->register_agent and returns 0. The library is opened when
 * the first client starts (first hsa_init) and stays loaded.
 *
 * The first 14 members of hsa_agent_driver_interface and the first 13 of hsa_generic_driver_interface are the
 * messages of the specification under their own names. What the specification leaves open (enumeration, code
 * loading, queue errors, inactivation) follows in a tail that begins with `tail_size`, so that either side
 * can be older.
 *
 * Every request of the generic driver may be answered at once (HSAM_Done or an error) or later: return
 * HSAM_Async and call agent_reply with the cookie once. Outputs (…_at_agent) are stored before the answer.
 * MVA 3.2.
 */
#ifndef HSAM_HSAM_H_
#define HSAM_HSAM_H_

#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSAM_VERSION_MAJOR 1
#define HSAM_VERSION_MINOR 1

/* Answers (MVA 3.2.2). */
typedef enum HSAM_Error {
  HSAM_Done = 0,
  HSAM_Async = -1,
  HSAM_Not_Supported = -2,
  HSAM_OutOfResources = -3,
  /* ours: the request names something that the agent does not accept (a malformed code object, a bad handle)
   */
  HSAM_Invalid = -4
} HSAM_Error;

typedef enum hsam_segment {
  HSAM_SEGMENT_GLOBAL = 0,
  HSAM_SEGMENT_READONLY = 1,
  HSAM_SEGMENT_PRIVATE = 2,
  HSAM_SEGMENT_GROUP = 3,
  HSAM_SEGMENT_KERNARG = 4,
  HSAM_SEGMENT_SYSTEM = 5
} hsam_segment;

typedef enum hsam_global_flag {
  HSAM_GLOBAL_FLAG_KERNARG = 1,
  HSAM_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSAM_GLOBAL_FLAG_COARSE_GRAINED = 4
} hsam_global_flag;

/* Values differ from hsa_access_permission_t: translate, never cast (MVA 3.9). */
typedef enum hsam_access_permission {
  HSAM_ACCESS_PERMISSION_RO = 0,
  HSAM_ACCESS_PERMISSION_WO = 1,
  HSAM_ACCESS_PERMISSION_RW = 2
} hsam_access_permission;

/* ---- signals in memory (MVA 3.10)
 * ----------------------------------------------------------------------------- */

/* Bits of the flags words. The root's flags are one 64-bit word and change as one. */
#define HSAM_NODE_STATE_INACTIVE 0x1u
#define HSAM_NODE_BARRIER_SHIFT 1
#define HSAM_NODE_BARRIER_MASK 0x1eu
#define HSAM_BARRIER_MEMORY 0u
#define HSAM_BARRIER_PERIPHERAL 1u
#define HSAM_ROOT_DRIVER_ID_SHIFT 16
#define HSAM_ROOT_DOORBELL_VALUE_SHIFT 32

typedef struct hsa_destination_node {
  uint64_t flags; /* state, barrier type */
  void* internal_data_ptr;
  uint64_t* doorbell_address;
  struct hsa_destination_node* next_dest_hier;
} hsa_destination_node;

typedef struct hsa_group_node {
  uint64_t flags; /* barrier type */
  void* internal_data_ptr;
  uint64_t* doorbell_address;
  uint64_t* state; /* 0 active, 1 inactive */
  struct hsa_group_node* next_group_hier;
} hsa_group_node;

typedef struct hsa_root_dest_node {
  uint64_t flags; /* state 0, barrier type 4:1, device driver id 31:16, doorbell value 63:32 */
  void* internal_data_ptr;
  hsa_destination_node* next_dest_hier;
  hsa_group_node* next_group_hier;
} hsa_root_dest_node;

typedef struct hsa_signal_object {
  uint64_t* signal_value_ptr;
  uint32_t number_of_dests;
  uint32_t reserved;
  hsa_root_dest_node root_dest_array[1]; /* number_of_dests entries */
} hsa_signal_object;

typedef struct hsa_signal_group_destination {
  int device_driver_id;
  void* internal_data_ptr;
} hsa_signal_group_destination;

typedef struct hsa_signal_group_object {
  uint32_t number_of_signals;
  uint32_t number_of_dests;
  hsa_signal_object** signals;                       /* number_of_signals */
  hsa_signal_group_destination* signal_destinations; /* number_of_dests */
} hsa_signal_group_object;

/* What a sender calls when it finds an INACTIVE destination (MVA 3.11.3); set by whoever made the signal. */
typedef struct hsam_signal_hooks {
  void (*destination_unreachable)(hsa_signal_object* signal, int64_t device_driver_id);
} hsam_signal_hooks;

struct hsam_wait_record; /* hsam/signal.h */

/*
 * What a signal handle points to: hsa_signal_t.handle is the address of one of these, 64-byte aligned.
 * `value` and the two words `waiters` and `attached` are all that a sender reads while nobody waits.
 * Operations: hsam/signal.h.
 */
typedef struct hsam_signal {
  int64_t value;
  uint32_t waiters;          /* wait records in the list */
  uint32_t futex;            /* lock over the list of wait records */
  hsa_signal_object* object; /* destinations; never null for a live signal */
  uint32_t attached; /* roots that have a node hierarchy or are INACTIVE: 0 = a send needs no walk of them */
  uint32_t flags;    /* HSAM_SIGNAL_*, generation of the block in bits 31:8 */
  uint64_t
      start_timestamp; /* of the dispatch that last completed on this signal, system ticks; 0 = unknown */
  uint64_t end_timestamp;
  struct hsam_wait_record* wait_records; /* conditions of threads that sleep or are about to */
  const hsam_signal_hooks* hooks;        /* null = none */
} hsam_signal;

#define HSAM_SIGNAL_DOORBELL 0x1u /* a queue's doorbell: store is the only legal update */
#define HSAM_SIGNAL_GENERATION_SHIFT 8

/* ---- queues in memory (MVA 3.11.3)
 * ------------------------------------------------------------------------------ */

/* hsa_queue_t is its prefix. Followed by the agent's destination_private bytes. */
typedef struct hsa_user_mode_queue {
  hsa_queue_t queue;         /* 40 bytes */
  uint64_t reserved_2;       /* @40 */
  uint64_t* write_index_ptr; /* @48 */
  uint64_t* read_index_ptr;  /* @56 */
} hsa_user_mode_queue;

typedef struct HSAM_queue_info_str {
  hsa_user_mode_queue* queue_header_user_addr;
  void* payload_user_addr;
  uint32_t size; /* packets */
  uint64_t* read_index_ptr_kern_addr;
  uint64_t* write_index_ptr_kern_addr;
  hsa_queue_type32_t type;
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  int callbacks_required_flag;
} HSAM_queue_info_str;

/* ---- what an agent is
 * ------------------------------------------------------------------------------------------- */

/* Memory that an agent can see. `flags` nonzero for global only. Identity: two agents that name the same
 * `memory_id` share the region (same handle for clients). */
typedef struct hsam_region_description {
  hsam_segment segment;
  uint32_t global_flags;
  uint64_t size;
  uint64_t alloc_max_size; /* 0 for segments that the runtime does not allocate */
  uint32_t alloc_max_private_workgroup_size;
  uint8_t runtime_alloc_allowed;
  uint64_t alloc_granule;
  uint64_t alloc_alignment;
  uint64_t memory_id; /* HSAM_MEMORY_HOST_*, or the agent's own numbers >= HSAM_MEMORY_AGENT_FIRST */
} hsam_region_description;

#define HSAM_MEMORY_HOST_KERNARG 1 /* fine-grained host memory with the kernarg flag */
#define HSAM_MEMORY_HOST_FINE 2
#define HSAM_MEMORY_HOST_COARSE 3
#define HSAM_MEMORY_AGENT_FIRST 16

typedef struct hsam_isa_description {
  const char* name; /* "heddle:x86-64-v4:w1" */
  uint32_t wavefront_size;
  uint8_t machine_models[2];            /* small, large: supported? */
  uint8_t profiles[2];                  /* base, full */
  uint8_t default_float_rounding_modes; /* bit 1<<hsa_default_float_rounding_mode_t */
  uint8_t base_profile_default_float_rounding_modes;
  uint8_t fast_f16;
  uint8_t mad_is_fused;
  uint16_t workgroup_max_dim[3];
  uint32_t workgroup_max_size;
  hsa_dim3_t grid_max_dim;
  uint64_t grid_max_size;
  uint32_t fbarrier_max_size;
  uint16_t exception_policies[2]; /* base, full: mask of hsa_exception_policy_t */
} hsam_isa_description;

typedef struct hsam_cache_description {
  const char* name;
  uint8_t level;
  uint32_t size;
  uint32_t line_size;
} hsam_cache_description;

/* agent_driver_config (MVA 3.3.2) and, behind tail_size, what runtime queries need. All pointers stay valid
 * for the life of the process. */
typedef struct hsa_agent_driver_config {
  uint32_t major, minor; /* of MVA that the driver was written for */
  uint32_t agent_id;     /* the driver's own number for this agent; unique within the driver */
  const char* name;      /* 63 characters at most are visible to clients */
  hsa_profile_t profile;
  uint32_t destination_private_size; /* bytes behind each queue header */
  uint8_t safe_own_payload, safe_all_payload, safe_all_headers, safe_all_memory, page_faults;
  /* ---- tail ---- */
  size_t tail_size;    /* sizeof(hsa_agent_driver_config) at the driver's build */
  void* agent_context; /* first argument of the tail members that have no client */
  const char* vendor_name;
  hsa_device_type_t device;
  uint32_t features; /* mask of hsa_agent_feature_t; 0 = no dispatch (host agent) */
  hsa_default_float_rounding_mode_t default_float_rounding_mode;
  uint32_t queues_max, queue_min_size, queue_max_size;
  hsa_queue_type32_t queue_type;
  uint32_t node;
  uint32_t compute_unit_count;
  uint64_t max_clock_frequency; /* Hz, 0 = unknown */
  hsa_agent_group_segment_type_t group_segment_type;
  const hsam_region_description* regions;
  uint32_t region_count;
  const hsam_isa_description* isas; /* best first; empty for agents without kernel dispatch */
  uint32_t isa_count;
  const hsam_cache_description* caches; /* ascending level */
  uint32_t cache_count;
  /* Nonzero: the agent attaches destination nodes to signals and wants signal_new/signal_remove (and the
   * group messages) for each signal that names it. Zero: it only uses hsam/signal.h on handles, and is spared
   * them; queue_new then gets the doorbell's signal handle as doorbell_handle_at_agent. */
  uint8_t wants_signal_messages;
  /* Nonzero: memory_allocation and memory_free for all memory that clients allocate or register, not only for
   * the agent's own regions. */
  uint8_t wants_memory_messages;
  /* Nonzero: the agent executes image instructions by software on host memory. The handles that kernels get are then
   * addresses of heddle::image::Image and Sampler (src/image), which the runtime makes. Zero: no images. */
  uint8_t host_images;
} hsa_agent_driver_config;

/* What the generic driver tells an agent at registration (MVA 3.3.3). */
typedef struct hsa_generic_driver_config {
  uint32_t major, minor;
  uint16_t device_driver_id; /* distinct for each agent */
} hsa_generic_driver_config;

/* Address of one variable that a code object refers to, by its number in the code object. */
typedef struct hsam_variable_address {
  uint32_t variable; /* index in the code object's variables */
  uint64_t address;
} hsam_variable_address;

/* ---- generic driver -> agent (MVA 3.4 to 3.9)
 * --------------------------------------------------------------------- */
typedef struct hsa_agent_driver_interface {
  HSAM_Error (*client_new)(int64_t client_handle, void* user_virtual_space, void* cookie,
                           int64_t* client_handle_at_agent);
  HSAM_Error (*client_remove)(int64_t client_handle_at_agent, void* cookie);
  /* signal_handle is hsa_signal_t.handle: the address of the hsam_signal. */
  HSAM_Error (*signal_new)(int64_t client_handle_at_agent, int64_t signal_handle,
                           hsa_signal_object* signal_user_addr, hsa_root_dest_node* root_kern_addr,
                           void* cookie, int64_t* signal_handle_at_agent);
  HSAM_Error (*signal_remove)(int64_t client_handle_at_agent, int64_t signal_handle_at_agent, void* cookie);
  void (*unblock_destination)(int64_t client_handle_at_agent, int64_t signal_handle_at_agent);
  HSAM_Error (*signal_group_new)(int64_t client_handle_at_agent, int64_t group_handle,
                                 int32_t number_of_signals, const int64_t* signal_handles_at_agent,
                                 hsa_signal_group_object* group_user_addr,
                                 hsa_signal_group_destination* destination_kern_addr, void* cookie,
                                 int64_t* group_handle_at_agent);
  HSAM_Error (*signal_group_remove)(int64_t client_handle_at_agent, int64_t group_handle_at_agent,
                                    void* cookie);
  HSAM_Error (*queue_new)(int64_t client_handle_at_agent, int64_t doorbell_handle_at_agent,
                          int64_t queue_handle, HSAM_queue_info_str info, void* cookie,
                          int64_t* queue_handle_at_agent);
  HSAM_Error (*queue_remove)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent, void* cookie);
  HSAM_Error (*memory_allocation)(int64_t client_handle_at_agent, void* va, int32_t size,
                                  hsam_segment segment, int32_t global_flag_mask, void* cookie);
  HSAM_Error (*memory_free)(int64_t client_handle_at_agent, void* va, void* cookie);
  HSAM_Error (*memory_acquire)(int64_t client_handle_at_agent, void* va, hsam_access_permission permission,
                               void* cookie);
  HSAM_Error (*memory_release)(int64_t client_handle_at_agent, void* va, void* cookie);
  HSAM_Error (*memory_copy)(int64_t client_handle_at_agent, void* dest, const void* src, int32_t size,
                            void* cookie);
  /* ---- tail ---- */
  size_t tail_size; /* sizeof(hsa_agent_driver_interface) at the driver's build */
  /* Stops launching packets of the queue; done when no wave of it runs any more and no further completion
   * signal will be touched. No queue_error follows. Runtime 2.5.5.4. */
  HSAM_Error (*queue_inactivate)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent, void* cookie);
  /* Installs the agent part of a code object (an ELF blob, which may go away afterwards). `variables` gives
   * addresses of the variables it refers to. On HSAM_Invalid the reason has been logged through host->log. */
  HSAM_Error (*code_load)(int64_t client_handle_at_agent, const void* code_object, size_t size,
                          const hsam_variable_address* variables, uint32_t variable_count, void* cookie,
                          int64_t* code_handle_at_agent);
  HSAM_Error (*code_unload)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, void* cookie);
  /* kernel_object of a dispatch packet for kernel number `kernel` of the code object: an address of at least
   * 256 readable bytes, never 0. */
  HSAM_Error (*code_kernel)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, uint32_t kernel,
                            uint64_t* kernel_object);
  /* Handle of an indirect function, as icall takes it. */
  HSAM_Error (*code_function)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, uint32_t function,
                              uint64_t* function_handle);
} hsa_agent_driver_interface;

/* ---- agent -> generic driver (MVA 3.4 to 3.9)
 * --------------------------------------------------------------------- */
typedef struct hsa_generic_driver_interface {
  void (*client_error)(int64_t client_handle, uint64_t address, uint32_t access, int64_t queue_handle);
  void (*destination_unreachable)(int64_t client_handle, hsa_signal_object* signal_user_addr,
                                  int64_t device_driver_id);
  HSAM_Error (*agent_memory_reserve)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_unreserve)(int64_t client_handle, void* va, int32_t size);
  HSAM_Error (*agent_memory_allocate)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_allocate_safe_to_access)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_free)(int64_t client_handle, void* va);
  HSAM_Error (*agent_memory_map)(int64_t client_handle, int32_t size, void* physical, void** va);
  HSAM_Error (*agent_memory_unmap)(int64_t client_handle, void* va, int32_t size);
  HSAM_Error (*agent_memory_allocate_physical)(int64_t client_handle, int32_t size, void** physical);
  HSAM_Error (*agent_memory_free_physical)(int64_t client_handle, void* physical, int32_t size);
  void (*agent_reply)(HSAM_Error code, void* cookie);
  void (*launch_dll)(int64_t client_handle, char* dll_file);
  /* ---- tail ---- */
  size_t tail_size; /* sizeof(hsa_generic_driver_interface) at the generic driver's build */
  /* The queue has gone into its error state: no further packet of it will be launched. The generic driver
   * calls the application's callback on a thread of its own, once a queue. `message` (may be null) names
   * kernel, work-item and address; it is copied. Runtime 2.5.5.1, 2.6.4. */
  void (*queue_error)(int64_t client_handle, int64_t queue_handle, hsa_status_t status, const char* message);
  /* Whether `address` .. +size lies in memory that an agent of this client may touch; for checks of packets.
   */
  int (*is_signal)(int64_t client_handle, uint64_t signal);
  /* System timestamp, in the ticks of HSA_SYSTEM_INFO_TIMESTAMP. */
  uint64_t (*timestamp)(void);
} hsa_generic_driver_interface;

typedef const hsa_generic_driver_interface* (*hsa_register_agent_t)(const hsa_agent_driver_interface* agent,
                                                                    const hsa_agent_driver_config* config,
                                                                    hsa_generic_driver_config* out);

/* Registers an agent (MVA 3.3.1). NULL if the driver was written for a newer MVA, the arguments are
 * malformed, or the first client has already started. Exported by the runtime library; drivers get it through
 * hsam_host and so need not link against anything. */
const hsa_generic_driver_interface* hsa_register_agent(const hsa_agent_driver_interface* agent,
                                                       const hsa_agent_driver_config* config,
                                                       hsa_generic_driver_config* out);

typedef enum hsam_log_level {
  HSAM_LOG_ERROR = 0,
  HSAM_LOG_WARNING = 1,
  HSAM_LOG_INFO = 2,
  HSAM_LOG_DEBUG = 3
} hsam_log_level;

/* Services for agent drivers; size-prefixed. */
typedef struct hsam_host {
  size_t size;
  uint32_t major, minor;
  hsa_register_agent_t register_agent;
  void (*log)(hsam_log_level level, const char* source, const char* message);
  /* Value of a heddle setting (environment HEDDLE_<NAME>), or null. */
  const char* (*setting)(const char* name);
} hsam_host;

typedef int (*hsam_agent_driver_main_t)(const hsam_host* host);
#define HSAM_AGENT_DRIVER_MAIN "hsam_agent_driver_main"

#ifdef __cplusplus
}
#endif
#endif /* HSAM_HSAM_H_ */
