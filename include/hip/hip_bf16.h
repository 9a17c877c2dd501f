/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Numbers with the exponent of float and 8 bits of precision: __hip_bfloat16 and pairs of them,
 * __hip_bfloat162. The operations that other formats have, too, are in device/real16.h; hip_bfloat16.h has an
 * older type of this format.
 */
#ifndef HIP_BF16_H_
#define HIP_BF16_H_

#include <hip/hip_common.h>
#include <hip/hip_vector_types.h>
#include <hip/host_defines.h>

typedef struct __hip_bfloat16_raw {
  unsigned short x;
} __hip_bfloat16_raw;

typedef struct __hip_bfloat162_raw {
  unsigned short x, y;
} __hip_bfloat162_raw;

#ifdef __cplusplus

#include <hip/device/real16.h>

#define HIP_BF16_INLINE_ __HOST_DEVICE__ static inline

struct __hip_brain16 {
  typedef __hip_bfloat16_raw raw;
  typedef __hip_bfloat162_raw raw_pair;
  static constexpr unsigned short infinity = 0x7f80;
  __HOST_DEVICE__ static inline unsigned short from_float(float x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    /* A NaN stays one, with its upper bits and made quiet. */
    if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<unsigned short>(bits >> 16 | 0x40);
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  __HOST_DEVICE__ static inline float to_float(unsigned short half) {
    const unsigned bits = static_cast<unsigned>(half) << 16;
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
  }
};

typedef __hip_real16<__hip_brain16> __hip_bfloat16;
typedef __hip_real16_pair<__hip_brain16> __hip_bfloat162;

HIP_BF16_INLINE_ short __bfloat16_as_short(__hip_bfloat16 x) { return static_cast<short>(x.__x); }
HIP_BF16_INLINE_ unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.__x; }
HIP_BF16_INLINE_ __hip_bfloat16 __short_as_bfloat16(short x) {
  return __hip_bfloat16::of_bits(static_cast<unsigned short>(x));
}
HIP_BF16_INLINE_ __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __hip_bfloat16::of_bits(x); }

/* Conversions with a rounding mode: rn, rz, rd, ru. */
HIP_BF16_INLINE_ __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16(x); }
HIP_BF16_INLINE_ __hip_bfloat16 __float2bfloat16_rn(float x) { return __hip_bfloat16(x); }
HIP_BF16_INLINE_ __hip_bfloat16 __float2bfloat16_rz(float x) { return __hip_bfloat16::truncated_(x); }
HIP_BF16_INLINE_ __hip_bfloat16 __float2bfloat16_rd(float x) { return __hip_bfloat16::down_(x); }
HIP_BF16_INLINE_ __hip_bfloat16 __float2bfloat16_ru(float x) { return __hip_bfloat16::up_(x); }
HIP_BF16_INLINE_ __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16(x); }
HIP_BF16_INLINE_ float __bfloat162float(__hip_bfloat16 x) { return static_cast<float>(x); }

/* Pairs */
HIP_BF16_INLINE_ __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
  return __hip_bfloat162(x, y);
}
/* A template, because programs define this function themselves: not all versions of HIP have it. */
template <typename = void>
HIP_BF16_INLINE_ __hip_bfloat162 __float2bfloat162_rn(float x) {
  return __hip_bfloat162(__hip_bfloat16(x));
}
HIP_BF16_INLINE_ __hip_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __hip_bfloat162(__hip_bfloat16(x), __hip_bfloat16(y));
}
HIP_BF16_INLINE_ __hip_bfloat162 __float22bfloat162_rn(float2 x) { return __floats2bfloat162_rn(x.x, x.y); }
HIP_BF16_INLINE_ float2 __bfloat1622float2(__hip_bfloat162 x) {
  return make_float2(static_cast<float>(x.x), static_cast<float>(x.y));
}
HIP_BF16_INLINE_ __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return __hip_bfloat162(x); }
HIP_BF16_INLINE_ __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
  return __hip_bfloat162(x, y);
}
HIP_BF16_INLINE_ __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return x.x; }
HIP_BF16_INLINE_ __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return x.y; }
HIP_BF16_INLINE_ __hip_bfloat162 __low2bfloat162(__hip_bfloat162 x) { return __hip_bfloat162(x.x); }
HIP_BF16_INLINE_ __hip_bfloat162 __high2bfloat162(__hip_bfloat162 x) { return __hip_bfloat162(x.y); }
HIP_BF16_INLINE_ __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 x) { return __hip_bfloat162(x.y, x.x); }

#undef HIP_BF16_INLINE_

#else

typedef __hip_bfloat16_raw __hip_bfloat16;
typedef __hip_bfloat162_raw __hip_bfloat162;

#endif
#endif /* HIP_BF16_H_ */
