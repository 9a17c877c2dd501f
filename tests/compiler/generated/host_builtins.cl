// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builtin functions that generated programs use, for the host: a second, simple definition of each, with which
// those of the device are compared. Nothing is shared with libclc or the device library.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __int128 i128;

#define OVER __attribute__((overloadable))
#define VECTORS(T)                                    \
  typedef T T##2 __attribute__((ext_vector_type(2))); \
  typedef T T##3 __attribute__((ext_vector_type(3))); \
  typedef T T##4 __attribute__((ext_vector_type(4))); \
  typedef T T##8 __attribute__((ext_vector_type(8))); \
  typedef T T##16 __attribute__((ext_vector_type(16)));
#define EACH_INTEGER(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define EACH_REAL(X) X(half) X(float) X(double)
EACH_INTEGER(VECTORS)
EACH_REAL(VECTORS)

// Vector forms of functions whose scalar form exists: R is the type of the result, A, B and C of the arguments.
#define EACH_WIDTH(X, ...) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 8) X(__VA_ARGS__, 16)
#define MAP1(f, R, A, n)                        \
  OVER R##n f(A##n a) {                         \
    R##n r;                                     \
    for (int i = 0; i < n; ++i) r[i] = f(a[i]); \
    return r;                                   \
  }
#define MAP2(f, R, A, B, n)                           \
  OVER R##n f(A##n a, B##n b) {                       \
    R##n r;                                           \
    for (int i = 0; i < n; ++i) r[i] = f(a[i], b[i]); \
    return r;                                         \
  }
#define MAP3(f, R, A, B, C, n)                              \
  OVER R##n f(A##n a, B##n b, C##n c) {                     \
    R##n r;                                                 \
    for (int i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i]); \
    return r;                                               \
  }
#define MAPS1(f, R, A) EACH_WIDTH(MAP1, f, R, A)
#define MAPS2(f, R, A, B) EACH_WIDTH(MAP2, f, R, A, B)
#define MAPS3(f, R, A, B, C) EACH_WIDTH(MAP3, f, R, A, B, C)

// Integers. S and U are the signed and the unsigned type of `bits` bits; T is one of them, from LOW to HIGH.
#define CLAMPED(T, x, LOW, HIGH) ((T)((x) < (i128)(LOW) ? (i128)(LOW) : (x) > (i128)(HIGH) ? (i128)(HIGH) : (x)))
#define INTEGER(T, S, U, bits, LOW, HIGH)                                                                       \
  OVER T add_sat(T a, T b) { return CLAMPED(T, (i128)a + b, LOW, HIGH); }                                       \
  OVER T sub_sat(T a, T b) { return CLAMPED(T, (i128)a - b, LOW, HIGH); }                                       \
  OVER T hadd(T a, T b) { return (T)(((i128)a + b) >> 1); }                                                     \
  OVER T rhadd(T a, T b) { return (T)(((i128)a + b + 1) >> 1); }                                                \
  OVER T mul_hi(T a, T b) { return (T)(((i128)a * (i128)b) >> bits); }                                          \
  OVER T mad_hi(T a, T b, T c) { return (T)((i128)mul_hi(a, b) + c); }                                          \
  OVER T mad_sat(T a, T b, T c) { return SATURATED_PRODUCT_##bits(T, a, b, c, LOW, HIGH); }                     \
  OVER T rotate(T a, T b) {                                                                                     \
    const uint n = (uint)b & (bits - 1);                                                                        \
    return n == 0 ? a : (T)(U)((U)((U)a << n) | (U)((U)a >> (bits - n)));                                       \
  }                                                                                                             \
  OVER T popcount(T a) {                                                                                        \
    int n = 0;                                                                                                  \
    for (int i = 0; i < bits; ++i) n += (int)((U)a >> i & 1);                                                   \
    return (T)n;                                                                                                \
  }                                                                                                             \
  OVER T clz(T a) {                                                                                             \
    int n = 0;                                                                                                  \
    while (n < bits && ((U)a >> (bits - 1 - n) & 1) == 0) ++n;                                                  \
    return (T)n;                                                                                                \
  }                                                                                                             \
  OVER T ctz(T a) {                                                                                             \
    int n = 0;                                                                                                  \
    while (n < bits && ((U)a >> n & 1) == 0) ++n;                                                               \
    return (T)n;                                                                                                \
  }                                                                                                             \
  OVER T min(T a, T b) { return b < a ? b : a; }                                                                \
  OVER T max(T a, T b) { return a < b ? b : a; }                                                                \
  OVER T clamp(T a, T low, T high) { return a < low ? low : a > high ? high : a; }                              \
  OVER T bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); }                                           \
  OVER U abs(T a) { return a < 0 ? (U)(0 - (U)a) : (U)a; }                                                      \
  OVER U abs_diff(T a, T b) { return a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b); }                             \
  MAPS2(add_sat, T, T, T) MAPS2(sub_sat, T, T, T) MAPS2(hadd, T, T, T) MAPS2(rhadd, T, T, T)                    \
  MAPS2(mul_hi, T, T, T) MAPS2(rotate, T, T, T) MAPS2(min, T, T, T) MAPS2(max, T, T, T)                         \
  MAPS1(popcount, T, T) MAPS1(clz, T, T) MAPS1(ctz, T, T) MAPS1(abs, U, T) MAPS2(abs_diff, U, T, T)             \
  MAPS3(mad_hi, T, T, T, T) MAPS3(mad_sat, T, T, T, T) MAPS3(clamp, T, T, T, T) MAPS3(bitselect, T, T, T, T)    \
  SELECTS(T, S)

