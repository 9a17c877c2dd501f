// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-group functions (OpenCL C 6.15.18): each wave computes its part by cross-lane operations, one work-item adds up the waves in group memory.
// There may be as many waves as work-items, so that they take turns with a fixed number of slots.

#define SLOTS 256
// SLOTS values of 64 bits in group memory, and one more for the sum of all (group_memory.c).
local ulong* __heddle_group_slots(void);

static COLLECTIVE void meet(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }

// scan_waves_*: returns the operation over the totals of all waves before this one, and stores that over all waves to `total`. `inclusive` is the
// result of the scan within the wave; the last lane of the wave has its total.
#define SCAN_WAVES(T, OP) \
  static COLLECTIVE T scan_waves_##OP##_##T(T inclusive, T* total) { \
    local T* slots = (local T*)__heddle_group_slots(); \
    uint wave = get_sub_group_id(); \
    uint waves = get_num_sub_groups(); \
    bool is_last_lane = __hsail_laneid_u32() == get_sub_group_size() - 1; \
    T before = (T)IDENTITY_##OP(T); \
    T sum = before; \
    for (uint first = 0; first < waves; first += SLOTS) { \
      uint count = waves - first < SLOTS ? waves - first : SLOTS; \
      bool has_slot = wave - first < count; \
      if (has_slot && is_last_lane) slots[wave - first] = inclusive; \
      meet(); \
      if (__hsail_currentworkitemflatid_u32() == 0) { \
        for (uint i = 0; i < count; i++) { \
          T next = slots[i]; \
          slots[i] = sum; \
          sum = (T)OPERATION_##OP(sum, next); \
        } \
        slots[SLOTS] = sum; \
      } \
      meet(); \
      if (has_slot) before = slots[wave - first]; \
      sum = slots[SLOTS]; \
      meet(); \
    } \
    *total = sum; \
    return before; \
  }

#define WORK_GROUP_FUNCTIONS(T, OP) \
  SCAN_WAVES(T, OP) \
  OVERLOAD COLLECTIVE T work_group_reduce_##OP(T value) { \
    T total; \
    scan_waves_##OP##_##T(wave_scan_##OP##_##T(value), &total); \
    return total; \
  } \
  OVERLOAD COLLECTIVE T work_group_scan_inclusive_##OP(T value) { \
    T total; \
    T inclusive = wave_scan_##OP##_##T(value); \
    T before = scan_waves_##OP##_##T(inclusive, &total); \
    return get_sub_group_id() == 0 ? inclusive : (T)OPERATION_##OP(before, inclusive); \
  } \
  OVERLOAD COLLECTIVE T work_group_scan_exclusive_##OP(T value) { \
    T total; \
    uint lane = __hsail_laneid_u32(); \
    T inclusive = wave_scan_##OP##_##T(value); \
    T before = scan_waves_##OP##_##T(inclusive, &total); \
    T of_lane_before = from_lane(inclusive, lane - 1, inclusive, lane == 0); \
    return lane == 0 ? before : get_sub_group_id() == 0 ? of_lane_before : (T)OPERATION_##OP(before, of_lane_before); \
  }

#define BROADCAST(T) \
  static OVERLOAD COLLECTIVE T broadcast_from(bool is_source, T value) { \
    local T* slot = (local T*)__heddle_group_slots(); \
    if (is_source) *slot = value; \
    meet(); \
    T result = *slot; \
    meet(); \
    return result; \
  } \
  OVERLOAD COLLECTIVE T work_group_broadcast(T value, size_t x) { return broadcast_from(get_local_id(0) == x, value); } \
  OVERLOAD COLLECTIVE T work_group_broadcast(T value, size_t x, size_t y) { \
    return broadcast_from(get_local_id(0) == x && get_local_id(1) == y, value); \
  } \
  OVERLOAD COLLECTIVE T work_group_broadcast(T value, size_t x, size_t y, size_t z) { \
    return broadcast_from(get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z, value); \
  }

#define ALL_FUNCTIONS(T) \
  WORK_GROUP_FUNCTIONS(T, add) WORK_GROUP_FUNCTIONS(T, min) WORK_GROUP_FUNCTIONS(T, max) BROADCAST(T)
ALL_FUNCTIONS(int)
ALL_FUNCTIONS(uint)
ALL_FUNCTIONS(long)
ALL_FUNCTIONS(ulong)
ALL_FUNCTIONS(half)
ALL_FUNCTIONS(float)
ALL_FUNCTIONS(double)

OVERLOAD COLLECTIVE int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }
OVERLOAD COLLECTIVE int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
