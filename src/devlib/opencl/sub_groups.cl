// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-group functions (OpenCL C 6.15.19 and the cl_khr_subgroup_* extensions). A sub-group is a wave of 1 to 256 lanes, of which any may be
// inactive: at the end of the last wave of a group, or because of control flow in functions that allow this.

#define NO_LANE (~0u)

// from_lane(value, lane, otherwise, not_wanted): the value of another lane; `otherwise` if that lane is inactive or if nothing is wanted.
#define FROM_LANE(T, WIDE, BITS, TO_BITS, FROM_BITS) \
  static OVERLOAD COLLECTIVE T from_lane(T value, uint lane, T otherwise, bool not_wanted) { \
    return FROM_BITS((WIDE)__hsail_activelanepermute_b##BITS(TO_BITS(value), lane, TO_BITS(otherwise), not_wanted)); \
  }
FROM_LANE(char, uchar, 32, as_uchar, as_char)
FROM_LANE(uchar, uchar, 32, as_uchar, as_uchar)
FROM_LANE(short, ushort, 32, as_ushort, as_short)
FROM_LANE(ushort, ushort, 32, as_ushort, as_ushort)
FROM_LANE(half, ushort, 32, as_ushort, as_half)
FROM_LANE(int, uint, 32, as_uint, as_int)
FROM_LANE(uint, uint, 32, as_uint, as_uint)
FROM_LANE(float, uint, 32, as_uint, as_float)
FROM_LANE(long, ulong, 64, as_ulong, as_long)
FROM_LANE(ulong, ulong, 64, as_ulong, as_ulong)
FROM_LANE(double, ulong, 64, as_ulong, as_double)

// Masks of lanes. Bit n % 64 of word n / 64 is of lane n.
static ulong word_of(ulong4 mask, uint word) { return word == 0 ? mask.x : word == 1 ? mask.y : word == 2 ? mask.z : mask.w; }
static COLLECTIVE ulong4 active_lanes(void) { return __hsail_activelanemask_v4_b64_b1(true); }

// Returns the last lane of the mask that is at least `first` and less than `end`; NO_LANE if there is none.
static uint last_lane(ulong4 mask, uint first, uint end) {
  for (int word = 3; word >= 0; word--) {
    uint start = (uint)word * 64;
    ulong below = end <= start ? 0 : end >= start + 64 ? ~0ul : (1ul << (end - start)) - 1;
    ulong bits = word_of(mask, (uint)word) & below;
    if (bits != 0) {
      uint lane = start + 63 - (uint)__builtin_clzl(bits);
      return lane >= first ? lane : NO_LANE;
    }
  }
  return NO_LANE;
}

static uint first_lane(ulong4 mask) {
  for (uint word = 0; word < 4; word++) {
    ulong bits = word_of(mask, word);
    if (bits != 0) return word * 64 + (uint)__builtin_ctzl(bits);
  }
  return NO_LANE;
}

// Operations of reductions and scans, with their identities.
#define OPERATION_add(a, b) ((a) + (b))
#define OPERATION_mul(a, b) ((a) * (b))
#define OPERATION_min(a, b) __builtin_elementwise_min((a), (b))
#define OPERATION_max(a, b) __builtin_elementwise_max((a), (b))
#define OPERATION_and(a, b) ((a) & (b))
#define OPERATION_or(a, b) ((a) | (b))
#define OPERATION_xor(a, b) ((a) ^ (b))
#define IDENTITY_add(T) ((T)0)
#define IDENTITY_mul(T) ((T)1)
#define IDENTITY_min(T) LARGEST_##T
#define IDENTITY_max(T) SMALLEST_##T
#define IDENTITY_and(T) ((T)~(T)0)
#define IDENTITY_or(T) ((T)0)
#define IDENTITY_xor(T) ((T)0)
#define LARGEST_char ((char)CHAR_MAX)
#define LARGEST_uchar ((uchar)UCHAR_MAX)
#define LARGEST_short ((short)SHRT_MAX)
#define LARGEST_ushort ((ushort)USHRT_MAX)
#define LARGEST_int INT_MAX
#define LARGEST_uint UINT_MAX
#define LARGEST_long LONG_MAX
#define LARGEST_ulong ULONG_MAX
#define LARGEST_half ((half)INFINITY)
#define LARGEST_float INFINITY
#define LARGEST_double ((double)INFINITY)
#define SMALLEST_char ((char)CHAR_MIN)
#define SMALLEST_uchar ((uchar)0)
#define SMALLEST_short ((short)SHRT_MIN)
#define SMALLEST_ushort ((ushort)0)
#define SMALLEST_int INT_MIN
#define SMALLEST_uint 0u
#define SMALLEST_long LONG_MIN
#define SMALLEST_ulong 0ul
#define SMALLEST_half (-(half)INFINITY)
#define SMALLEST_float (-INFINITY)
#define SMALLEST_double (-(double)INFINITY)

// Inclusive scan over all active lanes from `first` on, whichever they are: each lane knows the active lane before it, and in each step learns
// the one twice as far away (pointer jumping). `before` is NO_LANE in the first lane.
#define LINKED_SCAN(T, OP) \
  static COLLECTIVE T linked_scan_##OP##_##T(T value, uint before) { \
    for (uint distance = 1; distance < __hsail_WAVESIZE(); distance *= 2) { \
      T other = from_lane(value, before, value, before == NO_LANE); \
      uint farther = from_lane(before, before, NO_LANE, before == NO_LANE); \
      value = before == NO_LANE ? value : (T)OPERATION_##OP(other, value); \
      before = farther; \
    } \
    return value; \
  }

