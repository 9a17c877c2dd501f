// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 150;
constexpr Size grid{items}, group{32};

using F2 = Vec<float, 2>;
using F3 = Vec<float, 3>;
using F4 = Vec<float, 4>;
using F8 = Vec<float, 8>;
using I2 = Vec<int32_t, 2>;
using I3 = Vec<int32_t, 3>;
using I4 = Vec<int32_t, 4>;
using I8 = Vec<int32_t, 8>;
using I16 = Vec<int32_t, 16>;
using U2 = Vec<uint32_t, 2>;
using U4 = Vec<uint32_t, 4>;
using U8 = Vec<uint32_t, 8>;
using C16 = Vec<int8_t, 16>;
using UC16 = Vec<uint8_t, 16>;

int32_t wrapped(int64_t value) { return static_cast<int32_t>(value); }

std::vector<Case> swizzles() {
  return {
      {"swizzle_float4", map(+[](F4 v) { return F4{v[3] + v[0], v[2] + v[0], v[1] + v[1], v[0] + v[1]}; })},
      {"swizzle_writes",
       map(+[](I4 a, I2 b) { return I4{wrapped(int64_t{b[0]} + b[1]), a[2], a[1], b[1]}; })},
      {"halves_double8", map(+[](Vec<double, 8> v) { return Vec<double, 4>{v[0], v[2], v[5], v[7]}; })},
      {"odd_elements_of_three",
       map(+[](Vec<int16_t, 3> v) { return Vec<int16_t, 4>{v[2], v[1], v[0], v[1]}; })},
      {"elements_of_sixteen",
       map(+[](C16 v) { return vec<int8_t, 16>([&](size_t i) { return v[i < 8 ? 2 * i : 31 - 2 * i]; }); })},
      {"literal_uint8",
       map(+[](uint32_t a, U2 b) { return U8{a, b[0], b[1], a + 1, a + 1, a + 1, a + 1, b[1]}; })},
      {"splat_long16", map(+[](int64_t a) {
         return vec<int64_t, 16>([&](size_t) { return static_cast<uint64_t>(a) * 3; });
       })},
      {"dynamic_index", map(+[](F8 v, uint32_t which) { return v[which % 8]; })},
      {"dynamic_store", map(+[](I16 v, uint32_t which) {
         v[which % 16] = 77;
         return v;
       })},
  };
}

std::vector<Case> operators() {
  return {
      {"select_by_comparison",
       map(+[](F4 a, F4 b) { return vec<float, 4>([&](size_t i) { return a[i] < b[i] ? b[i] : a[i]; }); })},
      {"not_vector", map(+[](I3 v) {
         return vec<int32_t, 3>([&](size_t i) { return (v[i] == 0 ? -1 : 0) ^ (-1 - v[i]); });
       })},
      {"logic_ushort2", map(+[](Vec<uint16_t, 2> a, Vec<uint16_t, 2> b) {
         return vec<int16_t, 2>(
             [&](size_t i) { return (a[i] != 0 && b[i] != 0 ? -1 : 0) + (a[i] != 0 || b[i] != 0 ? 2 : 0); });
       })},
      {"shuffle_uchar16",
       map(+[](UC16 v, UC16 mask) { return vec<uint8_t, 16>([&](size_t i) { return v[mask[i] % 16]; }); })},
      {"shuffle_two_floats", map(+[](F2 a, F2 b, U4 mask) {
         const float all[] = {a[0], a[1], b[0], b[1]};
         return vec<float, 4>([&](size_t i) { return all[mask[i] % 4]; });
       })},
  };
}

std::vector<Case> reinterpretations() {
  return {
      {"as_int_of_float", map(+[](float x) { return std::bit_cast<int32_t>(x) ^ 0x04030201; })},
      {"as_uchar8_of_double", map(+[](double x) {
         const auto bits = std::bit_cast<uint64_t>(x);
         return vec<uint8_t, 8>([&](size_t i) { return bits >> (56 - 8 * i); });
       })},
      {"as_ulong2_of_float4", map(+[](F4 v) { return std::bit_cast<Vec<uint64_t, 2>>(v); })},
      {"as_half2_of_uint", map(+[](uint32_t x) { return std::bit_cast<Vec<Half, 2>>(x << 16 | x >> 16); })},
      {"as_int3_of_int4", map(+[](I4 v) { return I3{v[0], v[1], v[2]}; })},
      {"vector_union", map(+[](U4 v) {
         const uint32_t first = (v[0] & 0xffffff) | 0x5a000000;
         return first ^ (v[3] + 0x10000);
       })},
  };
}

void load_all(Bench& bench) {
  const auto in = bench.numbers<int32_t>(16 * items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    return wrapped(int64_t{in[2 * i + 1]} + 2LL * in[3 * i + 2] + 3LL * in[4 * i + 3] + 5LL * in[8 * i + 7] +
                   7LL * in[16 * i + 15] + 11LL * in[i + 1]);
  });
}

