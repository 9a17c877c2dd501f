// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../modules.h"

namespace heddle::corpus {
namespace {

/// A number of any type, without error.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

enum class Rounding : uint8_t { usual, even, zero, up, down };

Exact whole(Exact x, Rounding rounding) {
  switch (rounding) {
    case Rounding::even:
      return std::nearbyint(x);
    case Rounding::up:
      return std::ceil(x);
    case Rounding::down:
      return std::floor(x);
    default:
      return std::trunc(x);
  }
}

template <typename T>
T to_integer(Exact x, Rounding rounding) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(x)) return 0;
  return static_cast<T>(std::clamp<Exact>(whole(x, rounding), Limits::min(), Limits::max()));
}

/// Returns the next number above `x`, which is not NaN, or below it.
template <typename T>
T neighbour(T x, bool above) {
  using Bits =
      std::conditional_t<sizeof(T) == 2, int16_t, std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>;
  if (x == T(0)) return std::bit_cast<T>(static_cast<Bits>(above ? 1 : std::numeric_limits<Bits>::min() + 1));
  const bool larger = (x > T(0)) == above;  // in magnitude
  return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(x) + (larger ? 1 : -1)));
}

template <typename T>
T to_real(Exact x, Rounding rounding) {
  const T nearest = static_cast<T>(x);
  if (std::isnan(x) || static_cast<Exact>(nearest) == x) return nearest;
  const bool is_above = static_cast<Exact>(nearest) > x;
  const bool downwards = rounding == Rounding::down || (rounding == Rounding::zero && x > 0);
  const bool upwards = rounding == Rounding::up || (rounding == Rounding::zero && x < 0);
  T result = nearest;
  if (is_above && downwards) result = neighbour(nearest, false);
  if (!is_above && upwards) result = neighbour(nearest, true);
  if (result == T(0) && x < 0) return -T(0);
  return result;
}

template <typename D>
D converted(Exact x, Rounding rounding) {
  if constexpr (is_real<D>)
    return to_real<D>(x, rounding);
  else
    return to_integer<D>(x, rounding);
}

template <typename D, typename S>
Case conversion(const char* name) {
  return {name, [](Bench& bench) {
            const auto in = bench.numbers<S>(300);
            const auto out = bench.zeros<D>(5 * in.size());
            bench.run({in.size()}, {64}, out, in);
            bench.expect(out, [&](size_t i) {
              return converted<D>(static_cast<Exact>(in[i / 5]), static_cast<Rounding>(i % 5));
            });
          }};
}

template <typename S>
Case saturation(const char* name) {
  return {name, [](Bench& bench) {
            const auto in = bench.numbers<S>(200);
            const auto out = bench.zeros<int64_t>(8 * in.size());
            bench.run({in.size()}, {64}, out, in);
            bench.expect(out, [&](size_t i) {
              const Exact least[] = {-0x1p7L, 0, -0x1p15L, 0, -0x1p31L, 0, -0x1p63L, 0};
              const Exact most[] = {0x1p7L, 0x1p8L, 0x1p15L, 0x1p16L, 0x1p31L, 0x1p32L, 0x1p63L, 0x1p64L};
              const Exact x = std::clamp<Exact>(in[i / 8], least[i % 8], most[i % 8] - 1);
              return x >= 0x1p63L ? static_cast<int64_t>(static_cast<uint64_t>(x)) : static_cast<int64_t>(x);
            });
          }};
}

template <typename D, typename S, size_t N, Rounding rounding>
Vec<D, N> converted_vector(Vec<S, N> x) {
  return vec<D, N>([&](size_t i) { return converted<D>(static_cast<Exact>(x[i]), rounding); });
}

void check_cut(Bench& bench) {
  const auto in = bench.numbers<int64_t>(200);
  const auto out = bench.zeros<int64_t>(4 * in.size());
  bench.run({in.size()}, {64}, out, in);
  bench.expect(out, [&](size_t i) -> int64_t {
    const int64_t x = in[i / 4];
    const int64_t cut[] = {static_cast<int8_t>(x), static_cast<uint16_t>(x), static_cast<int32_t>(x),
                           static_cast<uint32_t>(x)};
    return cut[i % 4];
  });
}

