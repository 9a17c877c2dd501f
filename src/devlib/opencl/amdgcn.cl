// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intrinsics of LLVM for AMD's instructions that are no instruction of HSAIL. The compiler calls `__heddle_` and the name of the intrinsic
// without "llvm.", with underscores for dots (src/compiler/front/amdgcn_functions.cpp). Lanes count within a wave of any length; rows have 16.

// The word that a lane has; `otherwise` if there is no such lane, or if it is not active.
static COLLECTIVE uint word_of_lane(uint value, uint lane, uint otherwise) {
  ulong4 active = active_lanes();
  bool there = lane < __hsail_WAVESIZE() && (word_of(active, lane / 64) >> lane % 64 & 1) != 0;
  return __hsail_activelanepermute_b32(value, there ? lane : 0, otherwise, !there);
}

// Each lane sends to the lane whose number is a fourth of the address, modulo the wave; of several, the last one gets through.
COLLECTIVE uint __heddle_amdgcn_ds_permute(uint address, uint value) {
  uint target = address / 4 % __hsail_WAVESIZE(), result = 0, lane = __hsail_laneid_u32();
  for (uint from = 0; from < __hsail_WAVESIZE(); from++) {
    uint wanted = word_of_lane(target, from, NO_LANE), sent = word_of_lane(value, from, 0);
    if (wanted == lane) result = sent;
  }
  return result;
}
COLLECTIVE uint __heddle_amdgcn_ds_swizzle(uint value, uint pattern) {
  uint lane = __hsail_laneid_u32(), low = lane % 32;
  if ((pattern & 0x8000) != 0)
    low = (low & ~3u) | (pattern >> 2 * (low % 4) & 3);
  else
    low = ((low & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  return word_of_lane(value, lane - lane % 32 + (low & 31), 0);
}

// The lane that the control of a DPP instruction reads from; NO_LANE if there is none.
static uint dpp_lane(uint lane, uint control) {
  uint row = lane - lane % 16, place = lane % 16, count = control & 15, end = __hsail_WAVESIZE();
  if (control < 0x100) return lane - lane % 4 + (control >> 2 * (lane % 4) & 3);
  switch (control >> 4) {
    case 0x10: return place + count < 16 ? lane + count : NO_LANE;
    case 0x11: return place >= count ? lane - count : NO_LANE;
    case 0x12: return row + (place + 16 - count) % 16;
    case 0x13: {
      bool down = (control & 8) == 0, around = (control & 4) != 0;
      if (down) return lane + 1 < end ? lane + 1 : around ? 0 : NO_LANE;
      return lane > 0 ? lane - 1 : around ? end - 1 : NO_LANE;
    }
    case 0x14:
      if (control == 0x140) return row + 15 - place;
      if (control == 0x141) return row + (place & 8) + 7 - (place & 7);
      if (control == 0x142) return row > 0 ? row - 1 : NO_LANE;
      return lane >= 32 ? lane - lane % 32 - 1 : NO_LANE;
    case 0x15: return row + count;
    default: return row + (place ^ count);
  }
}
COLLECTIVE uint __heddle_amdgcn_update_dpp(uint old, uint value, uint control, uint rows, uint banks, bool bound) {
  uint lane = __hsail_laneid_u32();
  uint result = word_of_lane(value, dpp_lane(lane, control), bound ? 0 : old);
  bool enabled = (rows >> lane / 16 % 4 & 1) != 0 && (banks >> lane / 4 % 4 & 1) != 0;
  return enabled ? result : old;
}
COLLECTIVE uint __heddle_amdgcn_mov_dpp(uint value, uint control, uint rows, uint banks, bool bound) {
  return __heddle_amdgcn_update_dpp(0, value, control, rows, banks, bound);
}
COLLECTIVE uint __heddle_amdgcn_mov_dpp8(uint value, uint selector) {
  uint lane = __hsail_laneid_u32();
  return word_of_lane(value, lane - lane % 8 + (selector >> 3 * (lane % 8) & 7), 0);
}

// `low` and `high` have four bits for each lane of a row.
static uint selected_place(uint lane, uint low, uint high) { return (lane % 16 < 8 ? low : high) >> 4 * (lane % 8) & 15; }
COLLECTIVE uint __heddle_amdgcn_permlane16(uint old, uint value, uint low, uint high, bool inactive, bool bound) {
  uint lane = __hsail_laneid_u32();
  return word_of_lane(value, lane - lane % 16 + selected_place(lane, low, high), bound ? 0 : old);
}
COLLECTIVE uint __heddle_amdgcn_permlanex16(uint old, uint value, uint low, uint high, bool inactive, bool bound) {
  uint lane = __hsail_laneid_u32();
  return word_of_lane(value, (lane - lane % 16 ^ 16) + selected_place(lane, low, high), bound ? 0 : old);
}
COLLECTIVE uint __heddle_amdgcn_permlane64(uint value) { return word_of_lane(value, __hsail_laneid_u32() ^ 32, value); }
COLLECTIVE uint __heddle_amdgcn_wave_shuffle(uint value, uint lane) { return word_of_lane(value, lane % __hsail_WAVESIZE(), 0); }
uint __heddle_amdgcn_writelane(uint value, uint lane, uint old) {
  return __hsail_laneid_u32() == lane % __hsail_WAVESIZE() ? value : old;
}
bool __heddle_amdgcn_inverse_ballot_i32(uint mask) { return (mask >> __hsail_laneid_u32() % 32 & 1) != 0; }
bool __heddle_amdgcn_inverse_ballot_i64(ulong mask) { return (mask >> __hsail_laneid_u32() % 64 & 1) != 0; }

// Reductions over the active lanes; the second argument chooses a strategy.
#define WAVE_REDUCTION(NAME, T, SUFFIX, RESULT) \
  COLLECTIVE T __heddle_amdgcn_wave_reduce_##NAME##_##SUFFIX(T value, uint strategy) { return RESULT; }
#define WAVE_REDUCTIONS(S, U, SUFFIX) \
  WAVE_REDUCTION(umin, U, SUFFIX, sub_group_non_uniform_reduce_min(value)) \
  WAVE_REDUCTION(umax, U, SUFFIX, sub_group_non_uniform_reduce_max(value)) \
  WAVE_REDUCTION(min, S, SUFFIX, sub_group_non_uniform_reduce_min(value)) \
  WAVE_REDUCTION(max, S, SUFFIX, sub_group_non_uniform_reduce_max(value)) \
  WAVE_REDUCTION(add, U, SUFFIX, sub_group_non_uniform_reduce_add(value)) \
  WAVE_REDUCTION(sub, U, SUFFIX, 0 - sub_group_non_uniform_reduce_add(value)) \
  WAVE_REDUCTION(and, U, SUFFIX, sub_group_non_uniform_reduce_and(value)) \
  WAVE_REDUCTION(or, U, SUFFIX, sub_group_non_uniform_reduce_or(value)) \
  WAVE_REDUCTION(xor, U, SUFFIX, sub_group_non_uniform_reduce_xor(value))
WAVE_REDUCTIONS(int, uint, i32)
WAVE_REDUCTIONS(long, ulong, i64)
WAVE_REDUCTION(fmin, float, f32, sub_group_non_uniform_reduce_min(value))
WAVE_REDUCTION(fmax, float, f32, sub_group_non_uniform_reduce_max(value))
WAVE_REDUCTION(fadd, float, f32, sub_group_non_uniform_reduce_add(value))
WAVE_REDUCTION(fsub, float, f32, -sub_group_non_uniform_reduce_add(value))

bool __heddle_amdgcn_is_shared(const void* p) { return p != 0 && __hsail_segmentp_group_b1_u64(p); }
bool __heddle_amdgcn_is_private(const void* p) { return p != 0 && __hsail_segmentp_private_b1_u64(p); }

// Bytes and bits.
static uint byte_of(ulong value, uint number) { return (uint)(value >> 8 * number) & 255; }
uint __heddle_amdgcn_sad_u8(uint a, uint b, uint sum) { return __hsail_sad_u32_u8x4(a, b, sum); }
uint __heddle_amdgcn_sad_u16(uint a, uint b, uint sum) { return __hsail_sad_u32_u16x2(a, b, sum); }
uint __heddle_amdgcn_sad_hi_u8(uint a, uint b, uint sum) { return (__hsail_sad_u32_u8x4(a, b, 0) << 16) + sum; }
uint __heddle_amdgcn_msad_u8(uint a, uint b, uint sum) {
  for (uint i = 0; i < 4; i++)
    if (byte_of(b, i) != 0) sum += abs_diff(byte_of(a, i), byte_of(b, i));
  return sum;
}
// Four sums of differences, of the bytes from each of the first four of `a` on.
ulong __heddle_amdgcn_qsad_pk_u16_u8(ulong a, uint b, ulong sums) {
  ushort4 result = as_ushort4(sums);
  for (uint i = 0; i < 4; i++) result[i] += (ushort)__hsail_sad_u32_u8x4((uint)(a >> 8 * i), b, 0);
  return as_ulong(result);
}
ulong __heddle_amdgcn_mqsad_pk_u16_u8(ulong a, uint b, ulong sums) {
  ushort4 result = as_ushort4(sums);
  for (uint i = 0; i < 4; i++) result[i] += (ushort)__heddle_amdgcn_msad_u8((uint)(a >> 8 * i), b, 0);
  return as_ulong(result);
}
uint4 __heddle_amdgcn_mqsad_u32_u8(ulong a, uint b, uint4 sums) {
  for (uint i = 0; i < 4; i++) sums[i] = __heddle_amdgcn_msad_u8((uint)(a >> 8 * i), b, sums[i]);
  return sums;
}
uint __heddle_amdgcn_lerp(uint a, uint b, uint c) { return __hsail_lerp_u8x4(a, b, c); }
uint __heddle_amdgcn_alignbyte(uint high, uint low, uint bytes) { return (uint)(((ulong)high << 32 | low) >> 8 * (bytes & 3)); }

// Each byte of the selector: 0 to 7 chooses a byte, of `b` first; 8 to 11 repeat the sign of every second byte, 12 is 0, others are 255.
uint __heddle_amdgcn_perm(uint a, uint b, uint selector) {
  ulong both = (ulong)a << 32 | b;
  uint result = 0;
  for (uint i = 0; i < 4; i++) {
    uint choice = byte_of(selector, i);
    uint sign = byte_of(both, (choice & 3) * 2 + 1) >> 7;
    uint byte = choice < 8 ? byte_of(both, choice) : choice < 12 ? sign * 255 : choice == 12 ? 0 : 255;
    result |= byte << 8 * i;
  }
  return result;
}
// The offset counts modulo 32; the number of bits, too, and no bits are 0.
uint __heddle_amdgcn_ubfe_i32(uint value, uint offset, uint bits) { return (value >> offset % 32) & ((1u << bits % 32) - 1); }
int __heddle_amdgcn_sbfe_i32(int value, uint offset, uint bits) {
  uint count = bits % 32, taken = __heddle_amdgcn_ubfe_i32((uint)value >> 0, offset, bits);
  if (count == 0) return 0;
  if (offset % 32 + count >= 32) return value >> offset % 32;
  return (int)(taken << (32 - count)) >> (32 - count);
}
ulong __heddle_amdgcn_ubfe_i64(ulong value, uint offset, uint bits) { return (value >> offset % 64) & ((1ul << bits % 64) - 1); }
long __heddle_amdgcn_sbfe_i64(long value, uint offset, uint bits) {
  uint count = bits % 64;
  if (count == 0) return 0;
  if (offset % 64 + count >= 64) return value >> offset % 64;
  return (long)(__heddle_amdgcn_ubfe_i64((ulong)value, offset, bits) << (64 - count)) >> (64 - count);
}
// How many bits of the sign are above the first other one; -1 if there is no other.
int __heddle_amdgcn_sffbh(int value) { return value == 0 || value == -1 ? -1 : (int)clz(value < 0 ? ~value : value); }
int __heddle_amdgcn_mul_i24(int a, int b) { return __ockl_mul24_i32(a, b); }
uint __heddle_amdgcn_mul_u24(uint a, uint b) { return __ockl_mul24_u32(a, b); }
int __heddle_amdgcn_mulhi_i24(int a, int b) { return (int)((long)((a << 8) >> 8) * ((b << 8) >> 8) >> 32); }
uint __heddle_amdgcn_mulhi_u24(uint a, uint b) { return (uint)((ulong)(a & 0xffffff) * (b & 0xffffff) >> 32); }
int __heddle_amdgcn_sdot2(short2 a, short2 b, int sum, bool saturates) { return __ockl_sdot2(a, b, sum, saturates); }
uint __heddle_amdgcn_udot2(ushort2 a, ushort2 b, uint sum, bool saturates) { return __ockl_udot2(a, b, sum, saturates); }
int __heddle_amdgcn_sdot4(uint a, uint b, int sum, bool saturates) { return __ockl_sdot4(as_char4(a), as_char4(b), sum, saturates); }
uint __heddle_amdgcn_udot4(uint a, uint b, uint sum, bool saturates) { return __ockl_udot4(as_uchar4(a), as_uchar4(b), sum, saturates); }
int __heddle_amdgcn_sdot8(int a, int b, int sum, bool saturates) { return __ockl_sdot8(a, b, sum, saturates); }
uint __heddle_amdgcn_udot8(uint a, uint b, uint sum, bool saturates) { return __ockl_udot8(a, b, sum, saturates); }
float __heddle_amdgcn_fdot2(half2 a, half2 b, float sum, bool saturates) { return __ockl_fdot2(a, b, sum, saturates); }

// Conversions of pairs.
short2 __heddle_amdgcn_cvt_pk_i16(int a, int b) { return (short2)(convert_short_sat(a), convert_short_sat(b)); }
ushort2 __heddle_amdgcn_cvt_pk_u16(uint a, uint b) { return (ushort2)(convert_ushort_sat(a), convert_ushort_sat(b)); }
short2 __heddle_amdgcn_cvt_pknorm_i16(float a, float b) {
  return convert_short2_sat_rte((float2)(clamp(a, -1.0f, 1.0f), clamp(b, -1.0f, 1.0f)) * 32767.0f);
}
ushort2 __heddle_amdgcn_cvt_pknorm_u16(float a, float b) {
  return convert_ushort2_sat_rte((float2)(clamp(a, 0.0f, 1.0f), clamp(b, 0.0f, 1.0f)) * 65535.0f);
}
half2 __heddle_amdgcn_cvt_pkrtz(float a, float b) { return (half2)(convert_half_rtz(a), convert_half_rtz(b)); }
uint __heddle_amdgcn_cvt_pk_u8_f32(float value, uint byte, uint old) {
  uint shift = 8 * (byte & 3);
  return (old & ~(255u << shift)) | (uint)convert_uchar_sat_rte(value) << shift;
}

// Products in which 0 times anything is 0.
float __heddle_amdgcn_fmul_legacy(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }
float __heddle_amdgcn_fma_legacy(float a, float b, float c) { return a == 0.0f || b == 0.0f ? c + 0.0f : fma(a, b, c); }
float __heddle_amdgcn_rcp_legacy(float x) { return 1.0f / x; }
float __heddle_amdgcn_fdiv_fast(float a, float b) { return a / b; }

// The face of a cube that a direction points to, twice the length of its longest coordinate, and the other two.
static bool longest_is_z(float x, float y, float z) { return fabs(z) >= fabs(x) && fabs(z) >= fabs(y); }
static bool longest_is_y(float x, float y, float z) { return !longest_is_z(x, y, z) && fabs(y) >= fabs(x); }
float __heddle_amdgcn_cubeid(float x, float y, float z) {
  if (longest_is_z(x, y, z)) return z < 0.0f ? 5.0f : 4.0f;
  if (longest_is_y(x, y, z)) return y < 0.0f ? 3.0f : 2.0f;
  return x < 0.0f ? 1.0f : 0.0f;
}
float __heddle_amdgcn_cubema(float x, float y, float z) {
  return 2.0f * (longest_is_z(x, y, z) ? z : longest_is_y(x, y, z) ? y : x);
}
float __heddle_amdgcn_cubesc(float x, float y, float z) {
  if (longest_is_z(x, y, z)) return z < 0.0f ? -x : x;
  if (longest_is_y(x, y, z)) return x;
  return x < 0.0f ? z : -z;
}
float __heddle_amdgcn_cubetc(float x, float y, float z) {
  if (longest_is_z(x, y, z)) return -y;
  if (longest_is_y(x, y, z)) return y < 0.0f ? -z : z;
  return -y;
}
