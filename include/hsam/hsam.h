/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The component interface between the generic HSA driver and agent drivers (HSA Multi-vendor
 * Architecture 1.1, chapter 2; "MVA" below). An agent driver is a shared library in C or anything that speaks
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
 * What holds for all messages, unless their comment says otherwise:
 *
 * - Answers. Every request of the generic driver may be answered at once (HSAM_Done or an error) or later:
 *   return HSAM_Async and call agent_reply with the cookie once, with any code except HSAM_Async. The agent
 *   may do so before the request has returned. A message is a request if it has a cookie, which is the
 *   generic driver's number for this one request and is never used again. The agent stores outputs
 *   (..._at_agent) before it answers; the generic driver does not read them after a rejection. Requests of an
 *   agent are answered at once. MVA 2.2.
 * - Threads. The generic driver sends a message on the thread of the client's call that needs it, and waits
 *   there for the answer. Several clients' threads may send messages to one agent at the same time, about
 *   different objects. About one object only one message is in progress at a time, and none after its
 *   removal. An agent may send its messages from any thread at any time between client_new and the answer to
 *   client_remove, but while it answers a request it must not wait for a thread that itself waits for an
 *   answer from the generic driver.
 * - Ownership. Structures and arrays that pointers refer to belong to the sender and are valid during the
 *   call; the receiver copies what it wants to keep. Where a structure is memory of the client (signal
 *   objects, queues, allocations), it stays where it is until the message that removes it has been answered,
 *   and no longer.
 * - Handles. ..._handle is the generic driver's number for an object. ..._handle_at_agent is the agent's own,
 *   of any value including 0, which the generic driver only passes back to the agent.
 * - Addresses are those of the client's process, in which agents run, too: kernel and user addresses of the
 *   specification are the same. Sizes are in bytes. An area too large for an int32_t is announced in
 *   consecutive pieces of 1 GiB. Agents that need areas of their own of this size call functions ..._large.
 * - Errors. A client sees HSAM_OutOfResources as HSA_STATUS_ERROR_OUT_OF_RESOURCES, HSAM_Invalid as
 *   INVALID_ARGUMENT, HSAM_Not_Supported and everything else as HSA_STATUS_ERROR, unless the comment says
 *   otherwise. A removal must not fail: it is logged, and the object counts as gone. A member that is null
 *   counts as HSAM_Not_Supported.
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

/** Answers (MVA 2.3). */
typedef enum HSAM_Error {
  HSAM_Done = 0,
  HSAM_Async = -1, /* agent_reply follows */
  HSAM_Not_Supported = -2,
  HSAM_OutOfResources = -3,
  /* not of the MVA: the agent does not accept an argument, such as a malformed code object or a handle */
  HSAM_Invalid = -4
} HSAM_Error;

/** Kind of memory (MVA 2.9.1.1). SYSTEM is memory of the operating system that the client has registered. */
typedef enum hsam_segment {
  HSAM_SEGMENT_GLOBAL = 0,
  HSAM_SEGMENT_READONLY = 1,
  HSAM_SEGMENT_PRIVATE = 2,
  HSAM_SEGMENT_GROUP = 3,
  HSAM_SEGMENT_KERNARG = 4,
  HSAM_SEGMENT_SYSTEM = 5
} hsam_segment;

/** Bits that describe global memory (MVA 2.9.1.2). */
typedef enum hsam_global_flag {
  HSAM_GLOBAL_FLAG_KERNARG = 1,
  HSAM_GLOBAL_FLAG_FINE_GRAINED = 2,
  HSAM_GLOBAL_FLAG_COARSE_GRAINED = 4,
  /* Not of the MVA, in memory_allocation only: the memory is in a region of the agent that gets the message
   * (memory_id >= HSAM_MEMORY_AGENT_FIRST), so that the agent has to provide it. */
  HSAM_GLOBAL_FLAG_OWN_REGION = 0x100
} hsam_global_flag;

/** What an owner may do with memory (MVA 2.9.1.3). The values differ from those of hsa_access_permission_t,
 * so one has to be translated into the other and must not be cast. */
typedef enum hsam_access_permission {
  HSAM_ACCESS_PERMISSION_RO = 0,
  HSAM_ACCESS_PERMISSION_WO = 1,
  HSAM_ACCESS_PERMISSION_RW = 2
} hsam_access_permission;

/* ---- signals in memory (MVA 3.2 to 3.8) ---- */

/* Bits of the flags words. The root's flags are one 64-bit word and change as one. */
#define HSAM_NODE_STATE_INACTIVE 0x1u
#define HSAM_NODE_BARRIER_SHIFT 1
#define HSAM_NODE_BARRIER_MASK 0x1eu
#define HSAM_BARRIER_MEMORY 0u
#define HSAM_BARRIER_PERIPHERAL 1u
#define HSAM_ROOT_DRIVER_ID_SHIFT 16
#define HSAM_ROOT_DOORBELL_VALUE_SHIFT 32

/**
 * A doorbell that a sender rings for an agent that waits (MVA 3.5.1). The agent owns its nodes. It may link
 * and unlink them while senders walk the list (hsam/signal.h), and must keep nodes, doorbells and states
 * readable until every signal that ever had them has been removed (MVA 3.9.4).
 */
typedef struct hsa_destination_node {
  uint64_t flags;                              /* state, barrier type */
  void* internal_data_ptr;                     /* the agent's own */
  uint64_t* doorbell_address;                  /* gets the root's doorbell value */
  struct hsa_destination_node* next_dest_hier; /* null: the last */
} hsa_destination_node;

