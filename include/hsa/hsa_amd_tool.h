/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Events of scratch memory, which runtimes for AMD's GPUs report to tools (ToolsApiTable in hsa_api_trace.h).
 * Heddle reports none: its agents allocate all memory of a dispatch before it starts.
 */
#ifndef HSA_AMD_TOOL_H_
#define HSA_AMD_TOOL_H_

#include "hsa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of scratch memory; bits. */
typedef enum {
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_NONE = 0,
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_USE_ONCE = 1, /**< for one dispatch only */
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_ALT = 2       /**< from the alternate scratch memory */
} hsa_amd_event_scratch_alloc_flag_t;

/** What an event tells of. */
typedef enum {
  HSA_AMD_TOOL_EVENT_MIN = 0,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START = 1,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END = 2,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START = 3,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END = 4,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START = 5,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END = 6,
  HSA_AMD_TOOL_EVENT_MAX = 7
} hsa_amd_tool_event_kind_t;

/** What all events have in common. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
} hsa_amd_tool_event_none_t;

/** A dispatch needs more scratch memory than its queue has. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id; /**< the number of the packet */
} hsa_amd_event_scratch_alloc_start_t;

/** The dispatch has got it. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id; /**< the number of the packet */
  size_t size;          /**< in bytes */
  size_t num_slots;     /**< the waves that fit */
} hsa_amd_event_scratch_alloc_end_t;

/** Events that tell of the memory of a queue as a whole. */
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_free_start_t;
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_free_end_t;
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_async_reclaim_start_t;
typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_async_reclaim_end_t;

/** An event; its kind says which member is valid. */
typedef union {
  const hsa_amd_tool_event_none_t* none;
  const hsa_amd_event_scratch_alloc_start_t* scratch_alloc_start;
  const hsa_amd_event_scratch_alloc_end_t* scratch_alloc_end;
  const hsa_amd_event_scratch_free_start_t* scratch_free_start;
  const hsa_amd_event_scratch_free_end_t* scratch_free_end;
  const hsa_amd_event_scratch_async_reclaim_start_t* scratch_async_reclaim_start;
  const hsa_amd_event_scratch_async_reclaim_end_t* scratch_async_reclaim_end;
} hsa_amd_tool_event_t;

/** A function of a tool that is told of events. */
typedef hsa_status_t (*hsa_amd_tool_event)(hsa_amd_tool_event_t event);

#ifdef __cplusplus
}
#endif

#endif
