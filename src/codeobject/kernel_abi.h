// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between compiled kernels and the CPU agent. The structs have C layout: the finalizer builds
// the same structs in LLVM IR by offset (codeobject/kernel_abi.h is the only source; offsets are asserted
// below).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::kernel_abi {

/// Increased whenever a struct, an entry or the support table changes. It is stored in the code object's ISA
/// note.
inline constexpr uint32_t version = 13;

/// Constant during one dispatch; shared by all threads that run it.
struct Dispatch {
  uint64_t kernarg;         ///< address of the kernarg segment
  uint32_t grid_size[3];    ///< work-items
  uint32_t group_size[3];   ///< work-group size of the packet
  uint32_t grid_groups[3];  ///< work-groups, partial ones included
  uint32_t dimensions;
  uint64_t packet_id;
  uint64_t completion_signal;
  uint64_t queue;              ///< address of the hsa_queue_t
  uint32_t group_static_size;  ///< groupstaticsize
  uint32_t group_total_size;   ///< grouptotalsize: group_segment_size of the packet, at least the static size
  uint32_t private_size;       ///< bytes of private arena for one work-item
  uint32_t private_stride;     ///< bytes from one work-item's private arena to that of the next lane
  uint64_t agent_data;         ///< the agent's own
};

/// The state of one thread while it runs groups of one dispatch. The agent fills it before calling an entry;
/// the entries that run ranges update the group fields as they go.
struct Worker {
  const Dispatch* dispatch;
  uint64_t group_base;    ///< address of the group segment (64-byte aligned); offset 0 is its first byte
  uint64_t private_base;  ///< address of the private arenas of the group's (or wave's) work-items
  uint32_t group_id[3];   ///< workgroupid; if the code executes groups that follow each other in x as one,
                          ///< that of the first
  uint32_t current_group_size[3];  ///< currentworkgroupsize: smaller in partial groups
  uint32_t compute_unit;           ///< cuid
  uint32_t max_compute_unit;       ///< maxcuid
  const void* const* support;      ///< SupportFunction table
  uint64_t agent_data;             ///< the agent's own (its fiber scheduler)
  uint32_t workitem_id[3];  ///< for messages about faults: workitemid of the first work-item of the wave that
                            ///< runs, if the code stores it; of the work-item that traps, when it traps. If
                            ///< only workitem_id[1] is unknown, workitem_id[0] is the flattened ID
  uint32_t workitem_traps;  ///< not 0 if workitem_id is that of a work-item that traps
  uint64_t frames;      ///< address of the frames of the group's waves, one behind the other, 64-byte aligned
  uint64_t frame_size;  ///< bytes from one frame to the next: Kernel::frame_size of the code object
};

/// Value of Worker::workitem_id before the code has reached any work-item.
inline constexpr uint32_t unknown_workitem = 0xffffffffu;

// Entries are called in the default floating-point environment of the System V ABI (MXCSR 0x1f80) and return
// in it. Between the two they may set FTZ and DAZ in MXCSR, so that MXCSR belongs to what a switch from one
// wave to another saves and restores.

/// Runs work-groups [first, last), counted in flattened work-group order, all work-items of each. Only
/// kernels without kernel_needs_fibers have it. group_base and private_base are those of one group and are
/// used again for each group. The memory at private_base is that of the work-items of one wave if waves run
/// one after the other, and of the whole group if the kernel's waves have frames (Worker::frames).
using GroupsEntry = void (*)(Worker* worker, uint64_t first_group, uint64_t last_group);

/// Runs the wave of the work-items with consecutive current work-item flattened IDs (PRM 2.3) from
/// `first_workitem` on, as many as the kernel has lanes or the group has left, in the group that worker's
/// group_id and current_group_size describe. Only kernels with kernel_needs_fibers have it. private_base is
/// that of the wave's first work-item. Calls to the support table may switch to other waves and come back.
using WaveEntry = void (*)(Worker* worker, uint32_t first_workitem);