/** A doorbell for a wait on a group of signals. Its state is a separate word, because several signals share
 * it (MVA 3.6.1). */
typedef struct hsa_group_node {
  uint64_t flags; /* barrier type */
  void* internal_data_ptr;
  uint64_t* doorbell_address;
  uint64_t* state; /* 0 active, 1 inactive */
  struct hsa_group_node* next_group_hier;
} hsa_group_node;

/** One agent's entry in a signal. Only that agent writes it, and it writes the flags as one word (MVA 3.4.1,
 * 3.9). */
typedef struct hsa_root_dest_node {
  uint64_t flags; /* state 0, barrier type 4:1, device driver id 31:16, doorbell value 63:32 */
  void* internal_data_ptr;
  hsa_destination_node* next_dest_hier;
  hsa_group_node* next_group_hier;
} hsa_root_dest_node;

/** A signal's value and destinations (MVA 3.2.1). Owned by the generic driver, as long as the signal lives.
 */
typedef struct hsa_signal_object {
  uint64_t* signal_value_ptr;
  uint32_t number_of_dests;
  uint32_t reserved;
  hsa_root_dest_node root_dest_array[1]; /* number_of_dests entries */
} hsa_signal_object;

/** One agent that waits on a group (MVA 3.7.1). */
typedef struct hsa_signal_group_destination {
  int device_driver_id;
  void* internal_data_ptr;
} hsa_signal_group_destination;

/** Signals that are waited on together (MVA 3.3.1). Owned by the generic driver, as long as the group lives.
 */
typedef struct hsa_signal_group_object {
  uint32_t number_of_signals;
  uint32_t number_of_dests;
  hsa_signal_object** signals;                       /* number_of_signals */
  hsa_signal_group_destination* signal_destinations; /* number_of_dests */
} hsa_signal_group_object;

/** Functions of the signal's creator that a sender calls, on its own thread, when it finds an INACTIVE
 * destination (MVA 3.11.3). */
typedef struct hsam_signal_hooks {
  void (*destination_unreachable)(hsa_signal_object* signal, int64_t device_driver_id);
} hsam_signal_hooks;

struct hsam_wait_record; /* hsam/signal.h */

/*
 * A signal. hsa_signal_t.handle is the address of this structure, which is 64-byte aligned. While nobody
 * waits, a sender reads only `value` and the two words `waiters` and `attached`. The operations on it are in
 * hsam/signal.h.
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
/* The block is memory that several processes share. Its `waiters` counts those of all processes. What belongs
 * to one process (the list of wait records with its lock and count, object, hooks, attached) is in the local
 * part, another hsam_signal at a fixed distance (hsam_signal_local in hsam/signal.h). */
#define HSAM_SIGNAL_SHARED 0x2u
#define HSAM_SIGNAL_GENERATION_SHIFT 8

/* ---- queues in memory (MVA 4) ---- */

/**
 * A queue's header (MVA 4.2), which begins with the hsa_queue_t and is followed by the agent's
 * destination_private_size bytes. The generic driver writes it once, before queue_new. Clients can overwrite
 * it, so an agent must rely on the HSAM_queue_info_str instead.
 */
typedef struct hsa_user_mode_queue {
  hsa_queue_t queue;         /* 40 bytes */
  uint64_t reserved_2;       /* @40 */
  uint64_t* write_index_ptr; /* @48 */
  uint64_t* read_index_ptr;  /* @56 */
} hsa_user_mode_queue;

/** What queue_new tells the agent about a queue (MVA 2.8.1). The memory that it points to lives until
 * queue_remove is answered. */
typedef struct HSAM_queue_info_str {
  hsa_user_mode_queue* queue_header_user_addr;
  void* payload_user_addr;             /* `size` packets of 64 bytes, 64-byte aligned; all INVALID at first */
  uint32_t size;                       /* packets; a power of 2 */
  uint64_t* read_index_ptr_kern_addr;  /* the agent writes it */
  uint64_t* write_index_ptr_kern_addr; /* clients write it */
  hsa_queue_type32_t type;             /* HSA_QUEUE_TYPE_*; COOPERATIVE if the agent has cooperative_queues */
  uint32_t private_segment_size; /* bytes of a work-item that the client expects; UINT32_MAX = unknown */
  uint32_t group_segment_size;   /* bytes of a work-group that the client expects; UINT32_MAX = unknown */
  int callbacks_required_flag;   /* nonzero: the client has given a callback for errors */
} HSAM_queue_info_str;

/** How important the dispatches of a queue are, compared with those of other queues of the agent. */
typedef enum hsam_queue_priority {
  HSAM_QUEUE_PRIORITY_LOW = 0,
  HSAM_QUEUE_PRIORITY_NORMAL = 1, /* of a new queue */
  HSAM_QUEUE_PRIORITY_HIGH = 2
} hsam_queue_priority;

/* ---- what an agent is ---- */

/** Memory that an agent can see, for hsa_region_get_info (Runtime 2.7.4.2). Two agents that name the same
 * `memory_id` share the region, for which clients see one handle. */
