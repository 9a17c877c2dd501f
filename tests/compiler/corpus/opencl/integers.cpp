// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../modules.h"

namespace heddle::corpus {
namespace {

__extension__ using Wide = __int128;

template <typename T>
T saturated(Wide value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp<Wide>(value, Limits::min(), Limits::max()));
}

/// Applies a function of wide integers to the elements of vectors, and cuts the results.
template <typename R, size_t N, typename F, typename... V>
Vec<R, N> each(const F& function, const V&... vectors) {
  return vec<R, N>([&](size_t i) { return static_cast<R>(function(Wide(vectors[i])...)); });
}

template <typename T>
unsigned count_bits(T value) {
  unsigned count = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i) count += value >> i & 1;
  return count;
}

template <typename T>
T rotated(T value, T by) {
  constexpr unsigned bits = 8 * sizeof(T);
  const unsigned n = static_cast<unsigned>(by % bits);
  return static_cast<T>(n == 0 ? value : value << n | value >> (bits - n));
}

template <typename T>
Wide high_half(Wide a, Wide b) {
  return (a * b) >> (8 * sizeof(T));
}

}  // namespace

using C16 = Vec<int8_t, 16>;
using UC16 = Vec<uint8_t, 16>;
using UC8 = Vec<uint8_t, 8>;
using UC4 = Vec<uint8_t, 4>;
using C8 = Vec<int8_t, 8>;
using C4 = Vec<int8_t, 4>;
using S3 = Vec<int16_t, 3>;
using S4 = Vec<int16_t, 4>;
using US8 = Vec<uint16_t, 8>;
using US2 = Vec<uint16_t, 2>;
using I2 = Vec<int32_t, 2>;
using I4 = Vec<int32_t, 4>;
using U2 = Vec<uint32_t, 2>;
using U4 = Vec<uint32_t, 4>;
using L2 = Vec<int64_t, 2>;
using UL2 = Vec<uint64_t, 2>;
using UL4 = Vec<uint64_t, 4>;
using D2 = Vec<double, 2>;

namespace {

std::vector<Case> saturation() {
  return {
      {"add_sat_char", map(+[](int8_t a, int8_t b) { return saturated<int8_t>(Wide(a) + b); })},
      {"add_sat_ulong4", map(+[](UL4 a, UL4 b) {
         return each<uint64_t, 4>([](Wide x, Wide y) { return saturated<uint64_t>(x + y); }, a, b);
       })},
      {"sub_sat_short3", map(+[](S3 a, S3 b) {
         return each<int16_t, 3>([](Wide x, Wide y) { return saturated<int16_t>(x - y); }, a, b);
       })},
      {"sub_sat_long", map(+[](int64_t a, int64_t b) { return saturated<int64_t>(Wide(a) - b); })},
      {"mad_sat_int",
       map(+[](int32_t a, int32_t b, int32_t c) { return saturated<int32_t>(Wide(a) * b + c); })},
      {"mad_sat_uchar8", map(+[](UC8 a, UC8 b, UC8 c) {
         return each<uint8_t, 8>([](Wide x, Wide y, Wide z) { return saturated<uint8_t>(x * y + z); }, a, b,
                                 c);
       })},
      {"hadd_uint2",
       map(+[](U2 a, U2 b) { return each<uint32_t, 2>([](Wide x, Wide y) { return (x + y) >> 1; }, a, b); })},
      {"rhadd_long", map(+[](int64_t a, int64_t b) { return static_cast<int64_t>((Wide(a) + b + 1) >> 1); })},
      {"abs_diff_int",
       map(+[](int32_t a, int32_t b) { return static_cast<uint32_t>(a < b ? Wide(b) - a : Wide(a) - b); })},
      {"abs_char16", map(+[](C16 a) { return each<uint8_t, 16>([](Wide x) { return x < 0 ? -x : x; }, a); })},
  };
}

std::vector<Case> bits() {
  return {
      {"clz_ushort8",
       map(+[](US8 a) { return vec<uint16_t, 8>([&](size_t i) { return std::countl_zero(a[i]); }); })},
      {"ctz_ulong", map(+[](uint64_t a) { return static_cast<uint64_t>(std::countr_zero(a)); })},
      {"popcount_uint4",
       map(+[](U4 a) { return vec<uint32_t, 4>([&](size_t i) { return count_bits(a[i]); }); })},
      {"rotate_uchar4",
       map(+[](UC4 a, UC4 b) { return vec<uint8_t, 4>([&](size_t i) { return rotated(a[i], b[i]); }); })},
      {"rotate_ulong", map(+[](uint64_t a, uint64_t b) { return rotated(a, b); })},
      {"bitselect_int2", map(+[](I2 a, I2 b, I2 c) {
         return vec<int32_t, 2>([&](size_t i) { return (a[i] & ~c[i]) | (b[i] & c[i]); });
       })},
      {"select_long2", map(+[](L2 a, L2 b, L2 c) {
         return vec<int64_t, 2>([&](size_t i) { return c[i] < 0 ? b[i] : a[i]; });
       })},
      {"select_scalar", map(+[](uint32_t a, uint32_t b, int32_t c) { return c != 0 ? b : a; })},
      {"shift_left_int",
       map(+[](int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) << (b & 31)); })},
      {"shift_right_char4",
       map(+[](C4 a, C4 b) { return vec<int8_t, 4>([&](size_t i) { return a[i] >> (b[i] & 7); }); })},
      {"shift_right_ulong", map(+[](uint64_t a, uint32_t b) { return a >> (b & 63); })},
  };
}

