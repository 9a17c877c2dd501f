// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels on NVIDIA GPUs need besides instructions: who a work-item is, fbarriers, and what only the
// host can do. The structures are those of codeobject/ptx_dispatch.h.
#pragma once

#include <stdint.h>

#include "codeobject/ptx_dispatch.h"

extern "C" {

using heddle::ptx_kernel::Access;
using heddle::ptx_kernel::CheckedHidden;
using heddle::ptx_kernel::ErrorRecord;
using heddle::ptx_kernel::Hidden;
using heddle::ptx_kernel::Mailbox;
using heddle::ptx_kernel::MailboxSlot;
using heddle::ptx_kernel::MemoryRange;

// ---- memory

// Clang's atomic operations cannot be used: LLVM 22 loses the order and the scope of those that read and
// write.

static inline uint64_t load_acquire_system(const uint64_t* address) {
  uint64_t value;
  asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}
static inline void store_release_system(uint64_t* address, uint64_t value) {
  asm volatile("st.release.sys.b64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}
static inline uint64_t add_relaxed_agent(uint64_t* address, uint64_t value) {
  uint64_t old;
  asm volatile("atom.relaxed.gpu.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(address), "l"(value) : "memory");
  return old;
}
// Changes a word from 0 to 1, and says whether it was 0.
static inline bool claim_agent(uint64_t* word) {
  uint64_t old;
  asm volatile("atom.acquire.gpu.cas.b64 %0, [%1], 0, 1;" : "=l"(old) : "l"(word) : "memory");
  return old == 0;
}
static inline void release_agent(uint64_t* word) {
  asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(word), "l"(0ull) : "memory");
}
static inline void fence_system(void) { asm volatile("fence.sc.sys;" ::: "memory"); }

static inline void pause(void) { asm volatile("nanosleep.u32 20;" ::: "memory"); }
static inline void pause_long(void) { asm volatile("nanosleep.u32 1000;" ::: "memory"); }

static inline void end_work_item(void) { asm volatile("exit;" ::: "memory"); }

// Ends the work-item if the dispatch is to stop. Whoever waits calls it again and again.
static inline void end_if_stopped(const Hidden* hidden) {
  uint32_t stop;
  asm volatile("ld.relaxed.sys.b32 %0, [%1];" : "=r"(stop) : "l"(hidden->stop) : "memory");
  if (stop != 0) end_work_item();
}

// ---- identity

struct WorkItem {
  uint32_t group_id[3], workitem_id[3], current_size[3];
};

static inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

struct GroupId {
  uint32_t x, y, z;
};

static inline GroupId find_group(const Hidden* hidden, uint64_t group) {
  const uint32_t x = hidden->grid_groups[0], y = hidden->grid_groups[1];
  if (hidden->dimensions == 1) return {(uint32_t)group, 0, 0};
  if (group >> 32 == 0) {  // the usual case, in which divisions take much less time
    const uint32_t row = (uint32_t)group / x;
    return {(uint32_t)group % x, row % y, row / y};
  }
  const uint64_t row = group / x;
  return {(uint32_t)(group % x), (uint32_t)(row % y), (uint32_t)(row / y)};
}

// Finds out who thread `thread` of the block for a flattened work-group ID is. Returns 0 if it is none of the
// group's work-items, as may be in partial groups.
uint32_t hsail_dev_nvptx_linear(const Hidden* hidden, uint64_t group, uint32_t thread, WorkItem* out) {
  const GroupId found = find_group(hidden, group);
  const uint32_t id[3] = {found.x, found.y, found.z};
  uint32_t size[3];
  for (int d = 0; d < 3; ++d)
    size[d] = smaller(hidden->group_size[d], hidden->grid_size[d] - id[d] * hidden->group_size[d]);
  const uint32_t plane = size[0] * size[1];
  const bool is_row = hidden->dimensions == 1;
  for (int d = 0; d < 3; ++d) {
    out->group_id[d] = id[d];
    out->current_size[d] = size[d];
  }
  out->workitem_id[0] = is_row ? thread : thread % size[0];
  out->workitem_id[1] = is_row ? 0 : thread / size[0] % size[1];
  out->workitem_id[2] = is_row ? 0 : thread / plane;
  return thread < plane * size[2];
}

// Numbers the work-groups of a launch in the order in which they begin. Thread 0 of each calls it.
uint64_t hsail_dev_nvptx_ticket(const Hidden* hidden, uint32_t groups) {
  uint64_t* const counter = (uint64_t*)hidden->ticket;
  const uint64_t ticket = add_relaxed_agent(counter, 1);
  if (ticket == groups - 1) asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(counter), "l"(0ull) : "memory");
  return ticket;
}

// ---- the end of a work-item

// Why a work-item ends, as ErrorRecord has it.
struct Trap {
  uint32_t reason, detail, place;
  uint64_t address;
};

static inline void end_by_trap(const Hidden* hidden, Trap trap, const WorkItem* item) {
  ErrorRecord* const error = (ErrorRecord*)hidden->error;
  uint32_t seen;
  asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(seen)
               : "l"(&error->state), "r"((uint32_t)ErrorRecord::empty), "r"((uint32_t)ErrorRecord::claimed)
               : "memory");
  if (seen == ErrorRecord::empty) {
    error->reason = trap.reason;
    error->detail = trap.detail;
    error->place = trap.place;
    error->address = trap.address;
    for (int d = 0; d < 3; ++d) {
      error->workitem_id[d] = item->workitem_id[d];
      error->group_id[d] = item->group_id[d];
    }
    asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(&error->state), "r"((uint32_t)ErrorRecord::complete)
                 : "memory");
  }
  asm volatile("st.relaxed.sys.b32 [%0], %1;" ::"l"(hidden->stop), "r"(1) : "memory");
  // Another work-item may tell of the end of the dispatch (tell_end). The host must see the record then.
  fence_system();
  end_work_item();
}