typedef struct hsam_region_description {
  hsam_segment segment;
  uint32_t global_flags;                     /* hsam_global_flag; 0 unless the segment is global */
  uint64_t size;                             /* bytes in all */
  uint64_t alloc_max_size;                   /* bytes; group, private: of a work-group, work-item */
  uint32_t alloc_max_private_workgroup_size; /* bytes of all work-items of a group; private only */
  uint8_t runtime_alloc_allowed;
  uint64_t alloc_granule;   /* bytes */
  uint64_t alloc_alignment; /* bytes; a power of 2 */
  uint64_t memory_id;       /* HSAM_MEMORY_HOST_*, or the agent's own numbers >= HSAM_MEMORY_AGENT_FIRST */
} hsam_region_description;

#define HSAM_MEMORY_HOST_KERNARG 1 /* fine-grained host memory with the kernarg flag */
#define HSAM_MEMORY_HOST_FINE 2
#define HSAM_MEMORY_HOST_COARSE 3
#define HSAM_MEMORY_AGENT_FIRST 16

/** An ISA that an agent executes, for hsa_isa_get_info (Runtime 2.8.1.4). Sizes are in work-items.
 * Work-groups of 256 work-items and 32 fbarriers are the least that clients may count on (PRM appendix A). */
typedef struct hsam_isa_description {
  /* "VENDOR:...", such as "heddle:x86-64-v4:w1". Code objects name the ISA that they are for. */
  const char* name;
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
  /* Null-terminated array of the names of further ISAs whose code every agent with this ISA executes, for
   * hsa_isa_compatible (Runtime 2.8.1.16). For example, the ISA of x86-64-v3 names that of v2. May be null.
   */
  const char* const* also_executes;
} hsam_isa_description;

/** A cache of an agent, for hsa_cache_get_info (Runtime 2.3.1.23). */
typedef struct hsam_cache_description {
  const char* name;   /* for people; may be null */
  uint8_t level;      /* from 1 */
  uint32_t size;      /* bytes */
  uint32_t line_size; /* bytes */
} hsam_cache_description;

/**
 * agent_driver_config (MVA 2.5.2) and, from tail_size on, what queries of the runtime need. It is copied at
 * registration, but the strings and arrays that it refers to are not: they must stay valid and unchanged for
 * the life of the process.
 */
typedef struct hsa_agent_driver_config {
  uint32_t major, minor; /* of MVA that the driver was written for */
  uint32_t agent_id;     /* the driver's own number for this agent; unique within the driver */
  const char* name;      /* 63 characters at most are visible to clients */
  hsa_profile_t profile;
  uint32_t destination_private_size; /* bytes behind each queue header */
  /* Nonzero: memory that this agent accesses must be locked, so that an access never faults: the payload of
   * its own queues, of all queues, the headers of all queues, all memory that clients allocate in host
   * regions or register. Locked memory is scarce for users who are not root (RLIMIT_MEMLOCK). page_faults:
   * the agent can take page faults (MVA 5.2); nothing depends on it here. */
  uint8_t safe_own_payload, safe_all_payload, safe_all_headers, safe_all_memory, page_faults;
  /* ---- tail ---- */
  size_t tail_size;        /* sizeof(hsa_agent_driver_config) at the driver's build */
  void* agent_context;     /* first argument of the tail members that have no client */
  const char* vendor_name; /* 63 characters at most are visible to clients */
  hsa_device_type_t device;
  /* Mask of hsa_agent_feature_t; 0 = no packets (host agent). An agent that takes packets needs queue_new,
   * queue_remove and queue_inactivate. One that dispatches kernels also needs an ISA, code_load, code_unload
   * and code_kernel; one that takes agent dispatch packets only does not. */
  uint32_t features;
  hsa_default_float_rounding_mode_t default_float_rounding_mode;
  /* Numbers of queues at a time and of packets, for agents that take packets. queues_max is at least 1. The
   * sizes are powers of 2 in ascending order; a minimum below 8 counts as 8, so the maximum is at least 8.
   * Programs exist that do not ask and create queues of 16384 packets, or arrays of queues_max elements on
   * their stacks. */
  uint32_t queues_max, queue_min_size, queue_max_size;
  hsa_queue_type32_t queue_type;
  uint32_t node;
  uint32_t compute_unit_count;
  uint64_t max_clock_frequency; /* Hz, 0 = unknown */
  hsa_agent_group_segment_type_t group_segment_type;
  /* At least one fine-grained global region that clients can allocate from; usually HSAM_MEMORY_HOST_FINE. An
   * agent that dispatches kernels also needs a fine-grained one with the kernarg flag. Group, private and
   * readonly regions say what dispatches may ask for; an agent without such memory leaves them out. Programs
   * exist that take the first global region for kernel arguments, and the last one to share data with the
   * host. */
  const hsam_region_description* regions;
  uint32_t region_count;
  const hsam_isa_description* isas; /* best first; empty for agents without kernel dispatch */
  uint32_t isa_count;
  const hsam_cache_description* caches; /* ascending level */
  uint32_t cache_count;
  /* Nonzero: the agent attaches destination nodes to signals and wants signal_new, signal_remove and the
   * group messages for each signal that names it. Zero: it only uses hsam/signal.h on handles and does not
   * get these messages; queue_new then gets the doorbell's signal handle as doorbell_handle_at_agent. */
  uint8_t wants_signal_messages;
  /* Nonzero: the agent gets memory_allocation and memory_free not only for its own regions, but for all
   * memory that clients allocate or register, and for the memory of the queues of all agents, which kernels
   * may access. Several small queues can share one allocation. */
  uint8_t wants_memory_messages;
  /* Nonzero: the agent executes image instructions by software. The handles that kernels get are then
   * addresses of hsam_image and hsam_sampler (hsam/image.h), which the runtime makes; it tells clients that
   * the agent reads and writes all formats of PRM Table 7-4 in all geometries, in the linear layout.
   * Zero: no images. */
  uint8_t host_images;
  /* Mask of hsam_activity_kind (hsam/activity.h): the activities that the agent reports. */
  uint32_t activities;
  /* Nonzero: the agent takes queues of type HSA_QUEUE_TYPE_COOPERATIVE. All work-groups of their dispatches
   * are in progress at the same time; the agent refuses those that are too large with OUT_OF_RESOURCES. It
   * holds at least one work-group for each compute unit, and as many work-items as the largest work-group
   * has, counted in whole waves, as far as their group memory is not more than that of one work-group. */
  uint8_t cooperative_queues;
  /* Nonzero: all memory that clients allocate in regions of the host, and that of queues if the agent also
   * wants_memory_messages, lies in files, which the agent may map in processes of its own (memory_file).
   * Small allocations share pages if the granule of their region (alloc_granule) is smaller than a page. Each
   * such page lies in the file as a whole, so that the agent may map the pages around an allocation; larger
   * ones have pages of their own. The child of a fork gets none of this memory. If the system refuses to make
   * the file longer, memory lies in no file, and the agent refuses what it cannot use. */
  uint8_t wants_memory_files;
} hsa_agent_driver_config;

