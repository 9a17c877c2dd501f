// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are compiled twice, for the host and as kernels: their results have to be the same bits.
// Each takes three patterns of 64 bits, which it reads as values of its types, and leaves two. They have no
// undefined behaviour.
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef _BitInt(24) i24;
typedef unsigned _BitInt(24) u24;
typedef _BitInt(48) i48;
typedef unsigned _BitInt(48) u48;
typedef _BitInt(100) i100;
typedef unsigned _BitInt(100) u100;
typedef _BitInt(200) i200;
typedef unsigned _BitInt(200) u200;
typedef unsigned _BitInt(256) u256;
typedef _BitInt(512) i512;
typedef unsigned _BitInt(512) u512;
typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef _Float16 f16;
typedef __bf16 bf16;
typedef float f32;
typedef double f64;

#ifdef __AMDGCN__
#define GLOBAL __attribute__((address_space(1)))
// OPERATION(name) { ... } with a, b, c and out[2].
#define OPERATION(name)                                                                                 \
  static void name(u64 a, u64 b, u64 c, u64* out);                                                      \
  __attribute__((amdgpu_kernel)) void kernel_##name(const GLOBAL u64* in, GLOBAL u64* results, u32 n) { \
    const u32 i = __hsail_workitemabsid_u32(0);                                                         \
    if (i >= n) return;                                                                                 \
    u64 out[2] = {0, 0};                                                                                \
    name(in[3 * i], in[3 * i + 1], in[3 * i + 2], out);                                                 \
    results[2 * i] = out[0];                                                                            \
    results[2 * i + 1] = out[1];                                                                        \
  }                                                                                                     \
  static void name(u64 a, u64 b, u64 c, u64* out)
u32 __hsail_workitemabsid_u32(u32) __attribute__((const));
#else
struct operation {
  const char* name;
  void (*function)(u64, u64, u64, u64*);
  struct operation* next;
};
struct operation* operations;

