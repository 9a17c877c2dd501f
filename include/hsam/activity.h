/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What agents tell about their work: a record of each activity that has ended. Performance counters, profile
 * events and tracers of the generic driver's process are made of these records.
 *
 * An agent says in its configuration (hsa_agent_driver_config.activities) which kinds it reports. Before it
 * makes a record, it asks hsam_is_observed whether anybody wants it, which costs a load; most of the time
 * nobody does. It reports a packet or dispatch before it sends the completion signal, so that whoever has
 * seen the signal finds the record counted. Records may be reported on any thread, also while the agent
 * answers queue_inactivate or queue_remove, but by a thread that holds no lock which an answer needs.
 */
#ifndef HSAM_ACTIVITY_H_
#define HSAM_ACTIVITY_H_

#include <hsam/hsam.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of activities; bits of masks. Bits 8 and up belong to the generic driver. */
typedef enum hsam_activity_kind {
  /* A packet was taken from its queue, whether or not it turned out to be valid. begin and end are equal. */
  HSAM_ACTIVITY_PACKET = 0x1,
  /* A kernel dispatch has ended. begin is when its first work-group began. */
  HSAM_ACTIVITY_DISPATCH = 0x2,
  /* A compute unit has executed its share of the work-groups of a dispatch. Reported before the dispatch. */
  HSAM_ACTIVITY_COMPUTE_UNIT = 0x4,
  /* A barrier packet is complete. begin is when it was launched and began to wait for its dependencies. */
  HSAM_ACTIVITY_BARRIER = 0x8,
  /* A work-item has triggered a profile event (PRM 13.4.2.1.1). begin and end are equal. */
  HSAM_ACTIVITY_EVENT = 0x10
} hsam_activity_kind;

/** What a value of a profile event is. */
typedef enum hsam_event_value_kind {
  HSAM_EVENT_VALUE_32 = 0,      /* bits: a number of 32 bits, in the low half */
  HSAM_EVENT_VALUE_64 = 1,      /* bits: a number of 64 bits */
  HSAM_EVENT_VALUE_STRING = 2,  /* bits: the address of a string */
  HSAM_EVENT_VALUE_QUEUE_ID = 3 /* bits: ignored; the receiver takes the ID of the queue of the record */
} hsam_event_value_kind;

/** A value for the metadata of a profile event. */
typedef struct hsam_event_value {
  uint32_t kind; /* hsam_event_value_kind */
  uint32_t reserved;
  uint64_t bits;
} hsam_event_value;

/** One activity. Members that do not apply to the kind are 0. The receiver copies what it keeps. */
typedef struct hsam_activity {
  size_t size;         /* sizeof(hsam_activity) at the agent's build */
  uint32_t kind;       /* hsam_activity_kind */
  hsa_status_t status; /* dispatch: SUCCESS if all work-groups have run to their end */
  uint64_t begin, end; /* ticks of the system timestamp */
  int64_t client_handle, queue_handle;
  uint64_t packet_id;                   /* index of the packet in its queue */
  uint32_t packet_type;                 /* packet, barrier: hsa_packet_type_t, as its header says */
  uint32_t compute_unit;                /* compute unit: its number, below compute_unit_count of the agent */
  uint64_t kernel_object;               /* dispatch, compute unit */
  uint64_t work_groups;                 /* dispatch: of the grid; compute unit: executed */
  uint64_t waves;                       /* dispatch: of the grid, by the wavefront size of the ISA */
  uint64_t work_items;                  /* dispatch: of the grid */
  uint64_t completion_signal;           /* dispatch, barrier: the handle, or 0 */
  uint64_t event_id;                    /* event: as the pragma says */
  size_t event_value_count;             /* event */
  const hsam_event_value* event_values; /* event: as the pragma says; for the call */
} hsam_activity;

/** Nonzero if somebody observes activities of one of the kinds in the mask. */
static inline int hsam_is_observed(const hsa_generic_driver_interface* driver, uint32_t kinds) {
  return driver->tail_size >= offsetof(hsa_generic_driver_interface, report_activity) + sizeof(void*) &&
         driver->observed_activities != NULL &&
         (__atomic_load_n(driver->observed_activities, __ATOMIC_RELAXED) & kinds) != 0;
}

#ifdef __cplusplus
}
#endif
#endif /* HSAM_ACTIVITY_H_ */
