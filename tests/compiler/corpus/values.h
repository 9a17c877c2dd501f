// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the types of OpenCL C on the host, and arguments for kernels.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>

namespace heddle::corpus {

using Half = _Float16;

/// A vector of OpenCL C, with its size and alignment.
template <typename T, size_t N>
struct alignas(sizeof(T) * (N == 3 ? 4 : N)) Vec {
  using Element = T;
  T at[N];

  T& operator[](size_t i) { return at[i]; }
  const T& operator[](size_t i) const { return at[i]; }
};

/// Returns the vector whose element i is function(i).
template <typename T, size_t N, typename F>
Vec<T, N> vec(const F& function) {
  Vec<T, N> result{};
  for (size_t i = 0; i < N; ++i) result[i] = static_cast<T>(function(i));
  return result;
}

template <typename T>
constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

template <typename T>
constexpr bool is_vec = false;
template <typename T, size_t N>
constexpr bool is_vec<Vec<T, N>> = true;

/// Whether two results are the same: the same bits, or both NaN.
template <typename T>
bool is_same_value(const T& a, const T& b) {
  if constexpr (is_vec<T>) {
    for (size_t i = 0; i < std::size(a.at); ++i)
      if (!is_same_value(a[i], b[i])) return false;
    return true;
  } else if constexpr (is_real<T>) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
  } else {
    return a == b;
  }
}

template <typename T>
void describe(std::ostream& out, const T& value) {
  if constexpr (is_vec<T>) {
    for (size_t i = 0; i < std::size(value.at); ++i) {
      out << (i == 0 ? "(" : ", ");
      describe(out, value[i]);
    }
    out << ')';
  } else if constexpr (is_real<T>) {
    out << static_cast<double>(value) << std::hexfloat << " [" << static_cast<double>(value) << "]"
        << std::defaultfloat;
  } else if constexpr (std::is_integral_v<T>) {
    out << +value;
  } else {
    out << "a structure";
  }
}

/// A source of arguments: one in two is a special value of its type.
class Numbers {
 public:
  explicit Numbers(const std::string& seed) : random_(std::hash<std::string>()(seed)) {}

  template <typename T>
  T next() {
    if constexpr (is_vec<T>) {
      return vec<typename T::Element, std::size(T{}.at)>([&](size_t) { return next<typename T::Element>(); });
    } else if constexpr (is_real<T>) {
      return next_real<T>();
    } else {
      static_assert(std::integral<T>);
      return next_integer<T>();
    }
  }

 private:
  template <typename T>
  T next_integer() {
    using Limits = std::numeric_limits<T>;
    constexpr T special[] = {0,
                             1,
                             2,
                             3,
                             7,
                             8,
                             31,
                             32,
                             33,
                             63,
                             64,
                             100,
                             Limits::max(),
                             Limits::min(),
                             static_cast<T>(Limits::max() - 1),
                             static_cast<T>(Limits::min() + 1),
                             static_cast<T>(Limits::max() / 2 + 1),
                             static_cast<T>(-1),
                             static_cast<T>(-2),
                             static_cast<T>(-100)};
    const uint64_t bits = random_();
    if (bits % 2 == 0) return special[random_() % std::size(special)];
    return static_cast<T>(random_() >> (bits >> 1) % (8 * sizeof(T)));
  }

  template <typename T>
  T next_real() {
    // In numbers, since the limits of _Float16 are not those of the library.
    constexpr int digits = sizeof(T) == 2 ? 11 : std::numeric_limits<T>::digits;
    constexpr int least = sizeof(T) == 2 ? -14 : std::numeric_limits<T>::min_exponent - 1;
    const auto power = [](int exponent) { return static_cast<T>(std::ldexp(1.0, exponent)); };
    const T infinity = static_cast<T>(std::numeric_limits<double>::infinity());
    const T special[] = {T(0),
                         T(1),
                         T(2),
                         T(0.5),
                         T(1.5),
                         T(2.5),
                         T(3),
                         T(10),
                         T(100.75),
                         power(digits),
                         power(digits) - T(1),
                         power(1 - digits),
                         power(least),
                         power(least - digits + 1),
                         T(power(-least) * (T(2) - power(1 - digits))),
                         infinity,
                         infinity - infinity};
    const uint64_t bits = random_();
    const T sign = bits & 1 ? T(-1) : T(1);
    if ((bits & 2) != 0) return sign * special[random_() % std::size(special)];
    // Mostly of the size of 1, some as large as integers of 64 bits.
    const int exponents = (bits & 12) == 0 && sizeof(T) > 2 ? 80 : 20;
    const int exponent = static_cast<int>(random_() % exponents) - 10;
    return sign * static_cast<T>(std::ldexp(std::uniform_real_distribution(1.0, 2.0)(random_), exponent));
  }

  std::mt19937_64 random_;
};

}  // namespace heddle::corpus
