/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Operations on integers: counting, finding, reversing and moving bits, averages, products of 24 bits, high
 * halves of products, sums of differences. The file also has the short names of unsigned types.
 */
#ifndef HIP_DEVICE_INTEGERS_H_
#define HIP_DEVICE_INTEGERS_H_

#include <hip/hip_vector_types.h>

#if defined(__HIP__) && defined(__cplusplus)

/* Names that AMD's headers give to sources of HIP, in host and device code, also in those of hipRTC. The C
 * library of the host has some of them, too, as names of the same types. */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ullong;

#define HIP_DEVICE_INLINE_ __device__ static inline __attribute__((always_inline))

/* Number of bits that are 1. */
HIP_DEVICE_INLINE_ unsigned __popc(unsigned x) { return (unsigned)__builtin_popcount(x); }
HIP_DEVICE_INLINE_ unsigned __popcll(unsigned long long x) { return (unsigned)__builtin_popcountll(x); }

/* Number of bits that are 0 above the highest 1; all of them for 0. */
HIP_DEVICE_INLINE_ int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
HIP_DEVICE_INLINE_ int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }

/* Position of the lowest 1, counted from 1; 0 for 0. */
#define HIP_FIND_FIRST_(NAME, T, BUILTIN) \
  HIP_DEVICE_INLINE_ int NAME(T x) { return BUILTIN((long long)x); }
HIP_DEVICE_INLINE_ int __ffs(unsigned x) { return __builtin_ffs((int)x); }
HIP_DEVICE_INLINE_ int __ffs(int x) { return __builtin_ffs(x); }
HIP_FIND_FIRST_(__ffsll, long long, __builtin_ffsll)
HIP_FIND_FIRST_(__ffsll, unsigned long long, __builtin_ffsll)
HIP_FIND_FIRST_(__ffsll, unsigned long, __builtin_ffsll)
#undef HIP_FIND_FIRST_

/* Number of the lowest 1; -1 for 0. */
HIP_DEVICE_INLINE_ unsigned __lastbit_u32_u32(unsigned x) {
  return x == 0 ? ~0u : (unsigned)__builtin_ctz(x);
}
HIP_DEVICE_INLINE_ unsigned __lastbit_u32_u64(unsigned long long x) {
  return x == 0 ? ~0u : (unsigned)__builtin_ctzll(x);
}

/* Position of the `nth` 1 of the mask, counted from bit `base` upwards (downwards if `nth` is negative); bit
 * `base` itself must be 1 if `nth` is 0. All ones if there is no such bit. */
HIP_DEVICE_INLINE_ int __fns64(unsigned long long mask, unsigned base, int nth) {
  const unsigned long long from = 1ull << (base & 63);
  if (nth == 0) return (mask & from) != 0 ? (int)(base & 63) : -1;
  unsigned long long rest = nth > 0 ? mask & ~(from - 1) : __builtin_bitreverse64(mask & (from | (from - 1)));
  for (int left = nth > 0 ? nth : -nth; left > 1; --left) rest &= rest - 1;
  if (rest == 0) return -1;
  return nth > 0 ? __builtin_ctzll(rest) : 63 - __builtin_ctzll(rest);
}
HIP_DEVICE_INLINE_ int __fns32(unsigned long long mask, unsigned base, int nth) {
  return __fns64(mask, base, nth);
}

HIP_DEVICE_INLINE_ unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HIP_DEVICE_INLINE_ unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

/* Each of the low four hexadecimal digits of the selector tells which of the eight bytes of y:x is taken. */
HIP_DEVICE_INLINE_ unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= (unsigned)(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}

/* The high or low word of high:low, shifted. The shift counts modulo 32, or at most 32 with a final c. */
HIP_DEVICE_INLINE_ unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
HIP_DEVICE_INLINE_ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
HIP_DEVICE_INLINE_ unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
HIP_DEVICE_INLINE_ unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

/* Averages without overflow; those with r are rounded up. */
HIP_DEVICE_INLINE_ int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
HIP_DEVICE_INLINE_ int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
HIP_DEVICE_INLINE_ unsigned __uhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y) >> 1);
}
HIP_DEVICE_INLINE_ unsigned __urhadd(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x + y + 1) >> 1);
}

/* Products of the low 24 bits, and the high halves of full products. */
HIP_DEVICE_INLINE_ int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
HIP_DEVICE_INLINE_ unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
HIP_DEVICE_INLINE_ int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
HIP_DEVICE_INLINE_ unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
HIP_DEVICE_INLINE_ long long __mul64hi(long long x, long long y) {
  return (long long)((__int128)x * y >> 64);
}
HIP_DEVICE_INLINE_ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}

/* |x - y| + sum */
HIP_DEVICE_INLINE_ unsigned __usad(unsigned x, unsigned y, unsigned sum) {
  return (x > y ? x - y : y - x) + sum;
}
HIP_DEVICE_INLINE_ unsigned __sad(int x, int y, unsigned sum) {
  return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + sum;
}

/* Takes `width` bits from bit `offset`, or puts them there. */
HIP_DEVICE_INLINE_ unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return x >> (offset & 31) & ((1u << (width & 31)) - 1);
}
HIP_DEVICE_INLINE_ unsigned long long __bitextract_u64(unsigned long long x, unsigned offset,
                                                       unsigned width) {
  return x >> (offset & 63) & ((1ull << (width & 63)) - 1);
}
HIP_DEVICE_INLINE_ unsigned __bitinsert_u32(unsigned into, unsigned bits, unsigned offset, unsigned width) {
  const unsigned mask = (1u << (width & 31)) - 1;
  return (into & ~(mask << (offset & 31))) | (bits & mask) << (offset & 31);
}
HIP_DEVICE_INLINE_ unsigned long long __bitinsert_u64(unsigned long long into, unsigned long long bits,
                                                      unsigned offset, unsigned width) {
  const unsigned long long mask = (1ull << (width & 63)) - 1;
  return (into & ~(mask << (offset & 63))) | (bits & mask) << (offset & 63);
}

#undef HIP_DEVICE_INLINE_

#endif
#endif /* HIP_DEVICE_INTEGERS_H_ */
