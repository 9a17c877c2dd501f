// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer functions of extensions: cl_khr_extended_bit_ops, cl_khr_integer_dot_product and cl_amd_media_ops, whose functions are HSAIL's
// multimedia instructions (PRM 5.15).

#define BITS_OF(T) ((uint)sizeof(T) * 8)

// The masks are made in 64 bits, where shifts by the width of T are defined.
#define BIT_FIELDS(T, SIGNED, UNSIGNED) \
  OVERLOAD T bitfield_insert(T base, T insert, uint offset, uint count) { \
    ulong mask = (count >= 64 ? ~0ul : (1ul << count) - 1) << offset; \
    return (T)(((ulong)base & ~mask) | (((ulong)insert << offset) & mask)); \
  } \
  OVERLOAD UNSIGNED bitfield_extract_unsigned(T base, uint offset, uint count) { \
    ulong mask = count >= 64 ? ~0ul : (1ul << count) - 1; \
    return (UNSIGNED)(((ulong)(UNSIGNED)base >> offset) & mask); \
  } \
  OVERLOAD SIGNED bitfield_extract_signed(T base, uint offset, uint count) { \
    return count == 0 ? (SIGNED)0 : (SIGNED)((long)((ulong)base << (64 - count - offset)) >> (64 - count)); \
  } \
  OVERLOAD T bit_reverse(T base) { return __builtin_elementwise_bitreverse(base); } \
  BIT_FIELDS_OF_VECTOR(T##2, SIGNED##2, UNSIGNED##2, s0, s1) \
  BIT_FIELDS_OF_VECTOR(T##4, SIGNED##4, UNSIGNED##4, lo, hi) \
  BIT_FIELDS_OF_VECTOR(T##8, SIGNED##8, UNSIGNED##8, lo, hi) \
  BIT_FIELDS_OF_VECTOR(T##16, SIGNED##16, UNSIGNED##16, lo, hi) \
  OVERLOAD T##3 bit_reverse(T##3 base) { return __builtin_elementwise_bitreverse(base); } \
  OVERLOAD T##3 bitfield_insert(T##3 base, T##3 insert, uint offset, uint count) { \
    return (T##3)(bitfield_insert(base.lo, insert.lo, offset, count), bitfield_insert(base.s2, insert.s2, offset, count)); \
  } \
  OVERLOAD UNSIGNED##3 bitfield_extract_unsigned(T##3 base, uint offset, uint count) { \
    return (UNSIGNED##3)(bitfield_extract_unsigned(base.lo, offset, count), bitfield_extract_unsigned(base.s2, offset, count)); \
  } \
  OVERLOAD SIGNED##3 bitfield_extract_signed(T##3 base, uint offset, uint count) { \
    return (SIGNED##3)(bitfield_extract_signed(base.lo, offset, count), bitfield_extract_signed(base.s2, offset, count)); \
  }

#define BIT_FIELDS_OF_VECTOR(T, SIGNED, UNSIGNED, LOW, HIGH) \
  OVERLOAD T bit_reverse(T base) { return __builtin_elementwise_bitreverse(base); } \
  OVERLOAD T bitfield_insert(T base, T insert, uint offset, uint count) { \
    return (T)(bitfield_insert(base.LOW, insert.LOW, offset, count), bitfield_insert(base.HIGH, insert.HIGH, offset, count)); \
  } \
  OVERLOAD UNSIGNED bitfield_extract_unsigned(T base, uint offset, uint count) { \
    return (UNSIGNED)(bitfield_extract_unsigned(base.LOW, offset, count), bitfield_extract_unsigned(base.HIGH, offset, count)); \
  } \
  OVERLOAD SIGNED bitfield_extract_signed(T base, uint offset, uint count) { \
    return (SIGNED)(bitfield_extract_signed(base.LOW, offset, count), bitfield_extract_signed(base.HIGH, offset, count)); \
  }

BIT_FIELDS(char, char, uchar)
BIT_FIELDS(uchar, char, uchar)
BIT_FIELDS(short, short, ushort)
BIT_FIELDS(ushort, short, ushort)
BIT_FIELDS(int, int, uint)
BIT_FIELDS(uint, int, uint)
BIT_FIELDS(long, long, ulong)
BIT_FIELDS(ulong, long, ulong)

#define DOT(A, B, R) \
  OVERLOAD R dot(A##4 a, B##4 b) { return (R)a.x * (R)b.x + (R)a.y * (R)b.y + (R)a.z * (R)b.z + (R)a.w * (R)b.w; } \
  OVERLOAD R dot_acc_sat(A##4 a, B##4 b, R sum) { return __builtin_elementwise_add_sat(dot(a, b), sum); }
DOT(uchar, uchar, uint)
DOT(char, char, int)
DOT(uchar, char, int)
DOT(char, uchar, int)

#define DOT_PACKED(NAME, A, B, R) \
  OVERLOAD R dot_4x8packed_##NAME##_##R(uint a, uint b) { return dot(as_##A##4(a), as_##B##4(b)); } \
  OVERLOAD R dot_acc_sat_4x8packed_##NAME##_##R(uint a, uint b, R sum) { return dot_acc_sat(as_##A##4(a), as_##B##4(b), sum); }
DOT_PACKED(uu, uchar, uchar, uint)
DOT_PACKED(ss, char, char, int)
DOT_PACKED(us, uchar, char, int)
DOT_PACKED(su, char, uchar, int)

OVERLOAD uint amd_pack(float4 v) { return __hsail_packcvt_u8x4_f32(v.x, v.y, v.z, v.w); }
OVERLOAD uint amd_sad4(uint4 a, uint4 b, uint sum) {
  sum = __hsail_sad_u32_u8x4(a.x, b.x, sum);
  sum = __hsail_sad_u32_u8x4(a.y, b.y, sum);
  sum = __hsail_sad_u32_u8x4(a.z, b.z, sum);
  return __hsail_sad_u32_u8x4(a.w, b.w, sum);
}

#define MEDIA_OPERATION(NAME, INSTRUCTION) \
  OVERLOAD uint NAME(uint a, uint b, uint c) { return INSTRUCTION(a, b, c); } \
  VECTORIZE_3(NAME, uint, uint)
// The upper half comes first in OpenCL C, and second in HSAIL.
#define BITALIGN(a, b, amount) __hsail_bitalign_b32(b, a, amount)
#define BYTEALIGN(a, b, amount) __hsail_bytealign_b32(b, a, amount)
MEDIA_OPERATION(amd_bitalign, BITALIGN)
MEDIA_OPERATION(amd_bytealign, BYTEALIGN)
MEDIA_OPERATION(amd_lerp, __hsail_lerp_u8x4)
MEDIA_OPERATION(amd_sad, __hsail_sad_u32_u8x4)
MEDIA_OPERATION(amd_sadhi, __hsail_sadhi_u16x2_u8x4)

#define UNPACK(N) \
  OVERLOAD float amd_unpack##N(uint v) { return (float)((v >> (8 * N)) & 0xff); } \
  VECTORIZE_1(amd_unpack##N, float, uint)
UNPACK(0)
UNPACK(1)
UNPACK(2)
UNPACK(3)

// libclc 22 takes a product of 0 and a negative number for one that is too small. The exact sum has 128 bits.
static long saturated_sum(long product_high, ulong product_low, long addend) {
  ulong low = product_low + (ulong)addend;
  long high = product_high + (addend >> 63) + (low < product_low ? 1 : 0);
  bool fits = high == (long)low >> 63;
  return fits ? (long)low : high < 0 ? LONG_MIN : LONG_MAX;
}
OVERLOAD long mad_sat(long a, long b, long c) { return saturated_sum(mul_hi(a, b), (ulong)a * (ulong)b, c); }
// Its product of two int may overflow, which C leaves undefined.
OVERLOAD int mad_sat(int a, int b, int c) { return convert_int_sat((long)a * b + c); }
#define MAD_SAT(T, LOW, HIGH) \
  OVERLOAD T mad_sat(T a, T b, T c) { return (T)(mad_sat(a.LOW, b.LOW, c.LOW), mad_sat(a.HIGH, b.HIGH, c.HIGH)); }
#define MAD_SATS(T) MAD_SAT(T##2, x, y) MAD_SAT(T##3, lo, z) MAD_SAT(T##4, lo, hi) MAD_SAT(T##8, lo, hi) MAD_SAT(T##16, lo, hi)
MAD_SATS(int)
MAD_SATS(long)
