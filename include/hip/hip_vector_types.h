/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Vectors of 1 to 4 elements: char4, float2 and so on, with make_float2() and kin. Host and device have the
 * same layout: elements x, y, z, w in this order; vectors of 1, 2 and 4 elements are aligned to their size,
 * those of 3 to their element.
 *
 * In C++, operators work element by element, and a scalar operand counts as a vector of equal elements. They
 * are templates so that functions of programs with the same names, which are common, are preferred.
 * Comparison with == is true if all elements are equal.
 */
#ifndef HIP_VECTOR_TYPES_H_
#define HIP_VECTOR_TYPES_H_

#include <hip/host_defines.h>

#ifdef __cplusplus

#include <type_traits>

/* Functions with more than one statement can be constexpr from C++14 on. */
#if __cplusplus >= 201402L
#define HIP_CONSTEXPR_ constexpr
#else
#define HIP_CONSTEXPR_
#endif

/* A type that a vector of T can be combined with: what converts to T and is not a vector itself. */
#define HIP_SCALAR_FOR_(T, U) typename std::enable_if<std::is_convertible<U, T>::value, int>::type = 0

/* Elements may have other arithmetic types than the vector, also between braces: float2{i, j}. */
template <typename T, unsigned N>
struct HIP_vector_type;

template <typename T>
struct alignas(sizeof(T)) HIP_vector_type<T, 1> {
  typedef T value_type;
  T x;
  HIP_vector_type() = default;
  __HOST_DEVICE__ constexpr HIP_vector_type(T x_) : x(x_) {}
};

template <typename T>
struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
  typedef T value_type;
  T x, y;
  HIP_vector_type() = default;
  __HOST_DEVICE__ explicit constexpr HIP_vector_type(T all) : x(all), y(all) {}
  template <typename X, typename Y, HIP_SCALAR_FOR_(T, X), HIP_SCALAR_FOR_(T, Y)>
  __HOST_DEVICE__ constexpr HIP_vector_type(X x_, Y y_) : x(static_cast<T>(x_)), y(static_cast<T>(y_)) {}
};

template <typename T>
struct HIP_vector_type<T, 3> {
  typedef T value_type;
  T x, y, z;
  HIP_vector_type() = default;
  __HOST_DEVICE__ explicit constexpr HIP_vector_type(T all) : x(all), y(all), z(all) {}
  template <typename X, typename Y, typename Z, HIP_SCALAR_FOR_(T, X), HIP_SCALAR_FOR_(T, Y),
            HIP_SCALAR_FOR_(T, Z)>
  __HOST_DEVICE__ constexpr HIP_vector_type(X x_, Y y_, Z z_)
      : x(static_cast<T>(x_)), y(static_cast<T>(y_)), z(static_cast<T>(z_)) {}
};

template <typename T>
struct alignas(4 * sizeof(T)) HIP_vector_type<T, 4> {
  typedef T value_type;
  T x, y, z, w;
  HIP_vector_type() = default;
  __HOST_DEVICE__ explicit constexpr HIP_vector_type(T all) : x(all), y(all), z(all), w(all) {}
  template <typename X, typename Y, typename Z, typename W, HIP_SCALAR_FOR_(T, X), HIP_SCALAR_FOR_(T, Y),
            HIP_SCALAR_FOR_(T, Z), HIP_SCALAR_FOR_(T, W)>
  __HOST_DEVICE__ constexpr HIP_vector_type(X x_, Y y_, Z z_, W w_)
      : x(static_cast<T>(x_)), y(static_cast<T>(y_)), z(static_cast<T>(z_)), w(static_cast<T>(w_)) {}
};

#define HIP_VECTOR_UNARY_(OP)                                                                             \
  template <typename T>                                                                                   \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 1> operator OP(const HIP_vector_type<T, 1>& a) {           \
    return HIP_vector_type<T, 1>(static_cast<T>(OP a.x));                                                 \
  }                                                                                                       \
  template <typename T>                                                                                   \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 2> operator OP(const HIP_vector_type<T, 2>& a) {           \
    return HIP_vector_type<T, 2>(static_cast<T>(OP a.x), static_cast<T>(OP a.y));                         \
  }                                                                                                       \
  template <typename T>                                                                                   \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 3> operator OP(const HIP_vector_type<T, 3>& a) {           \
    return HIP_vector_type<T, 3>(static_cast<T>(OP a.x), static_cast<T>(OP a.y), static_cast<T>(OP a.z)); \
  }                                                                                                       \
  template <typename T>                                                                                   \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 4> operator OP(const HIP_vector_type<T, 4>& a) {           \
    return HIP_vector_type<T, 4>(static_cast<T>(OP a.x), static_cast<T>(OP a.y), static_cast<T>(OP a.z),  \
                                 static_cast<T>(OP a.w));                                                 \
  }