/** What the generic driver tells an agent's driver at registration (MVA 2.5.3). */
typedef struct hsa_generic_driver_config {
  uint32_t major, minor;
  uint16_t device_driver_id; /* distinct for each agent */
} hsa_generic_driver_config;

/** The address of one variable that a code object refers to. */
typedef struct hsam_variable_address {
  uint32_t variable; /* index in the code object's variables */
  uint64_t address;
} hsam_variable_address;

/** What has happened to pages (MVA 5.4.8, 5.4.11). */
typedef enum hsam_range_change {
  HSAM_RANGE_COMMITTED = 0, /* they are there now and can be accessed */
  HSAM_RANGE_DISCARDED = 1, /* their contents are gone (madvise); the next access finds new pages */
  HSAM_RANGE_UNMAPPED = 2, /* nothing is at the addresses any more, or something else; they are not watched */
  /* the pages are at other addresses now (mremap), where they are not watched; UNMAPPED may follow */
  HSAM_RANGE_MOVED = 3
} hsam_range_change;

/** Bytes to copy: rows at equal distances, in layers at equal distances. Several rows make up a layer. */
typedef struct hsam_copy {
  void* to;
  const void* from;
  uint64_t row;                /* bytes; neither this nor the next two are 0 */
  uint64_t rows, layers;       /* rows of a layer, and layers */
  uint64_t to_pitch, to_slice; /* bytes from one row to the next, and from one layer to the next */
  uint64_t from_pitch, from_slice;
} hsam_copy;

/** What an agent can do with memory of another one; a mask. */
typedef enum hsam_peer_access {
  /* it can copy between its own memory and that of the other agent */
  HSAM_PEER_COPIES = 1,
  /* after peer_allow, its kernels can access that memory like its own, also with atomic operations */
  HSAM_PEER_KERNELS = 2
} hsam_peer_access;