std::vector<Case> products() {
  return {
      {"mul_hi_long",
       map(+[](int64_t a, int64_t b) { return static_cast<int64_t>(high_half<int64_t>(a, b)); })},
      {"mul_hi_ushort2", map(+[](US2 a, US2 b) {
         return each<uint16_t, 2>([](Wide x, Wide y) { return high_half<uint16_t>(x, y); }, a, b);
       })},
      {"mad_hi_uint", map(+[](uint32_t a, uint32_t b, uint32_t c) {
         return static_cast<uint32_t>(high_half<uint32_t>(a, b) + c);
       })},
      {"mul24_int", map(+[](int32_t a, int32_t b) {
         const auto cut = [](int32_t x) { return Wide((x & 0xffffff) ^ 0x800000) - 0x800000; };
         return static_cast<int32_t>(cut(a) * cut(b));
       })},
      {"mad24_uint", map(+[](uint32_t a, uint32_t b, uint32_t c) {
         return static_cast<uint32_t>(Wide(a & 0xffffff) * (b & 0xffffff) + c);
       })},
      {"upsample_short", map(+[](int16_t a, uint16_t b) { return static_cast<int32_t>(a * 65536 + b); })},
      {"upsample_uint2", map(+[](U2 a, U2 b) {
         return vec<uint64_t, 2>([&](size_t i) { return static_cast<uint64_t>(a[i]) << 32 | b[i]; });
       })},
  };
}

std::vector<Case> quotients() {
  return {
      {"divide_int",
       map(+[](int32_t a, int32_t b) { return b == 0 || (a == INT32_MIN && b == -1) ? 7 : a / b; })},
      {"remainder_long",
       map(+[](int64_t a, int64_t b) { return b == 0 || (a == INT64_MIN && b == -1) ? int64_t{7} : a % b; })},
      {"divide_uchar4",
       map(+[](UC4 a, UC4 b) { return vec<uint8_t, 4>([&](size_t i) { return a[i] / (b[i] | 1); }); })},
      {"divide_ulong2", map(+[](UL2 a, UL2 b) {
         return vec<uint64_t, 2>([&](size_t i) { return a[i] / (b[i] | 1) + a[i] % (b[i] | 1); });
       })},
      {"divide_by_constants", map(+[](int32_t a) {
         const Wide x = a;
         return static_cast<int32_t>(x / 7 + x % 10 - x / -3 + Wide(static_cast<uint32_t>(a)) / 641);
       })},
  };
}

std::vector<Case> comparisons() {
  return {
      {"clamp_short4", map(+[](S4 a, S4 b, S4 c) {
         return vec<int16_t, 4>(
             [&](size_t i) { return std::clamp(a[i], std::min(b[i], c[i]), std::max(b[i], c[i])); });
       })},
      {"min_max_uchar16", map(+[](UC16 a, UC16 b) {
         return vec<uint8_t, 16>(
             [&](size_t i) { return i < 8 ? std::min(a[i], b[i]) : std::max(a[i], b[i]); });
       })},
      {"compare_char8", map(+[](C8 a, C8 b) {
         return vec<int8_t, 8>([&](size_t i) { return a[i] < b[i] ? -1 : a[i] == b[i] ? 2 : 4; });
       })},
      {"compare_double2", map(+[](D2 a, D2 b) {
         return vec<int64_t, 2>([&](size_t i) { return a[i] < b[i] ? -1 : a[i] != b[i] ? 4 : 0; });
       })},
      {"any_all", map(+[](I4 a) {
         int negative = 0;
         for (const int x : a.at) negative += x < 0;
         return (negative > 0 ? 2 : 0) + (negative == 4 ? 1 : 0);
       })},
  };
}

}  // namespace

Module integers() {
  return {"integers", joined({saturation(), bits(), products(), quotients(), comparisons()})};
}

}  // namespace heddle::corpus