#define HIP_VECTOR_BINARY_(OP)                                                                             \
  template <typename T>                                                                                    \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 1> operator OP(const HIP_vector_type<T, 1>& a,              \
                                                              const HIP_vector_type<T, 1>& b) {            \
    return HIP_vector_type<T, 1>(static_cast<T>(a.x OP b.x));                                              \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 2> operator OP(const HIP_vector_type<T, 2>& a,              \
                                                              const HIP_vector_type<T, 2>& b) {            \
    return HIP_vector_type<T, 2>(static_cast<T>(a.x OP b.x), static_cast<T>(a.y OP b.y));                  \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 3> operator OP(const HIP_vector_type<T, 3>& a,              \
                                                              const HIP_vector_type<T, 3>& b) {            \
    return HIP_vector_type<T, 3>(static_cast<T>(a.x OP b.x), static_cast<T>(a.y OP b.y),                   \
                                 static_cast<T>(a.z OP b.z));                                              \
  }                                                                                                        \
  template <typename T>                                                                                    \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, 4> operator OP(const HIP_vector_type<T, 4>& a,              \
                                                              const HIP_vector_type<T, 4>& b) {            \
    return HIP_vector_type<T, 4>(static_cast<T>(a.x OP b.x), static_cast<T>(a.y OP b.y),                   \
                                 static_cast<T>(a.z OP b.z), static_cast<T>(a.w OP b.w));                  \
  }                                                                                                        \
  template <typename T, unsigned N, typename U, HIP_SCALAR_FOR_(T, U)>                                     \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, N> operator OP(const HIP_vector_type<T, N>& a, U b) {       \
    return a OP HIP_vector_type<T, N>(static_cast<T>(b));                                                  \
  }                                                                                                        \
  template <typename T, unsigned N, typename U, HIP_SCALAR_FOR_(T, U)>                                     \
  __HOST_DEVICE__ constexpr HIP_vector_type<T, N> operator OP(U a, const HIP_vector_type<T, N>& b) {       \
    return HIP_vector_type<T, N>(static_cast<T>(a)) OP b;                                                  \
  }                                                                                                        \
  template <typename T, unsigned N>                                                                        \
  __HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N>& operator OP## =                                    \
      (HIP_vector_type<T, N> & a, const HIP_vector_type<T, N>& b) {                                        \
    return a = a OP b;                                                                                     \
  }                                                                                                        \
  template <typename T, unsigned N, typename U, HIP_SCALAR_FOR_(T, U)>                                     \
  __HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N>& operator OP## = (HIP_vector_type<T, N> & a, U b) { \
    return a = a OP HIP_vector_type<T, N>(static_cast<T>(b));                                              \
  }

HIP_VECTOR_BINARY_(+)
HIP_VECTOR_BINARY_(-)
HIP_VECTOR_BINARY_(*)
HIP_VECTOR_BINARY_(/)
HIP_VECTOR_BINARY_(%)
HIP_VECTOR_BINARY_(&)
HIP_VECTOR_BINARY_(|)
HIP_VECTOR_BINARY_(^)
HIP_VECTOR_BINARY_(<<)
HIP_VECTOR_BINARY_(>>)
HIP_VECTOR_UNARY_(-)
HIP_VECTOR_UNARY_(~)

template <typename T>
__HOST_DEVICE__ constexpr bool operator==(const HIP_vector_type<T, 1>& a, const HIP_vector_type<T, 1>& b) {
  return a.x == b.x;
}
template <typename T>
__HOST_DEVICE__ constexpr bool operator==(const HIP_vector_type<T, 2>& a, const HIP_vector_type<T, 2>& b) {
  return a.x == b.x && a.y == b.y;
}
template <typename T>
__HOST_DEVICE__ constexpr bool operator==(const HIP_vector_type<T, 3>& a, const HIP_vector_type<T, 3>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
template <typename T>
__HOST_DEVICE__ constexpr bool operator==(const HIP_vector_type<T, 4>& a, const HIP_vector_type<T, 4>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
template <typename T, unsigned N, typename U, HIP_SCALAR_FOR_(T, U)>
__HOST_DEVICE__ constexpr bool operator==(const HIP_vector_type<T, N>& a, U b) {
  return a == HIP_vector_type<T, N>(static_cast<T>(b));
}
template <typename T, unsigned N>
__HOST_DEVICE__ constexpr bool operator!=(const HIP_vector_type<T, N>& a, const HIP_vector_type<T, N>& b) {
  return !(a == b);
}
template <typename T, unsigned N, typename U, HIP_SCALAR_FOR_(T, U)>
__HOST_DEVICE__ constexpr bool operator!=(const HIP_vector_type<T, N>& a, U b) {
  return !(a == b);
}

template <typename T, unsigned N>
__HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N>& operator++(HIP_vector_type<T, N>& a) {
  return a = a + HIP_vector_type<T, N>(static_cast<T>(1));
}
template <typename T, unsigned N>
__HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N>& operator--(HIP_vector_type<T, N>& a) {
  return a = a - HIP_vector_type<T, N>(static_cast<T>(1));
}
template <typename T, unsigned N>
__HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N> operator++(HIP_vector_type<T, N>& a, int) {
  const HIP_vector_type<T, N> before = a;
  ++a;
  return before;
}
template <typename T, unsigned N>
__HOST_DEVICE__ HIP_CONSTEXPR_ HIP_vector_type<T, N> operator--(HIP_vector_type<T, N>& a, int) {
  const HIP_vector_type<T, N> before = a;
  --a;
  return before;
}

#undef HIP_VECTOR_UNARY_
#undef HIP_VECTOR_BINARY_
#undef HIP_SCALAR_FOR_

#define HIP_VECTOR_TYPES_(NAME, T)       \
  typedef HIP_vector_type<T, 1> NAME##1; \
  typedef HIP_vector_type<T, 2> NAME##2; \
  typedef HIP_vector_type<T, 3> NAME##3; \
  typedef HIP_vector_type<T, 4> NAME##4;
#define HIP_MAKE_INLINE_ static inline __HOST_DEVICE__ HIP_CONSTEXPR_

#else /* C */

#define HIP_VECTOR_TYPES_(NAME, T)                                                 \
  typedef struct __attribute__((aligned(sizeof(T)))) NAME##1 { T x; }              \
  NAME##1;                                                                         \
  typedef struct __attribute__((aligned(2 * sizeof(T)))) NAME##2 { T x, y; }       \
  NAME##2;                                                                         \
  typedef struct NAME##3 { T x, y, z; }                                            \
  NAME##3;                                                                         \
  typedef struct __attribute__((aligned(4 * sizeof(T)))) NAME##4 { T x, y, z, w; } \
  NAME##4;
#define HIP_MAKE_INLINE_ static inline

#endif

#define HIP_VECTORS_(NAME, T)                                   \
  HIP_VECTOR_TYPES_(NAME, T)                                    \
  HIP_MAKE_INLINE_ NAME##1 make_##NAME##1(T x) {                \
    NAME##1 v = {x};                                            \
    return v;                                                   \
  }                                                             \
  HIP_MAKE_INLINE_ NAME##2 make_##NAME##2(T x, T y) {           \
    NAME##2 v = {x, y};                                         \
    return v;                                                   \
  }                                                             \
  HIP_MAKE_INLINE_ NAME##3 make_##NAME##3(T x, T y, T z) {      \
    NAME##3 v = {x, y, z};                                      \
    return v;                                                   \
  }                                                             \
  HIP_MAKE_INLINE_ NAME##4 make_##NAME##4(T x, T y, T z, T w) { \
    NAME##4 v = {x, y, z, w};                                   \
    return v;                                                   \
  }

HIP_VECTORS_(char, char)
HIP_VECTORS_(uchar, unsigned char)
HIP_VECTORS_(short, short)
HIP_VECTORS_(ushort, unsigned short)
HIP_VECTORS_(int, int)
HIP_VECTORS_(uint, unsigned int)
HIP_VECTORS_(long, long)
HIP_VECTORS_(ulong, unsigned long)
HIP_VECTORS_(longlong, long long)
HIP_VECTORS_(ulonglong, unsigned long long)
HIP_VECTORS_(float, float)
HIP_VECTORS_(double, double)

#undef HIP_VECTORS_
#undef HIP_VECTOR_TYPES_
#undef HIP_MAKE_INLINE_
#undef HIP_CONSTEXPR_

#endif /* HIP_VECTOR_TYPES_H_ */