// A product of 64-bit numbers and the sum with a third fit into 128 bits, but for the largest unsigned ones.
#define SATURATED_PRODUCT_8(T, a, b, c, LOW, HIGH) CLAMPED(T, (i128)a * (i128)b + c, LOW, HIGH)
#define SATURATED_PRODUCT_16 SATURATED_PRODUCT_8
#define SATURATED_PRODUCT_32 SATURATED_PRODUCT_8
#define SATURATED_PRODUCT_64(T, a, b, c, LOW, HIGH)                                                      \
  ((LOW) == 0 && a != 0 && (ulong)b > (ulong)(HIGH) / (ulong)(a == 0 ? 1 : a) ? (T)(HIGH)                \
                                                                             : SATURATED_PRODUCT_8(T, a, b, c, LOW, HIGH))

#define SELECT(T, M, n)                                         \
  OVER T##n select(T##n a, T##n b, M##n mask) {                 \
    T##n r;                                                     \
    for (int i = 0; i < n; ++i) r[i] = mask[i] < 0 ? b[i] : a[i]; \
    return r;                                                   \
  }
#define SELECTS(T, M) EACH_WIDTH(SELECT, T, M)

INTEGER(char, char, uchar, 8, -0x80, 0x7f)
INTEGER(uchar, char, uchar, 8, 0, 0xff)
INTEGER(short, short, ushort, 16, -0x8000, 0x7fff)
INTEGER(ushort, short, ushort, 16, 0, 0xffff)
INTEGER(int, int, uint, 32, -0x80000000l, 0x7fffffff)
INTEGER(uint, int, uint, 32, 0, 0xffffffff)
INTEGER(long, long, ulong, 64, -0x7fffffffffffffffl - 1, 0x7fffffffffffffffl)
INTEGER(ulong, long, ulong, 64, 0, 0xfffffffffffffffful)
SELECTS(half, short)
SELECTS(float, int)
SELECTS(double, long)

#define UPSAMPLE(R, U, H, L, bits)                                        \
  OVER R upsample(H high, L low) { return (R)(((U)high << bits) | low); } \
  MAPS2(upsample, R, H, L)
UPSAMPLE(short, ushort, char, uchar, 8)
UPSAMPLE(ushort, ushort, uchar, uchar, 8)
UPSAMPLE(int, uint, short, ushort, 16)
UPSAMPLE(uint, uint, ushort, ushort, 16)
UPSAMPLE(long, ulong, int, uint, 32)
UPSAMPLE(ulong, ulong, uint, uint, 32)