// What clang calls to round to bfloat: the nearest pattern is found by halving, without any rounding.
static f64 magnitude_of(u32 pattern) {
  if (pattern == 0x7f80) return 0x1p128;
  const u32 bits = pattern << 16;
  f32 value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
bf16 __truncdfbf2(f64 x) {
  const f64 magnitude = __builtin_fabs(x);
  u32 low = 0, high = 0x7f80;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (magnitude_of(middle) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  const f64 half = (magnitude_of(low) + magnitude_of(high)) / 2;
  u16 pattern = (u16)(magnitude > half || (magnitude == half && (low & 1)) ? high : low);
  if (x != x) pattern = 0x7fc0;
  pattern |= (u16)(__builtin_signbit(x) ? 0x8000 : 0);
  bf16 result;
  __builtin_memcpy(&result, &pattern, sizeof result);
  return result;
}
bf16 __truncsfbf2(f32 x) { return __truncdfbf2(x); }

#define OPERATION(name)                                       \
  static void name(u64 a, u64 b, u64 c, u64* out);            \
  static struct operation entry_##name = {#name, name, 0};    \
  __attribute__((constructor)) static void add_##name(void) { \
    entry_##name.next = operations;                           \
    operations = &entry_##name;                               \
  }                                                           \
  static void name(u64 a, u64 b, u64 c, u64* out)
#endif

// A value of any type from patterns, and the other way round. NaNs have one pattern, because machines choose
// among theirs.
#define FROM(type, low, high)                            \
  ({                                                     \
    u64 patterns_[2] = {low, high};                      \
    type value_;                                         \
    __builtin_memcpy(&value_, patterns_, sizeof value_); \
    value_;                                              \
  })
#define GIVE_BITS(value)                           \
  do {                                             \
    __typeof__(value) given_ = (value);            \
    __builtin_memcpy(out, &given_, sizeof given_); \
  } while (0)
#define GIVE(integer)                    \
  do {                                   \
    const i128 given_ = (i128)(integer); \
    out[0] = (u64)given_;                \
    out[1] = (u64)(given_ >> 64);        \
  } while (0)
#define GIVE_REAL(value)                           \
  do {                                             \
    __typeof__(value) real_ = (value);             \
    if (real_ != real_) {                          \
      out[0] = 0x5eed;                             \
    } else {                                       \
      __builtin_memcpy(out, &real_, sizeof real_); \
    }                                              \
  } while (0)

#define DIVISIONS(s, u)                                                             \
  OPERATION(u##_div) { GIVE((u)WIDE(a, c) / ((u)WIDE(b, a) ? (u)WIDE(b, a) : 1)); } \
  OPERATION(u##_rem) { GIVE((u)WIDE(a, c) % ((u)WIDE(b, a) ? (u)WIDE(b, a) : 1)); } \
  OPERATION(s##_div) {                                                              \
    const s x = (s)WIDE(a, c);                                                      \
    const s y = (s)WIDE(b, a);                                                      \
    GIVE(y == 0 || y == (s) - 1 ? x : (s)(x / y));                                  \
  }                                                                                 \
  OPERATION(s##_rem) {                                                              \
    const s x = (s)WIDE(a, c);                                                      \
    const s y = (s)WIDE(b, a);                                                      \
    GIVE(y == 0 || y == (s) - 1 ? x : (s)(x % y));                                  \
  }

// Integers of a signed and an unsigned type with `bits` bits. The arithmetic of the signed type wraps.
#define INTEGERS(s, u, bits)                                                                         \
  OPERATION(u##_add) { GIVE((u)((u)a + (u)b)); }                                                     \
  OPERATION(u##_sub) { GIVE((u)((u)a - (u)b)); }                                                     \
  DIVISIONS(s, u)                                                                                    \
  OPERATION(u##_mul) { GIVE((u)((u)WIDE(a, c) * (u)WIDE(b, a))); }                                   \
  OPERATION(u##_shl) { GIVE((u)((u)WIDE(a, c) << (b % bits))); }                                     \
  OPERATION(u##_shr) { GIVE((u)((u)WIDE(a, c) >> (b % bits))); }                                     \
  OPERATION(s##_shr) { GIVE((s)((s)WIDE(a, c) >> (b % bits))); }                                     \
  OPERATION(u##_logic) { GIVE((u)(((u)WIDE(a, c) & (u)WIDE(b, a)) | ((u)~WIDE(c, a) ^ (u)b))); }     \
  OPERATION(u##_compare) {                                                                           \
    const u x = (u)WIDE(a, c);                                                                       \
    const u y = (u)WIDE(b, a);                                                                       \
    out[0] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5; \
  }                                                                                                  \
  OPERATION(s##_compare) {                                                                           \
    const s x = (s)WIDE(a, c);                                                                       \
    const s y = (s)WIDE(b, a);                                                                       \
    out[0] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5; \
  }                                                                                                  \
  OPERATION(s##_extremes) {                                                                          \
    const s x = (s)WIDE(a, c);                                                                       \
    const s y = (s)WIDE(b, a);                                                                       \
    const u v = (u)x, w = (u)y;                                                                      \
    const u low = (u)(x < y ? x : y), high = (u)(x > y ? x : y);                                     \
    const u ulow = v < w ? v : w, uhigh = v > w ? v : w;                                             \
    GIVE((u)(low * 3 + high * 5 + ulow * 7 + uhigh * 11 + (x < 0 ? -v : v) * 13));                   \
  }                                                                                                  \
  OPERATION(s##_overflow) {                                                                          \
    s sum, difference;                                                                               \
    const bool o1 = __builtin_add_overflow((s)WIDE(a, c), (s)WIDE(b, a), &sum);                      \
    const bool o2 = __builtin_sub_overflow((s)WIDE(a, c), (s)WIDE(b, a), &difference);               \
    GIVE((u)((u)sum * 3 + (u)difference) ^ (u)(o1 + 2 * o2));                                        \
  }                                                                                                  \
  OPERATION(u##_overflow) {                                                                          \
    u sum, difference;                                                                               \
    const bool o1 = __builtin_add_overflow((u)WIDE(a, c), (u)WIDE(b, a), &sum);                      \
    const bool o2 = __builtin_sub_overflow((u)WIDE(a, c), (u)WIDE(b, a), &difference);               \
    GIVE((u)(sum * 3 + difference) ^ (u)(o1 + 2 * o2));                                              \
  }                                                                                                  \
  OPERATION(u##_select_loop) {                                                                       \
    u value = (u)WIDE(a, c), sum = 0;                                                                \
    for (u64 i = 0; i < (b & 15); ++i) {                                                             \
      sum = (u)(sum + ((value & 1) ? value : (u)(value * 3 + 1)));                                   \
      value = (u)(value >> 1 | (u)((value & 1) << (bits - 1)));                                      \
    }                                                                                                \
    GIVE((u)(sum ^ value));                                                                          \
  }
#define WIDE(low, high) ((u128)(low) | (u128)(high) << 64)
INTEGERS(i8, u8, 8)
INTEGERS(i16, u16, 16)
INTEGERS(i24, u24, 24)
INTEGERS(i32, u32, 32)
INTEGERS(i48, u48, 48)
INTEGERS(i64, u64, 64)
INTEGERS(i100, u100, 100)
INTEGERS(i128, u128, 128)

// Longer integers, of bits that look different in each word; what they give is folded to 128 bits.
#pragma push_macro("WIDE")
#pragma push_macro("GIVE")
#undef WIDE
#undef GIVE
#define WIDE(low, high)                                                                               \
  ((u512)(low) | (u512)(high) << 64 | (u512)((low) ^ (high) * 3) << 128 | (u512)(~(low) * 5) << 192 | \
   (u512)((high) + 7) << 256 | (u512)((low) - (high)) << 320 | (u512)(u64) - (high) << 384 |          \
   (u512)(low) << 448)
#define GIVE(integer)                                                               \
  do {                                                                              \
    const u512 long_ = (u512)(integer);                                             \
    const u128 given_ = (u128)(long_ ^ long_ >> 128 ^ long_ >> 256 ^ long_ >> 384); \
    out[0] = (u64)given_;                                                           \
    out[1] = (u64)(given_ >> 64);                                                   \
  } while (0)
INTEGERS(i200, u200, 200)
#undef DIVISIONS
#define DIVISIONS(s, u)
INTEGERS(i512, u512, 512)
OPERATION(bits_512) {
  const u512 x = WIDE(a, b) >> (c & 511);
  GIVE((u64)__builtin_popcountg(x) | (u64)__builtin_ctzg(x, 512) << 16 | (u64)__builtin_clzg(x, 512) << 32);
}
OPERATION(casts_512) {
  const i512 x = (i512)WIDE(a, b);
  GIVE((u512)(i8)x * 3 + (u512)(i64)x * 5 + (u512)(i100)x * 7 + (u512)(u100)x * 11 + (u512)(i128)x * 13 +
       (u512)(i200)x * 17 + (u512)(u200)x * 19 + (u512)(i200)(i64)x * 23 + (u512)(u200)(i32)x * 29);
}
// Vectors whose halves are taken as integers, as optimisation does with elements of long vectors.
typedef u16 u16x32 __attribute__((vector_size(64)));
OPERATION(vector_as_integer) {
  u16x32 x;
  for (int i = 0; i < 32; ++i) x[i] = (u16)(a >> i) ^ (u16)(b * i);
  u512 bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits = bits >> (16 * (c & 15)) ^ (u256)(bits >> 256);
  __builtin_memcpy(&x, &bits, sizeof bits);
  GIVE(bits);
  out[1] += x[5] * 3 + x[17] + (x[31] << 7);
}
#pragma pop_macro("GIVE")
#pragma pop_macro("WIDE")

#define PRODUCTS(s, u)                                         \
  OPERATION(s##_product) {                                     \
    s value;                                                   \
    const bool o = __builtin_mul_overflow((s)a, (s)b, &value); \
    GIVE((u)value ^ ((u)o << 3));                              \
    out[1] = o;                                                \
  }                                                            \
  OPERATION(u##_product) {                                     \
    u value;                                                   \
    const bool o = __builtin_mul_overflow((u)a, (u)b, &value); \
    GIVE(value);                                               \
    out[1] = o;                                                \
  }
PRODUCTS(i8, u8)
PRODUCTS(i16, u16)
PRODUCTS(i24, u24)
PRODUCTS(i32, u32)
PRODUCTS(i48, u48)
PRODUCTS(i64, u64)

#define WIDE_PRODUCTS(s, u)                                                          \
  OPERATION(s##_product) {                                                           \
    s value;                                                                         \
    const bool o = __builtin_mul_overflow((s)WIDE(a, c), (s)WIDE(b, a & 7), &value); \
    GIVE((u)value ^ ((u)o << 3));                                                    \
  }                                                                                  \
  OPERATION(u##_product) {                                                           \
    u value;                                                                         \
    const bool o = __builtin_mul_overflow((u)WIDE(a, c), (u)WIDE(b, a & 7), &value); \
    GIVE((u)value ^ ((u)o << 3));                                                    \
  }
WIDE_PRODUCTS(i100, u100)
WIDE_PRODUCTS(i128, u128)

#define SATURATING(s, u)                                          \
  OPERATION(s##_saturating) {                                     \
    GIVE((s)__builtin_elementwise_add_sat((s)a, (s)b) * (i128)7 + \
         __builtin_elementwise_sub_sat((s)a, (s)b));              \
  }                                                               \
  OPERATION(u##_saturating) {                                     \
    GIVE((u)__builtin_elementwise_add_sat((u)a, (u)b) * (i128)7 + \
         __builtin_elementwise_sub_sat((u)a, (u)b));              \
  }
SATURATING(i8, u8)
SATURATING(i16, u16)
SATURATING(i32, u32)
SATURATING(i64, u64)
SATURATING(i24, u24)
SATURATING(i48, u48)

// Casts from one type to each of the others.
#define CASTS(from)                                                                                          \
  OPERATION(from##_casts) {                                                                                  \
    const from x = (from)WIDE(a, b);                                                                         \
    GIVE((u128)(i8)x * 3 + (u128)(u8)x * 5 + (u128)(i16)x * 7 + (u128)(u16)x * 11 + (u128)(i24)x * 13 +      \
         (u128)(u24)x * 17 + (u128)(i32)x * 19 + (u128)(u32)x * 23 + (u128)(i48)x * 29 + (u128)(u48)x * 31 + \
         (u128)(i64)x * 37 + (u128)(u64)x * 41 + (u128)(i100)x * 43 + (u128)(u100)x * 47 +                   \
         (u128)(i128)x * 53 + (u128)(u128)x * 59 + (u128)(bool)x * 61);                                      \
  }
// clang-format off
CASTS(i8) CASTS(u8) CASTS(i16) CASTS(u16) CASTS(i24) CASTS(u24) CASTS(i32) CASTS(u32) CASTS(i48) CASTS(u48)
CASTS(i64) CASTS(u64) CASTS(i100) CASTS(u100) CASTS(i128) CASTS(u128)
    // clang-format on

    // Bits.
    OPERATION(bits_32) {
  const u32 x = (u32)a;
  GIVE(__builtin_popcount(x) * 3 + (x ? __builtin_clz(x) : 32) * 5 + (x ? __builtin_ctz(x) : 32) * 7);
  out[1] = (u64)__builtin_bitreverse32(x) << 32 | __builtin_bswap32(x);
}
OPERATION(bits_64) {
  GIVE(__builtin_popcountll(a) * 3 + (a ? __builtin_clzll(a) : 64) * 5 + (a ? __builtin_ctzll(a) : 64) * 7);
  out[1] = __builtin_bitreverse64(a) ^ __builtin_bswap64(b);
}
OPERATION(bits_16) {
  const u16 x = (u16)a;
  GIVE(__builtin_elementwise_popcount(x) * 3 + __builtin_elementwise_ctzg(x, (u16)16) +
       __builtin_elementwise_clzg(x, (u16)16) * 100);
  out[1] = (u64)__builtin_bitreverse16(x) << 32 | __builtin_bswap16(x);
}
OPERATION(bits_8) {
  const u8 x = (u8)a;
  GIVE(__builtin_elementwise_popcount(x) * 3 + __builtin_elementwise_ctzg(x, (u8)8) +
       __builtin_elementwise_clzg(x, (u8)8) * 100);
  out[1] = __builtin_bitreverse8(x);
}
OPERATION(bits_128) {
  const u128 x = WIDE(a, b);
  GIVE(__builtin_popcountg(x) * 3 + __builtin_ctzg(x, 128) * 1000 + __builtin_clzg(x, 128) * 1000000);
}
OPERATION(bits_48) {
  const u48 x = (u48)a;
  GIVE(__builtin_popcountg(x) * 3 + __builtin_ctzg(x, 48) * 1000 + __builtin_clzg(x, 48) * 1000000);
}
OPERATION(rotate) {
  out[0] = (u64)__builtin_rotateleft32((u32)a, (u32)b) << 32 | __builtin_rotateright32((u32)a, (u32)c);
  out[1] = __builtin_rotateleft64(a, b) ^ __builtin_rotateright64(c, b) ^
           __builtin_rotateleft16((u16)a, (u16)b) ^ __builtin_rotateleft8((u8)a, (u8)b);
}

// Floating point. A second result is there where it fits.
#define REALS(type, abs, floor, ceil, trunc, rint, round, copysign, fma, sqrt, fmin, fmax)              \
  OPERATION(type##_add) { GIVE_REAL((type)(FROM(type, a, 0) + FROM(type, b, 0))); }                     \
  OPERATION(type##_sub) { GIVE_REAL((type)(FROM(type, a, 0) - FROM(type, b, 0))); }                     \
  OPERATION(type##_mul) { GIVE_REAL((type)(FROM(type, a, 0) * FROM(type, b, 0))); }                     \
  OPERATION(type##_div) { GIVE_REAL((type)(FROM(type, a, 0) / FROM(type, b, 0))); }                     \
  OPERATION(type##_neg) { GIVE_BITS((type) - FROM(type, a, 0)); }                                       \
  OPERATION(type##_compare) {                                                                           \
    const type x = FROM(type, a, 0), y = FROM(type, b, 0);                                              \
    out[0] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 |   \
             __builtin_isunordered(x, y) << 6 | !(x < y) << 7 | !(x >= y) << 8 | !(x > y) << 9 |        \
             !(x <= y) << 10;                                                                           \
    out[1] = (u64)__builtin_islessgreater(x, y) | (u64)!__builtin_islessgreater(x, y) << 1;             \
  }                                                                                                     \
  OPERATION(type##_class) {                                                                             \
    const type x = FROM(type, a, 0);                                                                    \
    out[0] = (u64)__builtin_isnan(x) | (u64)__builtin_isinf(x) << 1 | (u64)__builtin_isfinite(x) << 2 | \
             (u64)__builtin_isnormal(x) << 3 | (u64)(__builtin_signbit(x) != 0) << 4 |                  \
             (u64)__builtin_issubnormal(x) << 5 | (u64)__builtin_iszero(x) << 6;                        \
  }                                                                                                     \
  OPERATION(type##_from_integers) {                                                                     \
    GIVE_BITS((type)(i32)a);                                                                            \
    type others[4] = {(type)(u32)a, (type)(i8)b, (type)(u16)b, (type)(bool)(c & 1)};                    \
    u64 sum = 0;                                                                                        \
    for (int i = 0; i < 4; ++i) {                                                                       \
      u64 bits = 0;                                                                                     \
      __builtin_memcpy(&bits, &others[i], sizeof(type));                                                \
      sum = sum * 31 + bits;                                                                            \
    }                                                                                                   \
    out[1] = sum;                                                                                       \
  }                                                                                                     \
  OPERATION(type##_to_integers) {                                                                       \
    const type x = FROM(type, a, 0);                                                                    \
    const bool fits32 = x >= (type) - 1000 && x <= (type)1000;                                          \
    const type y = fits32 ? x : (type)42;                                                               \
    const type positive = y < 0 ? -y : y;                                                               \
    GIVE((i128)(i32)y * 3 + (i128)(u32)positive * 5 + (i128)(i64)y * 7 + (i128)(u64)positive * 11 +     \
         (i128)(i16)y * 13 + (i128)(u16)positive * 17);                                                 \
  }
REALS(f16, , , , , , , , , , , )
REALS(bf16, , , , , , , , , , , )
REALS(f32, , , , , , , , , , , )
REALS(f64, , , , , , , , , , , )

// Integers of more than 64 bits, of any size.
#define WIDE_REALS(type)                                                                  \
  OPERATION(type##_from_i128) { GIVE_REAL((type)((i128)WIDE(a, b) >> (c & 127))); }       \
  OPERATION(type##_from_u128) { GIVE_REAL((type)((u128)WIDE(a, b) >> (c & 127))); }       \
  OPERATION(type##_to_i128) {                                                             \
    const type x = FROM(type, a, 0);                                                      \
    const bool fits = (f64)x > -0x1p127 && (f64)x < 0x1p127;                              \
    const f64 positive = x < 0 ? -(f64)x : (f64)x;                                        \
    GIVE((u128)(i128)(fits ? x : (type)3) * 3 + (u128)(fits ? (type)positive : (type)5)); \
  }
WIDE_REALS(f16)
WIDE_REALS(f32)
WIDE_REALS(f64)

// The host rounds twice on the way to the smaller types.
#define REAL_FUNCTIONS(type)                                                                    \
  OPERATION(type##_from_long) { GIVE_BITS((type)(i64)a); }                                      \
  OPERATION(type##_from_ulong) { GIVE_BITS((type)(u64)a); }                                     \
  OPERATION(type##_round) {                                                                     \
    const type x = FROM(type, a, 0);                                                            \
    switch (b & 7) {                                                                            \
      case 0:                                                                                   \
        GIVE_REAL(__builtin_elementwise_floor(x));                                              \
        break;                                                                                  \
      case 1:                                                                                   \
        GIVE_REAL(__builtin_elementwise_ceil(x));                                               \
        break;                                                                                  \
      case 2:                                                                                   \
        GIVE_REAL(__builtin_elementwise_trunc(x));                                              \
        break;                                                                                  \
      case 3:                                                                                   \
        GIVE_REAL(__builtin_elementwise_rint(x));                                               \
        break;                                                                                  \
      case 4:                                                                                   \
        GIVE_REAL(__builtin_elementwise_round(x));                                              \
        break;                                                                                  \
      case 5:                                                                                   \
        GIVE_REAL(__builtin_elementwise_nearbyint(x));                                          \
        break;                                                                                  \
      case 6:                                                                                   \
        GIVE_REAL(__builtin_elementwise_roundeven(x));                                          \
        break;                                                                                  \
      default:                                                                                  \
        GIVE_BITS(__builtin_elementwise_abs(x));                                                \
    }                                                                                           \
  }                                                                                             \
  OPERATION(type##_sqrt) { GIVE_REAL(__builtin_elementwise_sqrt(FROM(type, a, 0))); }           \
  OPERATION(type##_copysign) {                                                                  \
    GIVE_BITS(__builtin_elementwise_copysign(FROM(type, a, 0), FROM(type, b, 0)));              \
  }                                                                                             \
  OPERATION(type##_fma) {                                                                       \
    GIVE_REAL(__builtin_elementwise_fma(FROM(type, a, 0), FROM(type, b, 0), FROM(type, c, 0))); \
  }                                                                                             \
  OPERATION(type##_minimum) {                                                                   \
    GIVE_REAL(__builtin_elementwise_minimum(FROM(type, a, 0), FROM(type, b, 0)));               \
  }                                                                                             \
  OPERATION(type##_maximum) {                                                                   \
    GIVE_REAL(__builtin_elementwise_maximum(FROM(type, a, 0), FROM(type, b, 0)));               \
  }                                                                                             \
  OPERATION(type##_minimumnum) {                                                                \
    GIVE_REAL(__builtin_elementwise_minimumnum(FROM(type, a, 0), FROM(type, b, 0)));            \
  }                                                                                             \
  OPERATION(type##_maximumnum) {                                                                \
    GIVE_REAL(__builtin_elementwise_maximumnum(FROM(type, a, 0), FROM(type, b, 0)));            \
  }
REAL_FUNCTIONS(f32)
REAL_FUNCTIONS(f64)

OPERATION(real_casts) {
  const f64 x = FROM(f64, a, 0);
  const f32 y = FROM(f32, b, 0);
  const f16 z = FROM(f16, c, 0);
  const bf16 w = FROM(bf16, c, 0);
  f32 f = (f32)x;
  f64 d = (f64)y;
  u64 fb = 0, db = 0, hb = 0, gb = 0;
  f16 h = (f16)y;
  f16 g = (f16)x;
  __builtin_memcpy(&fb, &f, 4);
  __builtin_memcpy(&db, &d, 8);
  __builtin_memcpy(&hb, &h, 2);
  __builtin_memcpy(&gb, &g, 2);
  const f32 zf = (f32)z;
  const f32 wf = (f32)w;
  u64 zb = 0, wb = 0;
  __builtin_memcpy(&zb, &zf, 4);
  __builtin_memcpy(&wb, &wf, 4);
  out[0] = (x != x ? 0 : fb) ^ (y != y ? 0 : db);
  out[1] = (y != y ? 0 : hb << 48) ^ (x != x ? 0 : gb << 32) ^ (z != z ? 0 : zb) ^ (w != w ? 0 : wb * 3);
}
OPERATION(bf16_from_f32) {
  const f32 y = FROM(f32, a, 0);
  if (y == y) GIVE_BITS((bf16)y);
}
OPERATION(bf16_from_f64) {
  const f64 y = FROM(f64, a, 0);
  if (y == y) GIVE_BITS((bf16)y);
}
OPERATION(frexp_ldexp) {
  // Exact by the definition of both: the number comes back.
  const f64 x = FROM(f64, a, 0);
  if (x == x && x - x == 0) {
    int e = 0;
    const f64 m = __builtin_frexp(x, &e);
    GIVE_BITS(m);
    out[1] = (u64)(i64)e;
  }
}
OPERATION(ldexp_f32) {
  const f32 x = FROM(f32, a, 0);
  GIVE_REAL(__builtin_ldexpf(x, (i32)(b % 700) - 350));
}
OPERATION(ldexp_f64) {
  const f64 x = FROM(f64, a, 0);
  GIVE_REAL(__builtin_ldexp(x, (i32)(b % 5000) - 2500));
}
// Arguments that lie just above the middle between two subnormal results, which `lost` bits fewer can
// express: if they are rounded twice, it may be down.
OPERATION(ldexp_to_subnormal_f32) {
  const i32 n = -103 - (i32)(b % 23);
  const u32 lost = 1 + (u32)(c % 22);
  const u32 biased = (u32)(1 - n) - lost;  // of the argument; the result's would be 1 - lost
  const u32 fraction = (u32)(a & 0x7fffff) >> lost << lost | 1U << (lost - 1) | 1;
  GIVE_REAL(__builtin_ldexpf(FROM(f32, biased << 23 | fraction, 0), n));
}
OPERATION(ldexp_to_subnormal_f64) {
  const i32 n = -970 - (i32)(b % 52);
  const u32 lost = 1 + (u32)(c % 51);
  const u64 biased = (u64)(1 - n) - lost;
  const u64 fraction = (a & 0xfffffffffffff) >> lost << lost | (u64)1 << (lost - 1) | 1;
  GIVE_REAL(__builtin_ldexp(FROM(f64, biased << 52 | fraction, 0), n));
}

// Vectors.
typedef i32 int4 __attribute__((ext_vector_type(4)));
typedef u8 uchar8 __attribute__((ext_vector_type(8)));
typedef u8 uchar16 __attribute__((ext_vector_type(16)));
typedef i16 short4 __attribute__((ext_vector_type(4)));
typedef f32 float4 __attribute__((ext_vector_type(4)));
typedef f32 float3 __attribute__((ext_vector_type(3)));
typedef u64 ulong2 __attribute__((ext_vector_type(2)));
typedef u32 uint2v __attribute__((ext_vector_type(2)));
OPERATION(vector_arithmetic) {
  const int4 x = {(i32)a, (i32)(a >> 32), (i32)b, (i32)(b >> 32)};
  const int4 y = x.wzyx * 3 + (int4)(i32)c;
  const int4 z = (x > y) ? x : y.yxwz;
  out[0] = (u32)z.x | (u64)(u32)z.y << 32;
  out[1] = (u32)z.z | (u64)(u32)z.w << 32;
}
OPERATION(vector_bytes) {
  uchar8 x = FROM(uchar8, a, 0);
  const uchar8 y = FROM(uchar8, b, 0);
  x = (x + y) ^ (x >> 3) ^ (y << 1);
  x.s0 = y.s7;
  GIVE_BITS(x);
}
OPERATION(vector_dynamic) {
  uchar16 x = FROM(uchar16, a, b);
  x[c & 15] = x[(c >> 4) & 15];
  x[(c >> 8) & 15] += 7;
  GIVE_BITS(x);
}
OPERATION(vector_reinterpret) {
  const ulong2 x = {a, b};
  short4 y = FROM(short4, a ^ b, 0);
  y *= 3;
  const float3 f = {(f32)y.x, (f32)y.y, (f32)y.z};
  const float3 g = f.zxy + f;
  out[0] = FROM(u64, ((u64*)&y)[0], 0) + x.y;
  out[1] = (u64)(i64)g.x ^ (u64)(i64)g.y << 16 ^ (u64)(i64)g.z << 32;
}
OPERATION(vector_reduce) {
  const int4 x = {(i32)a, (i32)(a >> 32), (i32)b, (i32)(b >> 32)};
  out[0] = (u32)__builtin_reduce_add(x) ^ (u64)(u32)__builtin_reduce_max(x) << 32;
  out[1] = (u32)__builtin_reduce_min(x) ^ (u64)(u32)__builtin_reduce_xor(x) << 32 ^
           (u64)(u32)__builtin_reduce_mul(x) << 7;
}

// Memory: private variables, tables, structures, copies, pointers.
static const u32 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
OPERATION(memory_table) { out[0] = table[a & 15] * table[b & 15] + table[c & 15]; }
struct pair {
  u8 small;
  u16 middle;
  u64 large;
  f32 real;
};
static __attribute__((noinline)) struct pair swapped(struct pair p, u64 with) {
  struct pair q = p;
  q.large = with ^ p.large;
  q.small = (u8)(p.middle + 1);
  return q;
}
OPERATION(memory_structures) {
  struct pair p = {(u8)a, (u16)b, c, 1.5f};
  const struct pair q = swapped(p, a);
  out[0] = q.large + q.small * 3 + q.middle;
  out[1] = (u64)(q.real * 4.0f);
}
OPERATION(memory_arrays) {
  u32 values[24];
  for (int i = 0; i < 24; ++i) values[i] = (u32)(a * (u64)i + b);
  u32 copy[24];
  __builtin_memcpy(copy, values, sizeof copy);
  __builtin_memmove(copy + 1 + (c & 3), copy, sizeof(u32) * (10 + (b & 7)));
  __builtin_memset(values + (a & 7), (int)(c & 0xff), 40 + (c >> 8 & 15));
  for (int i = 0; i < 24; ++i) out[i & 1] = out[i & 1] * 31 + copy[i] + values[i];
}
OPERATION(memory_odd) {
  i24 x[3] = {(i24)a, (i24)b, (i24)c};
  volatile i48 y = (i48)a;
  bool flags[4] = {a & 1, b & 1, c & 1, (a ^ b) & 2};
  u64 sum = 0;
  for (int i = 0; i < 3; ++i) sum = sum * 7 + (u64)(i64)x[(b + (u64)i) % 3] + flags[(c + (u64)i) & 3];
  GIVE(sum);
  out[1] = (u64)(i64)y;
}

// Control flow.
OPERATION(control_switch) {
  u64 result = 0;
  for (int i = 0; i < 4; ++i) {
    switch ((a >> (4 * i)) & 15) {
      case 0:
        result += b;
        break;
      case 1:
        result ^= c;
        break;
      case 2:
        result = result * 3;  // fall through
      case 3:
        result -= b;
        break;
      case 4:
        result |= 1;
        break;
      case 5:
        result <<= 2;
        break;
      case 7:
        result >>= 1;
        break;
      default:
        result = ~result;
    }
  }
  GIVE(result);
}
OPERATION(control_sparse) {
  switch ((i32)a) {
    case -1:
      out[0] = 1;
      break;
    case 0:
      out[0] = b;
      break;
    case 127:
      out[0] = b + 3;
      break;
    case 255:
      out[0] = c;
      break;
    case 65535:
      out[0] = b ^ c;
      break;
    case 1000000:
      out[0] = 7;
      break;
    case (i32)0x80000000:
      out[0] = 9;
      break;
    case 0x7fffffff:
      out[0] = c * 3;
      break;
    default:
      out[0] = 5;
  }
}
OPERATION(control_loops) {
  u64 x = a, y = b, z = c;
  for (int i = 0; i < 20; ++i) {
    const u64 t = x;
    x = y;
    y = z;
    z = t + (u64)i;
    if (z & 1) continue;
    if ((x ^ y) % 13 == 5) break;
    x ^= z >> 3;
  }
  out[0] = x + y * 3;
  out[1] = z;
}

// Calls.
static __attribute__((noinline)) u32 ackermann(u32 m, u32 n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
OPERATION(calls_recursion) { GIVE(ackermann((u32)(a & 1) + 1, (u32)(b & 7))); }
static __attribute__((noinline)) u64 twice(u64 x) { return x * 2; }
static __attribute__((noinline)) u64 plus(u64 x) { return x + 100; }
static __attribute__((noinline)) u64 minus(u64 x) { return x - 7; }
static u64 (*const functions[3])(u64) = {twice, plus, minus};
OPERATION(calls_indirect) { out[0] = functions[a % 3](b) + functions[c % 3](a); }
static __attribute__((noinline)) i128 widest(i128 x, bool flip, i8 small, f64 real) {
  return flip ? -x + small : x * 3 + (i64)real;
}
OPERATION(calls_types) { GIVE(widest(WIDE(a, b), c & 1, (i8)c, (f64)(i32)c)); }
static __attribute__((noinline)) float4 scaled(float4 v, f32 by) { return v.wxyz * by; }
OPERATION(calls_vectors) {
  const float4 v = scaled((float4){(f32)(i8)a, (f32)(i8)b, (f32)(i8)c, 1.0f}, 3.0f);
  out[0] = (u64)(i64)v.x ^ (u64)(i64)v.y << 16;
  out[1] = (u64)(i64)v.z ^ (u64)(i64)v.w << 16;
}

// Atomic operations on private memory here; tests of group and global memory are in other files.
OPERATION(atomics_private) {
  u32 x = (u32)a;
  f32 f = 1.5f;
  u8 small = (u8)b;
  out[0] = __atomic_fetch_add(&x, (u32)b, __ATOMIC_SEQ_CST);
  out[0] = out[0] * 3 + __atomic_fetch_or(&small, (u8)c, __ATOMIC_RELAXED);
  u32 expected = (u32)(a + b);
  out[1] = __atomic_compare_exchange_n(&x, &expected, (u32)c, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  out[1] = out[1] * 3 + x + small + (u32)f;
}