/* ---- generic driver -> agent (MVA 2.6 to 2.9) ---- */
/** Copied at registration; the functions stay callable for the life of the process. */
typedef struct hsa_agent_driver_interface {
  /* MVA 2.6.1. A client needs this agent for the first time. Sent before any of the messages below that name
   * the client. user_virtual_space is null, because all clients share the address space. */
  HSAM_Error (*client_new)(int64_t client_handle, void* user_virtual_space, void* cookie,
                           int64_t* client_handle_at_agent);
  /* MVA 2.6.2. The client ends (last hsa_shut_down); its queues and code have been removed before. After the
   * answer the agent sends no more messages about it. */
  HSAM_Error (*client_remove)(int64_t client_handle_at_agent, void* cookie);
  /* MVA 2.7.1. A signal that this agent may wait on, or a queue's doorbell, has been created. Sent only if
   * wants_signal_messages. signal_handle is hsa_signal_t.handle: the address of the hsam_signal.
   * root_kern_addr is the agent's own entry. */
  HSAM_Error (*signal_new)(int64_t client_handle_at_agent, int64_t signal_handle,
                           hsa_signal_object* signal_user_addr, hsa_root_dest_node* root_kern_addr,
                           void* cookie, int64_t* signal_handle_at_agent);
  /* MVA 2.7.2. The signal is destroyed: nobody sends to it any more, and after the answer the agent must
   * touch neither it nor its root. The nodes that it had may be freed now. */
  HSAM_Error (*signal_remove)(int64_t client_handle_at_agent, int64_t signal_handle_at_agent, void* cookie);
  /* MVA 2.7.4. A sender found the agent's destination INACTIVE: the agent must wake everything that waits on
   * the signal there. Called on the sender's thread, which may hold locks, so this must not wait. False
   * alarms happen. signal_handle_at_agent is the signal's handle for agents that want no signal messages. The
   * generic driver keeps the signal from being removed meanwhile, so that no message may be sent from here.
   */
  void (*unblock_destination)(int64_t client_handle_at_agent, int64_t signal_handle_at_agent);
  /* MVA 2.7.5. A group of signals that this agent may wait on has been created. The member may be null for
   * agents that wait for the signals one by one. destination_kern_addr is the agent's own entry. */
  HSAM_Error (*signal_group_new)(int64_t client_handle_at_agent, int64_t group_handle,
                                 int32_t number_of_signals, const int64_t* signal_handles_at_agent,
                                 hsa_signal_group_object* group_user_addr,
                                 hsa_signal_group_destination* destination_kern_addr, void* cookie,
                                 int64_t* group_handle_at_agent);
  /* MVA 2.7.6. The group is destroyed; its signals live on. */
  HSAM_Error (*signal_group_remove)(int64_t client_handle_at_agent, int64_t group_handle_at_agent,
                                    void* cookie);
  /* MVA 2.8.1. hsa_queue_create: the agent processes the queue's packets from now on, on threads of its own.
   * doorbell_handle_at_agent is what signal_new gave, or the signal's handle. The client sees
   * HSAM_Not_Supported as INVALID_QUEUE_CREATION. */
  HSAM_Error (*queue_new)(int64_t client_handle_at_agent, int64_t doorbell_handle_at_agent,
                          int64_t queue_handle, HSAM_queue_info_str info, void* cookie,
                          int64_t* queue_handle_at_agent);
  /* MVA 2.8.2. hsa_queue_destroy, after queue_inactivate. After the answer the agent touches none of the
   * queue's memory and sends no queue_error. */
  HSAM_Error (*queue_remove)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent, void* cookie);
  /* MVA 2.9.2. The client has allocated memory in a region, or registered memory of the operating system
   * (segment SYSTEM), or the driver has allocated memory for queues in a region of the host. Sent to the
   * agent whose memory it is, and to all agents with wants_memory_messages. The addresses are reserved and
   * can be accessed by the host; with HSAM_GLOBAL_FLAG_OWN_REGION, what is there is the agent's business,
   * because clients copy such memory through memory_copy. */
  HSAM_Error (*memory_allocation)(int64_t client_handle_at_agent, void* va, int32_t size,
                                  hsam_segment segment, int32_t global_flag_mask, void* cookie);
  /* MVA 2.9.3. Memory that memory_allocation announced, or one piece of it, is freed. */
  HSAM_Error (*memory_free)(int64_t client_handle_at_agent, void* va, void* cookie);
  /* MVA 2.9.4. The agent becomes the owner of the coarse-grained memory that begins at `va`
   * (hsa_memory_assign_agent). What the last owner wrote must be visible to it from now on. */
  HSAM_Error (*memory_acquire)(int64_t client_handle_at_agent, void* va, hsam_access_permission permission,
                               void* cookie);
  /* MVA 2.9.5. The agent ceases to be the owner. What it wrote must be visible to the next owner. */
  HSAM_Error (*memory_release)(int64_t client_handle_at_agent, void* va, void* cookie);
  /* MVA 2.9.6. Copies between memory that the agent owns and memory of its own or of the host (MVA 5.4.7), or
   * in regions of other agents for which peer_access says HSAM_PEER_COPIES. Answered when the bytes have been
   * copied. The areas do not overlap. */
  HSAM_Error (*memory_copy)(int64_t client_handle_at_agent, void* dest, const void* src, int32_t size,
                            void* cookie);
  /* ---- tail ---- */
  size_t tail_size; /* sizeof(hsa_agent_driver_interface) at the driver's build */
  /* The agent stops launching packets of the queue, and answers when no wave of it runs any more and no
   * further completion signal will be touched. No queue_error follows. Runtime 2.5.5.4. */
  HSAM_Error (*queue_inactivate)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent, void* cookie);
  /* Installs the agent part of a code object for hsa_executable_freeze. The code object is an ELF file in
   * memory (hsam/code_object.h reads it) that need not outlive the call. `variables` gives addresses of the
   * variables it refers to, which live until code_unload. Before it answers HSAM_Invalid, the agent logs the
   * reason through host->log. The client sees HSAM_Invalid and HSAM_Not_Supported as INVALID_CODE_OBJECT. */
  HSAM_Error (*code_load)(int64_t client_handle_at_agent, const void* code_object, size_t size,
                          const hsam_variable_address* variables, uint32_t variable_count, void* cookie,
                          int64_t* code_handle_at_agent);
  /* The executable is destroyed. No dispatch of its kernels is in progress, unless the client broke the
   * rules. */
  HSAM_Error (*code_unload)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, void* cookie);
  /* Gives the kernel_object of dispatch packets for kernel number `kernel` of the code object: the address of
   * at least 256 readable bytes, never 0, valid until code_unload. This and code_function are answered at
   * once. */
  HSAM_Error (*code_kernel)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, uint32_t kernel,
                            uint64_t* kernel_object);
  /* Gives the handle of an indirect function, as icall takes it; valid until code_unload. */
  HSAM_Error (*code_function)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, uint32_t function,
                              uint64_t* function_handle);
  /* MVA 5.3.1. The operating system has changed pages of the client: those that the agent reported by
   * report_page_fault (called before that returns), or some of a range that it watches. The range consists of
   * whole pages. An agent with a shadow page table updates it before it returns. It sends no message from
   * here, and does not change the memory that it watches. Changes of watched ranges are told on a thread of
   * the generic driver, shortly after they have been made. */
  void (*update_range_on_agent)(int64_t client_handle_at_agent, void* va, uint64_t size,
                                hsam_range_change change);
  /* Gives the memory that the code of a code object takes, in one piece, for queries about what is loaded.
   * Size 0: the agent has no such memory, because it interprets the code object. Answered at once. */
  HSAM_Error (*code_extent)(int64_t client_handle_at_agent, int64_t code_handle_at_agent, uint64_t* base,
                            uint64_t* size);
  /* Sets the priority of the dispatches of a queue that are launched from now on. A client sees
   * HSAM_Not_Supported as HSA_STATUS_ERROR; this and the next message may be null. */
  HSAM_Error (*queue_set_priority)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent,
                                   hsam_queue_priority priority, void* cookie);
  /* Restricts the dispatches of a queue that are launched from now on to some of the agent's compute units:
   * bit i % 32 of mask[i / 32] stands for unit i. The mask has a bit for each unit, at least one of which is
   * set. */
  HSAM_Error (*queue_set_compute_units)(int64_t client_handle_at_agent, int64_t queue_handle_at_agent,
                                        const uint32_t* mask, uint32_t words, void* cookie);
  /* Allocates memory in a region of the agent's own (memory_id >= HSAM_MEMORY_AGENT_FIRST) at an address that
   * the agent chooses, for agents whose memory cannot be at addresses that the host has reserved. The host
   * need not be able to access it: clients copy such memory through memory_copy. `size` is a multiple of the
   * region's alloc_granule, and `alignment` a power of 2. Memory from here is announced to no agent by
   * memory_allocation. If the member is null, the generic driver reserves the addresses and sends
   * memory_allocation. A client sees HSAM_OutOfResources as HSA_STATUS_ERROR_OUT_OF_RESOURCES, and so all
   * other errors. An agent has both this member and the next one, or neither. */
  HSAM_Error (*region_allocate)(int64_t client_handle_at_agent, uint64_t memory_id, uint64_t size,
                                uint64_t alignment, void* cookie, void** va);
  /* Frees what region_allocate has allocated. */
  HSAM_Error (*region_free)(int64_t client_handle_at_agent, void* va, void* cookie);
  /* Begins a copy between areas that memory_copy could copy between, and answers HSAM_Async without waiting
   * for its end. The agent calls agent_reply when all bytes have been copied, or when no more will be because
   * of an error; it may do so before this function returns. `copy` is valid only until this function returns.
   * Copies in progress at the same time may end in any order. HSAM_Not_Supported: the agent cannot make this
   * copy without blocking the calling thread. The generic driver then sends memory_copy from a thread that
   * may wait, as it does if this member is null. */
  HSAM_Error (*memory_copy_start)(int64_t client_handle_at_agent, const hsam_copy* copy, void* cookie);
  /* Stores a mask of hsam_peer_access: what this agent can do with memory in the regions (memory_id >=
   * HSAM_MEMORY_AGENT_FIRST) of the agent whose number is device_driver_id. Must not return HSAM_Async, and
   * must give the same mask each time. If the member is null, the agent cannot use such memory, and copies
   * between the two agents go through memory of the host. */
  HSAM_Error (*peer_access)(int64_t client_handle_at_agent, uint16_t device_driver_id, uint32_t* access);
  /* Lets the kernels of the agent whose number is device_driver_id use all present and future memory in the
   * regions of this agent. Sent only if the peer_access of that agent stores HSAM_PEER_KERNELS for this one,
   * possibly several times for the same agent. The access is never withdrawn. A client sees
   * HSAM_OutOfResources as HSA_STATUS_ERROR_OUT_OF_RESOURCES. */
  HSAM_Error (*peer_allow)(int64_t client_handle_at_agent, uint16_t device_driver_id, void* cookie);
} hsa_agent_driver_interface;