void hsail_dev_nvptx_trap(const Hidden* hidden, uint32_t reason, uint32_t detail, uint32_t place,
                          const WorkItem* item) {
  end_by_trap(hidden, {reason, detail, place, 0}, item);
}

void hsail_dev_nvptx_tell_end(uint64_t word, uint64_t value) { store_release_system((uint64_t*)word, value); }

void hsail_dev_nvptx_yield(const Hidden* hidden) {
  end_if_stopped(hidden);
  pause();
}

// ---- checks of addresses (finalizer/ptx/address_checks.h)

// They are called rather than inlined, because a kernel has one for each access, and take the IDs of the
// work-item by value, so that those stay in registers.
#define CHECK_FUNCTION __attribute__((noinline))

// Ends the work-item, whose access to `address` is stray.
CHECK_FUNCTION void hsail_dev_nvptx_stray(const Hidden* hidden, uint64_t address, uint32_t access,
                                          uint32_t place, uint32_t group_x, uint32_t group_y,
                                          uint32_t group_z, uint32_t item_x, uint32_t item_y,
                                          uint32_t item_z) {
  const WorkItem item = {{group_x, group_y, group_z}, {item_x, item_y, item_z}, {}};
  end_by_trap(hidden, {heddle::ptx_kernel::stray_access_reason, access, place, address}, &item);
}

static inline bool lies_in(uint64_t address, uint32_t bytes, uint64_t begin, uint64_t size) {
  const uint64_t distance = address - begin;
  return distance < size && size - distance >= bytes;
}

static inline bool is_aligned(uint64_t address, uint32_t access) {
  return (address & (heddle::ptx_kernel::access_of(access).align - 1)) == 0;
}