// Functions that all work-items of a sub-group call: the active lanes are the first ones, and need no links.
#define WAVE_SCAN(T, OP) \
  static COLLECTIVE T wave_scan_##OP##_##T(T value) { \
    uint lane = __hsail_laneid_u32(); \
    for (uint distance = 1; distance < __hsail_WAVESIZE(); distance *= 2) { \
      T other = from_lane(value, lane - distance, value, lane < distance); \
      value = lane < distance ? value : (T)OPERATION_##OP(other, value); \
    } \
    return value; \
  }

#define UNIFORM_FUNCTIONS(T, OP) \
  WAVE_SCAN(T, OP) \
  OVERLOAD COLLECTIVE T sub_group_scan_inclusive_##OP(T value) { return wave_scan_##OP##_##T(value); } \
  OVERLOAD COLLECTIVE T sub_group_scan_exclusive_##OP(T value) { \
    uint lane = __hsail_laneid_u32(); \
    return from_lane(wave_scan_##OP##_##T(value), lane - 1, (T)IDENTITY_##OP(T), lane == 0); \
  } \
  OVERLOAD COLLECTIVE T sub_group_reduce_##OP(T value) { \
    return from_lane(wave_scan_##OP##_##T(value), get_sub_group_size() - 1, value, false); \
  }

#define NON_UNIFORM_FUNCTIONS_NAMED(NAME, T, OP) \
  OVERLOAD COLLECTIVE T sub_group_non_uniform_scan_inclusive_##NAME(T value) { \
    return linked_scan_##OP##_##T(value, last_lane(active_lanes(), 0, __hsail_laneid_u32())); \
  } \
  OVERLOAD COLLECTIVE T sub_group_non_uniform_scan_exclusive_##NAME(T value) { \
    uint before = last_lane(active_lanes(), 0, __hsail_laneid_u32()); \
    return from_lane(linked_scan_##OP##_##T(value, before), before, (T)IDENTITY_##OP(T), before == NO_LANE); \
  } \
  OVERLOAD COLLECTIVE T sub_group_non_uniform_reduce_##NAME(T value) { \
    ulong4 mask = active_lanes(); \
    T scan = linked_scan_##OP##_##T(value, last_lane(mask, 0, __hsail_laneid_u32())); \
    return from_lane(scan, last_lane(mask, 0, __hsail_WAVESIZE()), value, false); \
  } \
  OVERLOAD COLLECTIVE T sub_group_clustered_reduce_##NAME(T value, uint cluster_size) { \
    ulong4 mask = active_lanes(); \
    uint first = __hsail_laneid_u32() & ~(cluster_size - 1); \
    T scan = linked_scan_##OP##_##T(value, last_lane(mask, first, __hsail_laneid_u32())); \
    return from_lane(scan, last_lane(mask, first, first + cluster_size), value, false); \
  }
#define NON_UNIFORM_FUNCTIONS(T, OP) NON_UNIFORM_FUNCTIONS_NAMED(OP, T, OP)

#define ARITHMETIC(T) \
  LINKED_SCAN(T, add) LINKED_SCAN(T, mul) LINKED_SCAN(T, min) LINKED_SCAN(T, max) \
  UNIFORM_FUNCTIONS(T, add) UNIFORM_FUNCTIONS(T, min) UNIFORM_FUNCTIONS(T, max) \
  NON_UNIFORM_FUNCTIONS(T, add) NON_UNIFORM_FUNCTIONS(T, mul) NON_UNIFORM_FUNCTIONS(T, min) NON_UNIFORM_FUNCTIONS(T, max)