/* ---- agent -> generic driver (MVA 2.6 to 2.11) ---- */
/** Why an access of a kernel failed; a mask. */
typedef enum hsam_fault_cause {
  HSAM_FAULT_NOT_PRESENT = 1,  /* there is no memory at the address */
  HSAM_FAULT_NOT_PERMITTED = 2 /* the memory does not permit the access, such as a store to a constant */
} hsam_fault_cause;

struct hsam_activity; /* hsam/activity.h */

/**
 * The generic driver's functions for agents. They live as long as the process and may be called from any
 * thread. A client_handle that names no client is logged and otherwise ignored. Sizes of memory are rounded
 * up to pages.
 */
typedef struct hsa_generic_driver_interface {
  /* MVA 2.6.3. An access by the agent failed and could not be repaired. `access` is used in the message: 0
   * for a read, 1 for a write. The queue fails as by queue_error with HSA_STATUS_ERROR_FATAL. */
  void (*client_error)(int64_t client_handle, uint64_t address, uint32_t access, int64_t queue_handle);
  /* MVA 2.7.3. An agent that sent to a signal found a destination INACTIVE. The address is checked before it
   * is read. The destination's unblock_destination is called before this returns. */
  void (*destination_unreachable)(int64_t client_handle, hsa_signal_object* signal_user_addr,
                                  int64_t device_driver_id);
  /* MVA 2.10.1, 2.10.2. Reserve addresses without memory behind them. They are given back as a whole, with
   * the same size. These and the memory functions below fail with HSAM_OutOfResources, or with HSAM_Invalid
   * if the size is not positive or the address was not given out. */
  HSAM_Error (*agent_memory_reserve)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_unreserve)(int64_t client_handle, void* va, int32_t size);
  /* MVA 2.10.3 to 2.10.5. Allocate zeroed memory of the operating system. That of the second function is
   * locked, so that an access never faults. The third function frees both kinds. */
  HSAM_Error (*agent_memory_allocate)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_allocate_safe_to_access)(int64_t client_handle, int32_t size, void** va);
  HSAM_Error (*agent_memory_free)(int64_t client_handle, void* va);
  /* MVA 2.10.6, 2.10.7. Map physical memory, or a part of one allocation that begins at a page, to an
   * address. It is unmapped as a whole, with the same size. */
  HSAM_Error (*agent_memory_map)(int64_t client_handle, int32_t size, void* physical, void** va);
  HSAM_Error (*agent_memory_unmap)(int64_t client_handle, void* va, int32_t size);
  /* MVA 2.10.8, 2.10.9. Allocate and free physical memory. `physical` is a number that only agent_memory_map
   * understands, since user space has no physical addresses. It is freed as a whole, with the same size;
   * mappings stay valid. */
  HSAM_Error (*agent_memory_allocate_physical)(int64_t client_handle, int32_t size, void** physical);
  HSAM_Error (*agent_memory_free_physical)(int64_t client_handle, void* physical, int32_t size);
  /* MVA 2.11.1. Answers a request that returned HSAM_Async, or is about to. A second answer and an unknown
   * cookie are logged and ignored. */
  void (*agent_reply)(HSAM_Error code, void* cookie);
  /* MVA 2.11.2. Opens a shared library in the client's process, whose initializers are its entry point; it is
   * never closed. A failure is logged. The name is read during the call. */
  void (*launch_dll)(int64_t client_handle, char* dll_file);
  /* ---- tail ---- */
  size_t tail_size; /* sizeof(hsa_generic_driver_interface) at the generic driver's build */
  /* The queue has gone into its error state: no further packet of it will be launched. The generic driver
   * calls the application's callback on a thread of its own, once for each queue. `message` (may be null)
   * names kernel, work-item and address; it is copied. HSA_STATUS_ERROR_FATAL means that the process may be
   * damaged, as by a memory fault; the callback then gets HSA_STATUS_ERROR, and hsa_queue_destroy returns
   * FATAL. Runtime 2.5.5.1, 2.5.5.7, 2.6.4. */
  void (*queue_error)(int64_t client_handle, int64_t queue_handle, hsa_status_t status, const char* message);
  /* Nonzero if `signal` is the handle of a live signal, for checks of packets. Does not read memory at that
   * address. */
  int (*is_signal)(int64_t client_handle, uint64_t signal);
  /* System timestamp, in the ticks of HSA_SYSTEM_INFO_TIMESTAMP. */
  uint64_t (*timestamp)(void);
  /* The functions of MVA 2.10 for sizes that an int32_t cannot hold. Memory and addresses from either kind of
   * function may be given back by either kind, with the same size. */
  HSAM_Error (*agent_memory_reserve_large)(int64_t client_handle, uint64_t size, void** va);
  HSAM_Error (*agent_memory_unreserve_large)(int64_t client_handle, void* va, uint64_t size);
  HSAM_Error (*agent_memory_allocate_large)(int64_t client_handle, uint64_t size, void** va);
  HSAM_Error (*agent_memory_allocate_safe_to_access_large)(int64_t client_handle, uint64_t size, void** va);
  HSAM_Error (*agent_memory_map_large)(int64_t client_handle, uint64_t size, void* physical, void** va);
  HSAM_Error (*agent_memory_unmap_large)(int64_t client_handle, void* va, uint64_t size);
  HSAM_Error (*agent_memory_allocate_physical_large)(int64_t client_handle, uint64_t size, void** physical);
  HSAM_Error (*agent_memory_free_physical_large)(int64_t client_handle, void* physical, uint64_t size);
  /* MVA 5.3.2. The agent needs pages of the client that are not there. The operating system commits them,
   * also in a range from agent_memory_reserve, which can then be accessed; the agent's update_range_on_agent
   * is called, and the agent tries again. HSAM_Invalid: the client has no such memory, or may not write there
   * (`access` is 1 for a write, 0 for a read). HSAM_OutOfResources. After an error the agent sends
   * client_error. */
  HSAM_Error (*report_page_fault)(int64_t client_handle, uint16_t device_driver_id, void* va, uint64_t size,
                                  uint32_t access);
  /* MVA 5.4.11. The agent wants update_range_on_agent when the operating system discards, unmaps or moves
   * pages of the range, until it calls the second function for the same range, or the client ends. The range
   * is extended to whole pages. HSAM_Not_Supported: the system has no userfaultfd, or not for this kind of
   * memory (files). HSAM_Invalid: nothing is mapped there, or the range is not watched. HSAM_OutOfResources.
   * Changes of access rights (mprotect) are not told. */
  HSAM_Error (*watch_range)(int64_t client_handle, uint16_t device_driver_id, void* va, uint64_t size);
  HSAM_Error (*unwatch_range)(int64_t client_handle, uint16_t device_driver_id, void* va, uint64_t size);
  /* The same as queue_error with HSA_STATUS_ERROR_FATAL, for an access of a kernel that failed, at `address`.
   * `causes` is a mask of hsam_fault_cause, 0 if nothing is known. The handler of system events of the AMD
   * extension (hsa_amd_register_system_event_handler) learns both. */
  void (*memory_fault)(int64_t client_handle, int64_t queue_handle, uint64_t address, uint32_t causes,
                       const char* message);
  /* Mask of hsam_activity_kind: what somebody observes at the moment. To be loaded atomically, as
   * hsam_is_observed does. Null: nobody ever observes anything. */
  const uint32_t* observed_activities;
  /* Reports an activity that has ended; hsam/activity.h says when. Observers run before this returns. */
  void (*report_activity)(const struct hsam_activity* activity);
  /* Where the host memory at `va` lies, which clients have allocated and not freed: the descriptor of a file,
   * which stays the generic driver's, and the offset. What follows up to the end of the allocation follows in
   * the file. HSAM_Invalid: there is no such allocation, or it lies in no file. */
  HSAM_Error (*memory_file)(int64_t client_handle, const void* va, int32_t* file, uint64_t* offset);
} hsa_generic_driver_interface;