/// Indices in Worker::support, each with the signature of its function. All functions take the worker as
/// their first argument and use the System V calling convention. They may be called with FTZ and DAZ set in
/// MXCSR, compute as if neither were set, and return with MXCSR as it was.
enum SupportFunction : uint32_t {
  support_barrier = 0,  ///< void(Worker*): work-group execution barrier
  support_yield =
      1,  ///< void(Worker*): let other waves run; called on back edges of loops that spin on memory
  support_trap =
      2,  ///< [[noreturn]] void(Worker*, uint32_t reason, uint32_t detail): ends the dispatch with an error
  support_clock = 3,  ///< uint64_t(Worker*): system timestamp
  support_stack_check =
      4,  ///< void(Worker*, uint32_t private_bytes_used): traps when the private arena is exhausted
  support_fbarrier = 5,  ///< void(Worker*, uint32_t FbarrierOperation, uint32_t handle); only on fibers
  support_signal = 6,    ///< uint64_t(Worker*, uint32_t operation, uint64_t signal, uint64_t value, uint64_t
                         ///< value2): operation is a hsa_brig_atomic_operation_t, of a wait too, for which
                         ///< value2 is the timeout in ticks. Returns the old value; waits only on fibers
  support_queue_index =
      7,  ///< uint64_t*(Worker*, uint64_t queue, uint32_t write): address of an index of a user mode queue
  support_exceptions = 8,  ///< uint32_t(Worker*, uint32_t operation, uint64_t, uint64_t, uint64_t): what the
                           ///< operation (exact::Description) raises for these sources
  support_image = 9,  ///< void(Worker*, uint32_t what, uint64_t image, uint64_t sampler, uint32_t words[8]):
                      ///< `what` has, from its lowest byte on, the BRIG opcode, geometry, type, and type of
                      ///< the coordinates or property of the query; words are 4 coordinates and 4 components
  support_signal_wait =
      10,  ///< void(Worker*, uint32_t operation, uint64_t lanes, const uint64_t signals[], uint64_t values[],
           ///< const uint64_t timeouts[]): as support_signal, for all lanes that have a bit in `lanes`. Each
           ///< waits for its own signal and value, and the call returns when the last one is done. Replaces
           ///< their elements of `values` by what they have seen. Only on fibers
  support_event = 11,  ///< void(Worker*, uint64_t event, uint32_t count, const EventValue values[]): triggers
                       ///< a profile event for the work-item
  support_count = 12
};

/// A value of a profile event (PRM 13.4.2.1.1).
struct EventValue {
  uint64_t kind;  ///< EventValueKind
  uint64_t bits;  ///< the number, or the address of a string; 0 for event_value_queue_id
};

enum EventValueKind : uint64_t {
  event_value_32 = 0,
  event_value_64 = 1,
  event_value_string = 2,
  event_value_queue_id = 3,  ///< the agent takes the ID of the queue
};

/// Operations on fbarriers (PRM 9.2). A handle is the offset of the fbarrier in the group segment.
enum FbarrierOperation : uint32_t {
  fbarrier_init = 0,
  fbarrier_join = 1,
  fbarrier_wait = 2,
  fbarrier_arrive = 3,
  fbarrier_leave = 4,
  fbarrier_release = 5,
};

enum TrapReason : uint32_t {
  trap_debugtrap = 1,  ///< detail = operand
  trap_private_exhausted = 2,
  trap_unreachable = 3,
  trap_exception = 4,  ///< BREAK policy; detail = the exceptions (hsa_brig_exceptions_t)
  trap_deadlock =
      5,  ///< some waves of the group, detail says how many, wait at a barrier; the others have ended
  trap_image = 6,         ///< of code for GPUs; detail = what is wrong with a handle (image::Misuse)
  trap_stray_access = 7,  ///< an access that its kernel has checked, and not made; detail =
                          ///< ptx_kernel::Access. On NVIDIA GPUs only
};

/// The largest work-group of agents with this ABI, in work-items.
inline constexpr uint32_t max_group_size = 1024;

/// Null addresses of the segments in the ISAs of host CPUs. Group and private offsets have 32 bits and start
/// at 0, so the last value is free.
inline constexpr uint32_t null_group = 0xffffffffu;
inline constexpr uint32_t null_private = 0xffffffffu;
inline constexpr uint64_t null_flat = 0;
inline constexpr uint64_t null_kernarg = 0;

static_assert(offsetof(Dispatch, grid_size) == 8 && offsetof(Dispatch, group_size) == 20 &&
              offsetof(Dispatch, grid_groups) == 32 && offsetof(Dispatch, dimensions) == 44 &&
              offsetof(Dispatch, packet_id) == 48 && offsetof(Dispatch, completion_signal) == 56 &&
              offsetof(Dispatch, queue) == 64 && offsetof(Dispatch, group_static_size) == 72 &&
              offsetof(Dispatch, group_total_size) == 76 && offsetof(Dispatch, private_size) == 80 &&
              offsetof(Dispatch, private_stride) == 84 && offsetof(Dispatch, agent_data) == 88 &&
              sizeof(Dispatch) == 96);
static_assert(offsetof(Worker, group_base) == 8 && offsetof(Worker, private_base) == 16 &&
              offsetof(Worker, group_id) == 24 && offsetof(Worker, current_group_size) == 36 &&
              offsetof(Worker, compute_unit) == 48 && offsetof(Worker, max_compute_unit) == 52 &&
              offsetof(Worker, support) == 56 && offsetof(Worker, agent_data) == 64 &&
              offsetof(Worker, workitem_id) == 72 && offsetof(Worker, workitem_traps) == 84 &&
              offsetof(Worker, frames) == 88 && offsetof(Worker, frame_size) == 96 && sizeof(Worker) == 104);
static_assert(offsetof(EventValue, bits) == 8 && sizeof(EventValue) == 16);

}  // namespace heddle::kernel_abi