FOR_NUMBERS(ARITHMETIC)

#define BITWISE(T) \
  LINKED_SCAN(T, and) LINKED_SCAN(T, or) LINKED_SCAN(T, xor) \
  NON_UNIFORM_FUNCTIONS(T, and) NON_UNIFORM_FUNCTIONS(T, or) NON_UNIFORM_FUNCTIONS(T, xor)
FOR_INTEGERS(BITWISE)

// Predicates: 0 is false, everything else is true, and results are 0 or 1.
#define LOGICAL(OP) \
  OVERLOAD COLLECTIVE int sub_group_non_uniform_scan_inclusive_logical_##OP(int predicate) { \
    return sub_group_non_uniform_scan_inclusive_##OP((int)(predicate != 0)); \
  } \
  OVERLOAD COLLECTIVE int sub_group_non_uniform_scan_exclusive_logical_##OP(int predicate) { \
    return sub_group_non_uniform_scan_exclusive_##OP((int)(predicate != 0)) & 1; \
  } \
  OVERLOAD COLLECTIVE int sub_group_non_uniform_reduce_logical_##OP(int predicate) { \
    return sub_group_non_uniform_reduce_##OP((int)(predicate != 0)); \
  } \
  OVERLOAD COLLECTIVE int sub_group_clustered_reduce_logical_##OP(int predicate, uint cluster_size) { \
    return sub_group_clustered_reduce_##OP((int)(predicate != 0), cluster_size); \
  }
LOGICAL(and)
LOGICAL(or)
LOGICAL(xor)

// Votes.
OVERLOAD COLLECTIVE int sub_group_any(int predicate) { return __hsail_activelanecount_u32_b1(predicate != 0) != 0; }
OVERLOAD COLLECTIVE int sub_group_all(int predicate) { return __hsail_activelanecount_u32_b1(predicate == 0) == 0; }
OVERLOAD COLLECTIVE int sub_group_non_uniform_any(int predicate) { return sub_group_any(predicate); }
OVERLOAD COLLECTIVE int sub_group_non_uniform_all(int predicate) { return sub_group_all(predicate); }
OVERLOAD COLLECTIVE int sub_group_elect(void) { return __hsail_activelaneid_u32() == 0; }

// Values of other lanes.
#define EXCHANGES(T) \
  OVERLOAD COLLECTIVE T sub_group_broadcast(T value, uint lane) { return from_lane(value, lane, value, false); } \
  OVERLOAD COLLECTIVE T sub_group_non_uniform_broadcast(T value, uint lane) { return from_lane(value, lane, value, false); } \
  OVERLOAD COLLECTIVE T sub_group_broadcast_first(T value) { return from_lane(value, first_lane(active_lanes()), value, false); } \
  OVERLOAD COLLECTIVE int sub_group_non_uniform_all_equal(T value) { return sub_group_all(value == sub_group_broadcast_first(value)); } \
  OVERLOAD COLLECTIVE T sub_group_shuffle(T value, uint lane) { return from_lane(value, lane, value, false); } \
  OVERLOAD COLLECTIVE T sub_group_shuffle_xor(T value, uint mask) { \
    return from_lane(value, __hsail_laneid_u32() ^ mask, value, false); \
  } \
  OVERLOAD COLLECTIVE T sub_group_shuffle_up(T value, uint delta) { \
    return from_lane(value, __hsail_laneid_u32() - delta, value, false); \
  } \
  OVERLOAD COLLECTIVE T sub_group_shuffle_down(T value, uint delta) { \
    return from_lane(value, __hsail_laneid_u32() + delta, value, false); \
  } \
  OVERLOAD COLLECTIVE T sub_group_rotate(T value, int delta) { \
    return from_lane(value, __hsail_laneid_u32() + (uint)delta, value, false); \
  } \
  OVERLOAD COLLECTIVE T sub_group_clustered_rotate(T value, int delta, uint cluster_size) { \
    uint lane = __hsail_laneid_u32(); \
    uint within = (lane + (uint)delta) & (cluster_size - 1); \
    return from_lane(value, (lane & ~(cluster_size - 1)) | within, value, false); \
  }
FOR_NUMBERS(EXCHANGES)