void check_in_range(Bench& bench) {
  const auto in = bench.numbers<float>(200);
  const auto out = bench.zeros<int32_t>(6 * in.size());
  bench.run({in.size()}, {64}, out, in);
  bench.expect(out, [&](size_t i) {
    constexpr Rounding roundings[] = {Rounding::zero, Rounding::even, Rounding::up,
                                      Rounding::down, Rounding::zero, Rounding::zero};
    const float x = in[i / 6];
    return to_integer<int32_t>(std::isnan(x) ? 0 : std::clamp(x, -100.0F, 100.0F), roundings[i % 6]);
  });
}

std::vector<Case> to_integers() {
  return {
      conversion<int8_t, Half>("char_of_half"),
      conversion<uint8_t, Half>("uchar_of_half"),
      conversion<int16_t, Half>("short_of_half"),
      conversion<uint16_t, Half>("ushort_of_half"),
      conversion<int32_t, Half>("int_of_half"),
      conversion<uint32_t, Half>("uint_of_half"),
      conversion<int64_t, Half>("long_of_half"),
      conversion<uint64_t, Half>("ulong_of_half"),
      conversion<int8_t, float>("char_of_float"),
      conversion<uint8_t, float>("uchar_of_float"),
      conversion<int16_t, float>("short_of_float"),
      conversion<uint16_t, float>("ushort_of_float"),
      conversion<int32_t, float>("int_of_float"),
      conversion<uint32_t, float>("uint_of_float"),
      conversion<int64_t, float>("long_of_float"),
      conversion<uint64_t, float>("ulong_of_float"),
      conversion<int8_t, double>("char_of_double"),
      conversion<uint8_t, double>("uchar_of_double"),
      conversion<int16_t, double>("short_of_double"),
      conversion<uint16_t, double>("ushort_of_double"),
      conversion<int32_t, double>("int_of_double"),
      conversion<uint32_t, double>("uint_of_double"),
      conversion<int64_t, double>("long_of_double"),
      conversion<uint64_t, double>("ulong_of_double"),
      saturation<int8_t>("saturate_char"),
      saturation<uint16_t>("saturate_ushort"),
      saturation<int32_t>("saturate_int"),
      saturation<uint64_t>("saturate_ulong"),
      {"cut_long", check_cut},
      {"float_in_range", check_in_range},
  };
}

std::vector<Case> to_reals() {
  return {
      conversion<Half, int32_t>("half_of_int"),      conversion<Half, uint32_t>("half_of_uint"),
      conversion<Half, int64_t>("half_of_long"),     conversion<Half, uint64_t>("half_of_ulong"),
      conversion<float, int32_t>("float_of_int"),    conversion<float, uint32_t>("float_of_uint"),
      conversion<float, int64_t>("float_of_long"),   conversion<float, uint64_t>("float_of_ulong"),
      conversion<double, int32_t>("double_of_int"),  conversion<double, uint32_t>("double_of_uint"),
      conversion<double, int64_t>("double_of_long"), conversion<double, uint64_t>("double_of_ulong"),
      conversion<Half, float>("half_of_float"),      conversion<Half, double>("half_of_double"),
      conversion<float, Half>("float_of_half"),      conversion<float, double>("float_of_double"),
      conversion<double, Half>("double_of_half"),    conversion<double, float>("double_of_float"),
  };
}

std::vector<Case> vectors_of_numbers() {
  return {
      {"vector_uchar4_of_float4", map(converted_vector<uint8_t, float, 4, Rounding::even>)},
      {"vector_int3_of_double3", map(converted_vector<int32_t, double, 3, Rounding::up>)},
      {"vector_float16_of_uchar16", map(converted_vector<float, uint8_t, 16, Rounding::usual>)},
      {"vector_half8_of_float8", map(converted_vector<Half, float, 8, Rounding::down>)},
      {"vector_short2_of_ulong2", map(converted_vector<int16_t, uint64_t, 2, Rounding::usual>)},
      {"vector_double4_of_long4", map(converted_vector<double, int64_t, 4, Rounding::zero>)},
  };
}

}  // namespace

Module conversions() { return {"conversions", joined({to_integers(), to_reals(), vectors_of_numbers()})}; }

}  // namespace heddle::corpus
