// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic and the integer functions of OpenCL C 6.15.3.
#define AT get_global_id(0)
#define UNARY(name, R, A, e) kernel void name(global R* out, global const A* in) { A a = in[AT]; out[AT] = e; }
#define BINARY(name, R, A, B, e) \
  kernel void name(global R* out, global const A* in_a, global const B* in_b) { \
    A a = in_a[AT]; B b = in_b[AT]; out[AT] = e; }
#define TERNARY(name, R, A, B, C, e) \
  kernel void name(global R* out, global const A* in_a, global const B* in_b, global const C* in_c) { \
    A a = in_a[AT]; B b = in_b[AT]; C c = in_c[AT]; out[AT] = e; }

BINARY(add_sat_char, char, char, char, add_sat(a, b))
BINARY(add_sat_ulong4, ulong4, ulong4, ulong4, add_sat(a, b))
BINARY(sub_sat_short3, short3, short3, short3, sub_sat(a, b))
BINARY(sub_sat_long, long, long, long, sub_sat(a, b))
BINARY(hadd_uint2, uint2, uint2, uint2, hadd(a, b))
BINARY(rhadd_long, long, long, long, rhadd(a, b))
BINARY(abs_diff_int, uint, int, int, abs_diff(a, b))
UNARY(abs_char16, uchar16, char16, abs(a))
UNARY(clz_ushort8, ushort8, ushort8, clz(a))
UNARY(ctz_ulong, ulong, ulong, ctz(a))
UNARY(popcount_uint4, uint4, uint4, popcount(a))
BINARY(rotate_uchar4, uchar4, uchar4, uchar4, rotate(a, b))
BINARY(rotate_ulong, ulong, ulong, ulong, rotate(a, b))
BINARY(mul_hi_long, long, long, long, mul_hi(a, b))
BINARY(mul_hi_ushort2, ushort2, ushort2, ushort2, mul_hi(a, b))
TERNARY(mad_hi_uint, uint, uint, uint, uint, mad_hi(a, b, c))
TERNARY(mad_sat_int, int, int, int, int, mad_sat(a, b, c))
TERNARY(mad_sat_uchar8, uchar8, uchar8, uchar8, uchar8, mad_sat(a, b, c))
BINARY(mul24_int, int, int, int, mul24((a << 8) >> 8, (b << 8) >> 8))
TERNARY(mad24_uint, uint, uint, uint, uint, mad24(a & 0xffffff, b & 0xffffff, c))
TERNARY(clamp_short4, short4, short4, short4, short4, clamp(a, min(b, c), max(b, c)))
BINARY(min_max_uchar16, uchar16, uchar16, uchar16, (uchar16)(min(a, b).lo, max(a, b).hi))
BINARY(upsample_short, int, short, ushort, upsample(a, b))
BINARY(upsample_uint2, ulong2, uint2, uint2, upsample(a, b))
BINARY(divide_int, int, int, int, b == 0 || (a == INT_MIN && b == -1) ? 7 : a / b)
BINARY(remainder_long, long, long, long, b == 0 || (a == LONG_MIN && b == -1) ? 7 : a % b)
BINARY(divide_uchar4, uchar4, uchar4, uchar4, a / (b | (uchar4)1))
BINARY(divide_ulong2, ulong2, ulong2, ulong2, a / (b | 1ul) + a % (b | 1ul))
UNARY(divide_by_constants, int, int, a / 7 + a % 10 - a / -3 + (int)((uint)a / 641u))
// Shifts use as many bits of the number as the type has (OpenCL C 6.3.10).
BINARY(shift_left_int, int, int, int, a << b)
BINARY(shift_right_char4, char4, char4, char4, a >> b)
BINARY(shift_right_ulong, ulong, ulong, uint, a >> b)
TERNARY(bitselect_int2, int2, int2, int2, int2, bitselect(a, b, c))
TERNARY(select_long2, long2, long2, long2, long2, select(a, b, c))
TERNARY(select_scalar, uint, uint, uint, int, select(a, b, c))
BINARY(compare_char8, char8, char8, char8, (a < b) + (char)2 * (a == b) - (char)4 * (a >= b))
BINARY(compare_double2, long2, double2, double2, (a < b) | ((a != b) & (long2)4))
UNARY(any_all, int, int4, any(a) * 2 + all(a))