// Returns the range that has all bytes of an access, or null.
static inline const MemoryRange* find_range(const Hidden* hidden, uint64_t address, uint32_t bytes) {
  const auto* checks = &((const CheckedHidden*)hidden)->checks;
  const auto* ranges = (const MemoryRange*)checks->ranges;
  uint32_t first = 0;  // behind the ranges that are known to begin at the address or before it
  for (uint32_t left = checks->range_count; left != 0;) {
    const uint32_t half = left / 2;
    const bool before = ranges[first + half].begin <= address;
    first = before ? first + half + 1 : first;
    left = before ? left - half - 1 : half;
  }
  if (first == 0) return nullptr;
  const MemoryRange* const found = &ranges[first - 1];
  return lies_in(address, bytes, found->begin, found->size) ? found : nullptr;
}

// Returns the range that has all bytes of an access, or ends the work-item.
CHECK_FUNCTION const MemoryRange* hsail_dev_nvptx_check_global(const Hidden* hidden, uint64_t address,
                                                               uint32_t access, uint32_t place,
                                                               uint32_t group_x, uint32_t group_y,
                                                               uint32_t group_z, uint32_t item_x,
                                                               uint32_t item_y, uint32_t item_z) {
  const uint32_t bytes = heddle::ptx_kernel::access_of(access).size;
  const MemoryRange* const found = find_range(hidden, address, bytes);
  if (!found || !is_aligned(address, access))
    hsail_dev_nvptx_stray(hidden, address, access, place, group_x, group_y, group_z, item_x, item_y, item_z);
  return found;
}

// The same for addresses that may also lie in the segments with these flat addresses. Returns null for those.
CHECK_FUNCTION const MemoryRange* hsail_dev_nvptx_check_flat(
    const Hidden* hidden, uint64_t address, uint64_t group, uint64_t private_base, uint32_t private_size,
    uint64_t kernarg, uint32_t access, uint32_t place, uint32_t group_x, uint32_t group_y, uint32_t group_z,
    uint32_t item_x, uint32_t item_y, uint32_t item_z) {
  const uint32_t bytes = heddle::ptx_kernel::access_of(access).size;
  const MemoryRange* const found = find_range(hidden, address, bytes);
  const bool is_there = found || lies_in(address, bytes, group, hidden->group_total_size) ||
                        lies_in(address, bytes, private_base, private_size) ||
                        lies_in(address, bytes, kernarg, ((const CheckedHidden*)hidden)->checks.kernarg_size);
  if (!is_there || !is_aligned(address, access))
    hsail_dev_nvptx_stray(hidden, address, access, place, group_x, group_y, group_z, item_x, item_y, item_z);
  return found;
}

// ---- time

uint64_t hsail_dev_nvptx_clock(const Hidden* hidden) {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  const unsigned __int128 passed = now - hidden->clock_nanoseconds;
  return hidden->clock_ticks + (uint64_t)(passed * hidden->clock_factor >> 64);
}

// ---- what the host does

#include "ask_host.h"

uint64_t hsail_dev_nvptx_ask(const Hidden* hidden, uint32_t kind, uint32_t operation, uint32_t is_signed,
                             uint32_t size, uint64_t address, uint64_t value, uint64_t second) {
  return ask_host(hidden, {kind, operation, is_signed, size, address, value, second});
}

// ---- fbarriers

// An fbarrier (PRM 9.2) is one word, which changes by compare-and-swap. Its members are waves.
struct Fbarrier {
  uint16_t members;
  uint16_t arrived;
  uint32_t phase;  // how often the fbarrier has opened
};