/** The type of hsa_register_agent. */
typedef const hsa_generic_driver_interface* (*hsa_register_agent_t)(const hsa_agent_driver_interface* agent,
                                                                    const hsa_agent_driver_config* config,
                                                                    hsa_generic_driver_config* out);

/**
 * Registers an agent (MVA 2.5.1); called by hsam_agent_driver_main, or by a program that has agents of its
 * own before its first hsa_init. Both structures are copied. NULL, with the reason in the log, if the driver
 * was written for a newer MVA, the arguments are malformed, or the first client has already started. Exported
 * by the runtime library; drivers get it through hsam_host and so need not link against anything. */
const hsa_generic_driver_interface* hsa_register_agent(const hsa_agent_driver_interface* agent,
                                                       const hsa_agent_driver_config* config,
                                                       hsa_generic_driver_config* out);

/** The importance of a message. HEDDLE_LOG says which ones are shown. */
typedef enum hsam_log_level {
  HSAM_LOG_ERROR = 0,
  HSAM_LOG_WARNING = 1,
  HSAM_LOG_INFO = 2,
  HSAM_LOG_DEBUG = 3
} hsam_log_level;

/** What a message of level INFO or DEBUG is about. HEDDLE_LOG can restrict the log to some subjects. */
typedef enum hsam_log_subject {
  HSAM_LOG_API = 0,      /* calls of functions of the API */
  HSAM_LOG_COMMAND = 1,  /* messages between the generic driver and agents, and their answers */
  HSAM_LOG_WAIT = 2,     /* waits for signals */
  HSAM_LOG_AQL = 3,      /* packets */
  HSAM_LOG_QUEUE = 4,    /* lives and states of queues */
  HSAM_LOG_SIGNAL = 5,   /* lives of signals, calls of their handlers */
  HSAM_LOG_LOCK = 6,     /* threads that had to wait for each other inside the platform */
  HSAM_LOG_KERNEL = 7,   /* dispatches */
  HSAM_LOG_COPY = 8,     /* copies of memory */
  HSAM_LOG_RESOURCE = 9, /* threads, files and memory of the operating system */
  HSAM_LOG_INIT = 10,    /* agents, start and end of the runtime */
  HSAM_LOG_MISC = 11,    /* the rest */
  HSAM_LOG_CODE = 12,    /* programs, code objects, executables */
  HSAM_LOG_MEMORY = 13   /* allocations and registrations */
} hsam_log_subject;
#define HSAM_LOG_SUBJECTS 14