// Real functions that are exact or correctly rounded. Those of half go through float, which rounds only once
// that matters.
#define REAL(T, W, suffix)                                                               \
  OVER T fabs(T a) { return (T)__builtin_fabs##suffix((W)a); }                           \
  OVER T floor(T a) { return (T)__builtin_floor##suffix((W)a); }                         \
  OVER T ceil(T a) { return (T)__builtin_ceil##suffix((W)a); }                           \
  OVER T trunc(T a) { return (T)__builtin_trunc##suffix((W)a); }                         \
  OVER T rint(T a) { return (T)__builtin_rint##suffix((W)a); }                           \
  OVER T round(T a) { return (T)__builtin_round##suffix((W)a); }                         \
  OVER T sqrt(T a) { return (T)__builtin_sqrt##suffix((W)a); }                           \
  OVER T copysign(T a, T b) { return (T)__builtin_copysign##suffix((W)a, (W)b); }        \
  OVER T fmin(T a, T b) { return a != a ? b : b != b ? a : b < a ? b : a; }              \
  OVER T fmax(T a, T b) { return a != a ? b : b != b ? a : a < b ? b : a; }              \
  MAPS1(fabs, T, T) MAPS1(floor, T, T) MAPS1(ceil, T, T) MAPS1(trunc, T, T)              \
  MAPS1(rint, T, T) MAPS1(round, T, T) MAPS1(sqrt, T, T)                                 \
  MAPS2(copysign, T, T, T) MAPS2(fmin, T, T, T) MAPS2(fmax, T, T, T)
REAL(half, float, f)
REAL(float, float, f)
REAL(double, double, )
OVER float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
OVER double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
MAPS3(fma, float, float, float, float)
MAPS3(fma, double, double, double, double)

// Conversions. Magnitudes are rounded to nearest by the machine, and then moved by one place if the direction
// wants another neighbour: `above` says whether the nearest is larger (1), equal (0) or smaller (-1) than the
// magnitude.
enum Mode { nearest, to_zero, up, down };
static int moved(int above, int negative, enum Mode mode) {
  const int away = (mode == up && !negative) || (mode == down && negative);
  if (mode == nearest || above == 0) return 0;
  return away ? above < 0 : -(above > 0);
}
static double magnitude_of(double x) { return __builtin_fabs(x); }
static int is_negative(double x) { return __builtin_signbit(x) != 0; }

// From a real source, which double holds exactly.
#define REAL_FROM_REAL(D, BITS)                                              \
  static D D##_of_real(double x, enum Mode mode) {                           \
    if (x != x) return (D)x;                                                 \
    const double m = magnitude_of(x);                                        \
    const D r = (D)m;                                                        \
    const int above = ((double)r > m) - ((double)r < m);                     \
    const D magnitude = __builtin_astype((BITS)(__builtin_astype(r, BITS) + \
                                                moved(above, is_negative(x), mode)), D); \
    return is_negative(x) ? -magnitude : magnitude;                          \
  }
REAL_FROM_REAL(half, ushort)
REAL_FROM_REAL(float, uint)
REAL_FROM_REAL(double, ulong)

// From integers of 64 bits. float and double hold 2^64, half does not: there, what is large enough to be rounded
// to infinity is as good as 2^20.
#define REAL_FROM_INTEGER(D, BITS)                                                         \
  static D D##_of_magnitude(ulong m, int negative, enum Mode mode) {                       \
    const D r = (D)m;                                                                      \
    const int above = r >= 0x1p64 ? 1 : ((ulong)r > m) - ((ulong)r < m);                   \
    const D magnitude = __builtin_astype((BITS)(__builtin_astype(r, BITS) + moved(above, negative, mode)), D); \
    return negative ? -magnitude : magnitude;                                              \
  }
REAL_FROM_INTEGER(float, uint)
REAL_FROM_INTEGER(double, ulong)
static half half_of_magnitude(ulong m, int negative, enum Mode mode) {
  const double exact = m > 0x100000 ? 0x1p20 : (double)m;
  return half_of_real(negative ? -exact : exact, mode);
}
#define REAL_OF_INTEGERS(D)                                                             \
  static D D##_of_integer(i128 x, enum Mode mode) {                                     \
    return x < 0 ? D##_of_magnitude((ulong)-x, 1, mode) : D##_of_magnitude((ulong)x, 0, mode); \
  }
EACH_REAL(REAL_OF_INTEGERS)

static i128 integer_of_real(double x, enum Mode mode) {
  if (x != x) return 0;
  const double rounded = mode == nearest ? __builtin_rint(x)
                         : mode == up    ? __builtin_ceil(x)
                         : mode == down  ? __builtin_floor(x)
                                         : __builtin_trunc(x);
  const i128 limit = (i128)1 << 100;
  return rounded >= 0x1p100 ? limit : rounded <= -0x1p100 ? -limit : (i128)rounded;
}

#define CONVERT_VECTOR(D, S, before, after, n)                                     \
  OVER D##n before##D##n##after(S##n a) {                                          \
    D##n r;                                                                        \
    for (int i = 0; i < n; ++i) r[i] = before##D##after(a[i]);                     \
    return r;                                                                      \
  }
#define CONVERT(D, S, after, value)                        \
  OVER D convert_##D##after(S a) { return value; }         \
  EACH_WIDTH(CONVERT_VECTOR, D, S, convert_, after)
#define CONVERT_MODES(D, S, sat, usual, f)          \
  CONVERT(D, S, sat, f(D, a, usual))                \
  CONVERT(D, S, sat##_rte, f(D, a, nearest))        \
  CONVERT(D, S, sat##_rtz, f(D, a, to_zero))        \
  CONVERT(D, S, sat##_rtp, f(D, a, up))             \
  CONVERT(D, S, sat##_rtn, f(D, a, down))

#define WRAP(D, a, mode) ((D)a)
#define SATURATE(D, a, mode) CLAMPED(D, (i128)a, LOW_##D, HIGH_##D)
#define ROUND_AND_SATURATE(D, a, mode) CLAMPED(D, integer_of_real(a, mode), LOW_##D, HIGH_##D)
#define ROUND_INTEGER(D, a, mode) D##_of_integer(a, mode)
#define ROUND_REAL(D, a, mode) D##_of_real(a, mode)
#define LOW_char -0x80
#define HIGH_char 0x7f
#define LOW_uchar 0
#define HIGH_uchar 0xff
#define LOW_short -0x8000
#define HIGH_short 0x7fff
#define LOW_ushort 0
#define HIGH_ushort 0xffff
#define LOW_int -0x80000000l
#define HIGH_int 0x7fffffff
#define LOW_uint 0
#define HIGH_uint 0xffffffff
#define LOW_long (-0x7fffffffffffffffl - 1)
#define HIGH_long 0x7fffffffffffffffl
#define LOW_ulong 0
#define HIGH_ulong 0xfffffffffffffffful

#define TO_INTEGER(D)                                                                                       \
  FROM_INTEGER(D, char) FROM_INTEGER(D, uchar) FROM_INTEGER(D, short) FROM_INTEGER(D, ushort)               \
  FROM_INTEGER(D, int) FROM_INTEGER(D, uint) FROM_INTEGER(D, long) FROM_INTEGER(D, ulong)                   \
  CONVERT_MODES(D, half, _sat, to_zero, ROUND_AND_SATURATE)                                                 \
  CONVERT_MODES(D, float, _sat, to_zero, ROUND_AND_SATURATE)                                                \
  CONVERT_MODES(D, double, _sat, to_zero, ROUND_AND_SATURATE)
#define FROM_INTEGER(D, S) CONVERT_MODES(D, S, , nearest, WRAP) CONVERT_MODES(D, S, _sat, nearest, SATURATE)
EACH_INTEGER(TO_INTEGER)
#define TO_REAL(D)                                                                                          \
  CONVERT_MODES(D, char, , nearest, ROUND_INTEGER) CONVERT_MODES(D, uchar, , nearest, ROUND_INTEGER)        \
  CONVERT_MODES(D, short, , nearest, ROUND_INTEGER) CONVERT_MODES(D, ushort, , nearest, ROUND_INTEGER)      \
  CONVERT_MODES(D, int, , nearest, ROUND_INTEGER) CONVERT_MODES(D, uint, , nearest, ROUND_INTEGER)          \
  CONVERT_MODES(D, long, , nearest, ROUND_INTEGER) CONVERT_MODES(D, ulong, , nearest, ROUND_INTEGER)        \
  CONVERT_MODES(D, half, , nearest, ROUND_REAL) CONVERT_MODES(D, float, , nearest, ROUND_REAL)              \
  CONVERT_MODES(D, double, , nearest, ROUND_REAL)
EACH_REAL(TO_REAL)

// Work-items of the host run one after the other, so that atomic operations are plain ones.
#define ATOMIC(name, space, T, expression)                \
  OVER T name(volatile space T* p, T b) {                 \
    const T a = *p;                                       \
    *p = expression;                                      \
    return a;                                             \
  }
#define ATOMICS(prefix, space, T)                                                                    \
  ATOMIC(prefix##add, space, T, a + b) ATOMIC(prefix##sub, space, T, a - b)                          \
  ATOMIC(prefix##xor, space, T, a ^ b) ATOMIC(prefix##and, space, T, a & b)                          \
  ATOMIC(prefix##or, space, T, a | b) ATOMIC(prefix##min, space, T, b < a ? b : a)                   \
  ATOMIC(prefix##max, space, T, a < b ? b : a)                                                       \
  OVER T prefix##inc(volatile space T* p) { return (*p)++; }
ATOMICS(atomic_, global, uint)
ATOMICS(atomic_, local, uint)
ATOMICS(atom_, global, ulong)

// The host program knows which work-item runs (host.cpp).
extern uint heddle_position[4];
extern void heddle_wait(void);
OVER ulong get_global_id(uint dimension) { return dimension == 0 ? heddle_position[0] : 0; }
OVER ulong get_local_id(uint dimension) { return dimension == 0 ? heddle_position[1] : 0; }
OVER ulong get_group_id(uint dimension) { return dimension == 0 ? heddle_position[2] : 0; }
OVER ulong get_local_size(uint dimension) { return dimension == 0 ? heddle_position[3] : 1; }
OVER void barrier(uint flags) { heddle_wait(); }