void store_packed(Bench& bench) {
  const auto in = bench.numbers<F4>(items);
  const auto out = bench.zeros<float>(3 * items + 1);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return i == 3 * items ? 0 : in[i / 3][i % 3]; });
}

void store_chars(Bench& bench) {
  const auto in = bench.numbers<C16>(items);
  const auto out = bench.zeros<int8_t>(16 * items + 2);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) -> int8_t {
    return i == 0 || i == 16 * items + 1 ? 0 : in[(i - 1) / 16][(i - 1) % 16];
  });
}

void load_halves(Bench& bench) {
  const auto in = bench.numbers<Half>(4 * items);
  const auto out = bench.zeros<F4>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    return vec<float, 4>([&](size_t k) { return static_cast<float>(in[4 * i + k]); });
  });
}

void load_aligned_halves(Bench& bench) {
  const auto in = bench.numbers<Half>(4 * items);
  const auto out = bench.zeros<F3>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    return vec<float, 3>([&](size_t k) { return static_cast<float>(in[4 * i + k]); });
  });
}

/// The numbers of binary16 on both sides of `x`, of which the second has the larger magnitude.
std::pair<Half, Half> around(double x) {
  const Half nearest = static_cast<Half>(x);
  if (x != x || static_cast<double>(nearest) == x) return {nearest, nearest};
  const auto bits = std::bit_cast<uint16_t>(nearest);
  const bool far = std::fabs(static_cast<double>(nearest)) > std::fabs(x);
  const auto other = std::bit_cast<Half>(static_cast<uint16_t>(far ? bits - 1 : bits + 1));
  return far ? std::pair(other, nearest) : std::pair(nearest, other);
}

void store_halves(Bench& bench) {
  const auto in = bench.numbers<float>(items);
  const auto out = bench.zeros<Half>(5 * items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    const float x = in[i / 5];
    const auto [near, far] = around(x);
    const Half results[] = {static_cast<Half>(x), static_cast<Half>(x), near, std::signbit(x) ? near : far,
                            std::signbit(x) ? far : near};
    return results[i % 5];
  });
}

void store_halves_of_doubles(Bench& bench) {
  const auto in = bench.numbers<Vec<double, 2>>(items);
  const auto out = bench.zeros<Half>(2 * items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) { return around(in[i / 2][i % 2]).first; });
}

void pass_by_value(Bench& bench) {
  const auto in = bench.numbers<I8>(items);
  const auto out = bench.zeros<I8>(items);
  const auto many = vec<int64_t, 16>([](size_t i) { return 1000 * i; });
  bench.run(grid, group, out, in, I2{500, 33}, Vec<uint8_t, 3>{1, 2, 200}, many);
  bench.expect(out, [&](size_t i) {
    return vec<int32_t, 8>([&](size_t k) { return int64_t{in[i][k]} + 500 - 33 + 200 + 15000; });
  });
}

void steps(Bench& bench) {
  const auto out = bench.zeros<int32_t>(5);
  bench.run({1}, {1}, out);
  bench.expect(out, [](size_t i) { return (const int32_t[]){1, 4, 16, 8, 32}[i]; });
}

void in_loop(Bench& bench) {
  const auto in = bench.numbers<U4>(items);
  const auto out = bench.zeros<U4>(items);
  bench.run(grid, group, out, in);
  bench.expect(out, [&](size_t i) {
    U4 sum{};
    for (size_t k = 0; k < 10; ++k)
      sum = vec<uint32_t, 4>([&](size_t e) { return sum[(e + 1) % 4] * 3 + in[(i + k) % items][e]; });
    return sum;
  });
}

std::vector<Case> loads_and_stores() {
  return {
      {"vload_all", load_all},
      {"vstore3_packed", store_packed},
      {"vstore16_chars", store_chars},
      {"vload_half_four", load_halves},
      {"vloada_half_three", load_aligned_halves},
      {"vstore_half_modes", store_halves},
      {"vstore_half_of_double", store_halves_of_doubles},
      {"pass_by_value", pass_by_value},
      {"vec_steps", steps},
      {"vectors_through_calls",
       map(+[](F8 v) { return vec<float, 8>([&](size_t i) { return v[7 - i] - v[i]; }); })},
      {"vectors_in_loop", in_loop},
      {"vector_array", map(+[](I4 v) {
         constexpr uint32_t factors[] = {1, 10, 100, 1000};
         return vec<int32_t, 4>([&](size_t e) {
           uint32_t sum = 0;  // each of the four rows is taken once
           for (uint32_t i = 0; i < 4; ++i) sum += (static_cast<uint32_t>(v[e]) + i) * factors[e];
           return sum;
         });
       })},
  };
}

}  // namespace

Module vectors() {
  return {"vectors", joined({swizzles(), operators(), reinterpretations(), loads_and_stores()})};
}

}  // namespace heddle::corpus