/** Services for agent drivers. They live as long as the process and may be called from any thread. */
typedef struct hsam_host {
  size_t size;           /* sizeof(hsam_host) at the generic driver's build */
  uint32_t major, minor; /* of MVA that the generic driver implements */
  hsa_register_agent_t register_agent;
  /* Logs one line. Both texts are copied and may be null. */
  void (*log)(hsam_log_level level, const char* source, const char* message);
  /* The value of a heddle setting (the environment variable HEDDLE_<NAME>), or null. It belongs to the
   * environment, so the driver must copy what it keeps. */
  const char* (*setting)(const char* name);
  /* The messages of level INFO (bit `subject`) and DEBUG (bit 16 + `subject`) that the log shows, for
   * hsam_is_logged. Null: the agent cannot know. To be loaded atomically. */
  const uint32_t* logged;
  /* Logs one line about a subject. Does nothing if the log does not show the subject. May be null. */
  void (*log_about)(hsam_log_level level, hsam_log_subject subject, const char* source, const char* message);
} hsam_host;

/** The bit of hsam_host.logged for messages of level INFO or DEBUG about a subject. */
static inline uint32_t hsam_log_bit(hsam_log_level level, hsam_log_subject subject) {
  return (uint32_t)1 << ((level == HSAM_LOG_DEBUG ? 16u : 0u) + (unsigned)subject);
}

/** Nonzero if the generic driver is new enough for `logged` and `log_about`, and has them. */
static inline int hsam_can_log_about(const hsam_host* host) {
  return host->size >= offsetof(hsam_host, log_about) + sizeof(void*) && host->logged != NULL &&
         host->log_about != NULL;
}

/** Nonzero if a message of level INFO or DEBUG about the subject may be shown. Agents ask before they make
 * the text of a message. */
static inline int hsam_is_logged(const hsam_host* host, hsam_log_level level, hsam_log_subject subject) {
  return hsam_can_log_about(host) &&
         (__atomic_load_n(host->logged, __ATOMIC_RELAXED) & hsam_log_bit(level, subject)) != 0;
}

/** The function that an agent driver exports. `host` lives as long as the process. Returns 0 for success;
 * HSAM_OutOfResources if there was no memory, upon which what it has registered is forgotten, hsa_init fails
 * with OUT_OF_RESOURCES, and the next hsa_init calls the function again; or any other number if it failed,
 * which is logged, while what it has registered until then stays registered. */
typedef int (*hsam_agent_driver_main_t)(const hsam_host* host);
#define HSAM_AGENT_DRIVER_MAIN "hsam_agent_driver_main"

#ifdef __cplusplus
}
#endif
#endif /* HSAM_HSAM_H_ */