#define BROADCAST_OF_VECTORS(NAME, T) \
  OVERLOAD COLLECTIVE T##2 NAME(T##2 v, uint lane) { return (T##2)(NAME(v.s0, lane), NAME(v.s1, lane)); } \
  OVERLOAD COLLECTIVE T##3 NAME(T##3 v, uint lane) { return (T##3)(NAME(v.s0, lane), NAME(v.s1, lane), NAME(v.s2, lane)); } \
  OVERLOAD COLLECTIVE T##4 NAME(T##4 v, uint lane) { return (T##4)(NAME(v.lo, lane), NAME(v.hi, lane)); } \
  OVERLOAD COLLECTIVE T##8 NAME(T##8 v, uint lane) { return (T##8)(NAME(v.lo, lane), NAME(v.hi, lane)); } \
  OVERLOAD COLLECTIVE T##16 NAME(T##16 v, uint lane) { return (T##16)(NAME(v.lo, lane), NAME(v.hi, lane)); }
#define BROADCASTS_OF(T) \
  BROADCAST_OF_VECTORS(sub_group_broadcast, T) \
  BROADCAST_OF_VECTORS(sub_group_non_uniform_broadcast, T)
FOR_NUMBERS(BROADCASTS_OF)

// Ballots (cl_khr_subgroup_ballot) have 128 bits: lanes from 128 on of longer waves have none (docs/device-libraries.md).
static uint4 ballot_of(ulong4 mask) { return as_uint4((ulong2)(mask.x, mask.y)); }
static ulong2 words_of(uint4 ballot) { return as_ulong2(ballot); }

// The bits of the lanes before `lane`.
static ulong2 lanes_before(uint lane) {
  ulong low = lane >= 64 ? ~0ul : (1ul << lane) - 1;
  ulong high = lane < 64 ? 0 : lane >= 128 ? ~0ul : (1ul << (lane - 64)) - 1;
  return (ulong2)(low, high);
}
static ulong2 lanes_of_wave(void) { return lanes_before(__hsail_WAVESIZE()); }

OVERLOAD COLLECTIVE uint4 sub_group_ballot(int predicate) { return ballot_of(__hsail_activelanemask_v4_b64_b1(predicate != 0)); }
OVERLOAD int sub_group_ballot_bit_extract(uint4 ballot, uint lane) {
  ulong2 words = words_of(ballot);
  return lane < 128 ? (int)(((lane < 64 ? words.x : words.y) >> (lane % 64)) & 1) : 0;
}
OVERLOAD int sub_group_inverse_ballot(uint4 ballot) { return sub_group_ballot_bit_extract(ballot, __hsail_laneid_u32()); }

static uint count_bits(ulong2 words) { return (uint)(__builtin_popcountl(words.x) + __builtin_popcountl(words.y)); }
OVERLOAD uint sub_group_ballot_bit_count(uint4 ballot) { return count_bits(words_of(ballot) & lanes_of_wave()); }
OVERLOAD uint sub_group_ballot_inclusive_scan(uint4 ballot) {
  return count_bits(words_of(ballot) & lanes_before(__hsail_laneid_u32() + 1));
}
OVERLOAD uint sub_group_ballot_exclusive_scan(uint4 ballot) {
  return count_bits(words_of(ballot) & lanes_before(__hsail_laneid_u32()));
}
OVERLOAD uint sub_group_ballot_find_lsb(uint4 ballot) {
  ulong2 words = words_of(ballot) & lanes_of_wave();
  return first_lane((ulong4)(words, 0, 0));
}
OVERLOAD uint sub_group_ballot_find_msb(uint4 ballot) {
  ulong2 words = words_of(ballot) & lanes_of_wave();
  return last_lane((ulong4)(words, 0, 0), 0, 128);
}

OVERLOAD uint4 get_sub_group_eq_mask(void) {
  uint lane = __hsail_laneid_u32();
  return as_uint4(lanes_before(lane + 1) & ~lanes_before(lane));
}
OVERLOAD uint4 get_sub_group_ge_mask(void) { return as_uint4(lanes_before(get_sub_group_size()) & ~lanes_before(__hsail_laneid_u32())); }
OVERLOAD uint4 get_sub_group_gt_mask(void) {
  return as_uint4(lanes_before(get_sub_group_size()) & ~lanes_before(__hsail_laneid_u32() + 1));
}
OVERLOAD uint4 get_sub_group_le_mask(void) { return as_uint4(lanes_before(__hsail_laneid_u32() + 1)); }
OVERLOAD uint4 get_sub_group_lt_mask(void) { return as_uint4(lanes_before(__hsail_laneid_u32())); }