static inline Fbarrier load_fbarrier(const uint64_t* word) {
  uint64_t bits;
  asm volatile("ld.acquire.cta.b64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
  return __builtin_bit_cast(Fbarrier, bits);
}

// Stores `next` if the word is still `seen`, and makes `seen` what the word is otherwise.
static inline bool change_fbarrier(uint64_t* word, Fbarrier* seen, Fbarrier next) {
  uint64_t found;
  const uint64_t expected = __builtin_bit_cast(uint64_t, *seen), desired = __builtin_bit_cast(uint64_t, next);
  asm volatile("atom.acq_rel.cta.cas.b64 %0, [%1], %2, %3;"
               : "=l"(found)
               : "l"(word), "l"(expected), "l"(desired)
               : "memory");
  *seen = __builtin_bit_cast(Fbarrier, found);
  return found == expected;
}

enum { fbarrier_init, fbarrier_join, fbarrier_wait, fbarrier_arrive, fbarrier_leave, fbarrier_release };

// Carries out an operation for a wave. If it arrives without opening the fbarrier, returns true and the
// phase.
static inline bool operate_fbarrier(uint32_t operation, uint64_t* word, uint32_t* phase) {
  Fbarrier seen = load_fbarrier(word), next;
  do {
    next = seen;
    if (operation == fbarrier_join) next.members += 1;
    if (operation == fbarrier_leave) next.members -= 1;
    if (operation == fbarrier_wait || operation == fbarrier_arrive) next.arrived += 1;
    if (operation != fbarrier_join && next.arrived >= next.members) {
      next.phase += next.arrived != 0;
      next.arrived = 0;
    }
  } while (!change_fbarrier(word, &seen, next));
  *phase = seen.phase;
  return next.phase == seen.phase;
}

static inline void meet(uint32_t lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }

// Reports whether this lane is the first of those that have not ended. All of them call it.
static inline bool is_first(uint32_t lanes) {
  uint32_t alive, lane;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; vote.sync.ballot.b32 %0, p, %1; }"
               : "=r"(alive)
               : "r"(lanes)
               : "memory");
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane == (uint32_t)__builtin_ctz(alive);
}

// `lanes` are the active lanes of the wave, all of which call this. One of them acts, and the others wait for
// it.
void hsail_dev_nvptx_fbarrier(const Hidden* hidden, uint32_t operation, uint64_t* word, uint32_t lanes) {
  meet(lanes);
  if (is_first(lanes)) {
    if (operation == fbarrier_init || operation == fbarrier_release) {
      asm volatile("st.release.cta.b64 [%0], %1;" ::"l"(word), "l"(0ull) : "memory");
    } else {
      uint32_t phase;
      const bool closed = operate_fbarrier(operation, word, &phase);
      while (operation == fbarrier_wait && closed && load_fbarrier(word).phase == phase) {
        end_if_stopped(hidden);
        pause();
      }
    }
  }
  meet(lanes);
}

// ---- barriers that count waves (finalizer/ptx/wave_barriers.h)

// What they know of a work-group. The barrier is an fbarrier whose members are the waves that have not ended.
struct GroupWaves {
  uint64_t barrier;
  uint32_t lanes[32];  // of each wave, those that have not ended
};
static_assert(sizeof(GroupWaves) == 8 * heddle::ptx_kernel::group_waves_words);

static inline void barrier_of_gpu(void) { asm volatile("barrier.sync 0;" ::: "memory"); }

// Every work-item calls it, with its flattened ID, the number of work-items, and the lanes of its wave. A
// barrier of the GPU follows.
void hsail_dev_nvptx_begin_waves(GroupWaves* waves, uint32_t item, uint32_t items, uint32_t lanes) {
  if (item % 32 == 0) waves->lanes[item / 32] = __builtin_popcount(lanes);
  if (item == 0) waves->barrier = (items + 31) / 32;
}

// `lanes` arrive for their wave, also for those that wait elsewhere until these join them.
void hsail_dev_nvptx_wave_barrier(const Hidden* hidden, uint32_t counts, GroupWaves* waves, uint32_t lanes) {
  if (counts != 0)
    hsail_dev_nvptx_fbarrier(hidden, fbarrier_wait, &waves->barrier, lanes);
  else
    barrier_of_gpu();
}

void hsail_dev_nvptx_end_lane(GroupWaves* waves, uint32_t item) {
  uint32_t left, phase;
  asm volatile("atom.acq_rel.cta.add.u32 %0, [%1], -1;"
               : "=r"(left)
               : "l"(&waves->lanes[item / 32])
               : "memory");
  if (left == 1) operate_fbarrier(fbarrier_leave, &waves->barrier, &phase);
}

}  // extern "C"
