/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * hip_bfloat16: the upper half of a float, 8 bits of exponent and 8 of precision. Conversion from float
 * rounds to the nearest number, ties to even; arithmetic happens in float.
 */
#ifndef HIP_BFLOAT16_H_
#define HIP_BFLOAT16_H_

#include <hip/host_defines.h>
#include <stdint.h>

#ifdef __cplusplus

#include <math.h>

#include <cstring>
#include <ostream>

struct hip_bfloat16 {
  uint16_t data;

  enum truncate_t { truncate };

  hip_bfloat16() = default;
  __HOST_DEVICE__ explicit hip_bfloat16(float x) : data(rounded_(bits_(x))) {}
  __HOST_DEVICE__ explicit hip_bfloat16(float x, truncate_t) : data(truncated_(bits_(x))) {}
  template <typename T>
  __HOST_DEVICE__ explicit hip_bfloat16(T x) : data(rounded_(bits_(static_cast<float>(x)))) {}

  __HOST_DEVICE__ static hip_bfloat16 round_to_bfloat16(float x) { return hip_bfloat16(x); }
  __HOST_DEVICE__ static hip_bfloat16 round_to_bfloat16(float x, truncate_t) {
    return hip_bfloat16(x, truncate);
  }

  __HOST_DEVICE__ operator float() const {
    const uint32_t bits = static_cast<uint32_t>(data) << 16;
    float result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
  }
  __HOST_DEVICE__ explicit operator bool() const { return (data & 0x7fff) != 0; }

 private:
  __HOST_DEVICE__ static uint32_t bits_(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
  }
  __HOST_DEVICE__ static bool is_nan_(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }
  /* A NaN whose upper half alone would be infinity gets a bit that stays. */
  __HOST_DEVICE__ static uint16_t truncated_(uint32_t bits) {
    return static_cast<uint16_t>(bits >> 16 | (is_nan_(bits) && (bits & 0xffff) != 0 ? 1 : 0));
  }
  __HOST_DEVICE__ static uint16_t rounded_(uint32_t bits) {
    if (is_nan_(bits)) return truncated_(bits);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

static_assert(sizeof(hip_bfloat16) == 2, "arrays of hip_bfloat16 are arrays of 16 bits");

#define HIP_BFLOAT16_ARITHMETIC_(OP)                                                        \
  __HOST_DEVICE__ inline hip_bfloat16 operator OP(hip_bfloat16 a, hip_bfloat16 b) {         \
    return hip_bfloat16(static_cast<float>(a) OP static_cast<float>(b));                    \
  }                                                                                         \
  __HOST_DEVICE__ inline hip_bfloat16& operator OP## = (hip_bfloat16 & a, hip_bfloat16 b) { \
    return a = a OP b;                                                                      \
  }
#define HIP_BFLOAT16_COMPARISON_(OP)                                        \
  __HOST_DEVICE__ inline bool operator OP(hip_bfloat16 a, hip_bfloat16 b) { \
    return static_cast<float>(a) OP static_cast<float>(b);                  \
  }
HIP_BFLOAT16_ARITHMETIC_(+)
HIP_BFLOAT16_ARITHMETIC_(-)
HIP_BFLOAT16_ARITHMETIC_(*)
HIP_BFLOAT16_ARITHMETIC_(/)
HIP_BFLOAT16_COMPARISON_(==)
HIP_BFLOAT16_COMPARISON_(!=)
HIP_BFLOAT16_COMPARISON_(<)
HIP_BFLOAT16_COMPARISON_(<=)
HIP_BFLOAT16_COMPARISON_(>)
HIP_BFLOAT16_COMPARISON_(>=)
#undef HIP_BFLOAT16_ARITHMETIC_
#undef HIP_BFLOAT16_COMPARISON_

__HOST_DEVICE__ inline hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
__HOST_DEVICE__ inline hip_bfloat16 operator-(hip_bfloat16 a) {
  a.data ^= 0x8000;
  return a;
}
__HOST_DEVICE__ inline hip_bfloat16& operator++(hip_bfloat16& a) { return a += hip_bfloat16(1.0f); }
__HOST_DEVICE__ inline hip_bfloat16& operator--(hip_bfloat16& a) { return a -= hip_bfloat16(1.0f); }
__HOST_DEVICE__ inline hip_bfloat16 operator++(hip_bfloat16& a, int) {
  const hip_bfloat16 before = a;
  ++a;
  return before;
}
__HOST_DEVICE__ inline hip_bfloat16 operator--(hip_bfloat16& a, int) {
  const hip_bfloat16 before = a;
  --a;
  return before;
}

inline std::ostream& operator<<(std::ostream& stream, const hip_bfloat16& x) {
  return stream << static_cast<float>(x);
}

namespace std {
__HOST_DEVICE__ inline bool isinf(hip_bfloat16 x) { return (x.data & 0x7fff) == 0x7f80; }
__HOST_DEVICE__ inline bool isnan(hip_bfloat16 x) { return (x.data & 0x7fff) > 0x7f80; }
__HOST_DEVICE__ inline bool iszero(hip_bfloat16 x) { return (x.data & 0x7fff) == 0; }
}  // namespace std

#else

typedef struct hip_bfloat16 {
  uint16_t data;
} hip_bfloat16;

#endif
#endif /* HIP_BFLOAT16_H_ */
