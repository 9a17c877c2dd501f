// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 160, size = 32;
constexpr Size grid{items}, group{size};
constexpr int last = items - 1, sum = last * static_cast<int>(items) / 2;

size_t first_of(size_t i) { return i / size * size; }

/// Runs a kernel (R* out, const A* in) and compares with expected(in, i).
template <typename R, typename A, typename F, typename... L>
void run_groups(Bench& bench, const F& expected, const L&... local) {
  const auto in = bench.numbers<A>(items);
  const auto out = bench.zeros<R>(items);
  bench.run(grid, group, out, in, local...);
  bench.expect(out, [&](size_t i) { return static_cast<R>(expected(in, i)); });
}

/// A kernel with dynamic shared memory, which is no argument.
template <typename R, typename F>
void run_dynamic(Bench& bench, uint32_t bytes, const F& expected) {
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<R>(items);
  bench.run_with_group_memory(bytes, grid, group, out, in);
  bench.expect(out, [&](size_t i) { return static_cast<R>(expected(in, i)); });
}

void shared_of_templates(Bench& bench) {
  run_groups<int32_t, int32_t>(bench, [](const auto& in, size_t i) {
    return i < size ? static_cast<int32_t>(int64_t{in[i]} - 1) : in[first_of(i) + size - 1 - i % size];
  });
}

void transpose(Bench& bench) {
  const auto in = bench.table<float>(16 * 24, [](size_t i) { return i; });
  const auto out = bench.zeros<float>(16 * 24);
  bench.run({6 * 64}, {64}, out, in);
  bench.expect(out, [&](size_t i) { return in[i % 16 * 24 + i / 16]; });
}

std::function<void(Bench&)> sizes(uint32_t block, uint32_t added) {
  return [=](Bench& bench) {
    const auto out = bench.zeros<uint32_t>(2 * block);
    bench.run({2 * block}, {block}, out);
    bench.expect(out, [&](size_t) { return block + added; });
  };
}

void device_variable(Bench& bench) {
  const auto out = bench.zeros<int32_t>(1);
  bench.run({1}, {1}, out);
  EXPECT_EQ(out[0], 1);
}

void structure_argument(Bench& bench) {
  struct Settings {
    int32_t offset;
    float scale;
    double bias[2];
  };
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<double>(items);
  bench.run(grid, group, out, Settings{-7, 0.5F, {100, 200}}, in);
  bench.expect(out, [&](size_t i) { return (in[i] % 1000 - 7) * 0.5 + (i % 2 == 0 ? 100 : 200); });
}

void scalar_arguments(Bench& bench) {
  const auto out = bench.zeros<double>(items);
  bench.run(grid, group, out, int8_t{-5}, uint16_t{60000}, uint8_t{1}, int64_t{1} << 40, 0.5F, 0.25);
  bench.expect(out, [](size_t) { return -5 + 60000 + 1 + 0x1p40 + 0.75; });
}

void atomic_integers(Bench& bench) {
  const std::vector<int32_t> start = {1, 5, 5, 0, 0, -1};
  int32_t any = 0;
  for (int32_t i = 0; i <= last; ++i) any ^= i;
  const std::vector<int32_t> expected = {1 + 3 * static_cast<int>(items), last, -last, any, -1, -0x10000};
  const auto c = bench.table<int32_t>(6, [&](size_t i) { return start[i]; });
  const auto l = bench.zeros<uint64_t>(1);
  bench.run(grid, group, c, l);
  bench.expect(c, [&](size_t i) { return expected[i]; });
  EXPECT_EQ(l[0], uint64_t{sum} << 32);
}

void atomic_reals(Bench& bench) {
  const auto f = bench.zeros<float>(2);
  const auto d = bench.zeros<double>(2);
  bench.run(grid, group, f, d);
  bench.expect(f, [](size_t i) { return i == 0 ? items / 2.0F : last; });
  bench.expect(d, [](size_t i) { return i == 0 ? items / 4.0 : -last; });
}

void compare_and_swap(Bench& bench) {
  const auto counter = bench.zeros<int32_t>(1);
  bench.run(grid, group, counter);
  EXPECT_EQ(counter[0], sum);
}

void wrapping_counters(Bench& bench) {
  const auto counters = bench.zeros<uint32_t>(2);
  bench.run(grid, group, counters);
  EXPECT_EQ(counters[0], items % 7);
  EXPECT_EQ(counters[1], (10 - items % 10) % 10);
}

void shared_atomics(Bench& bench) {
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out);
  bench.expect(out, [](size_t) { return 31 * 32 / 2 * 100 + 16; });
}

void last_block(Bench& bench) {
  const auto result = bench.zeros<int32_t>(1), partial = bench.zeros<int32_t>(5);
  const auto done = bench.zeros<uint32_t>(1);
  bench.run(grid, group, result, partial, done);
  EXPECT_EQ(result[0], 15);
}

uint16_t bfloat_of(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float from_bfloat(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

void bfloat_conversion(Bench& bench) {
  const auto in = bench.numbers<float>(items);
  const auto out = bench.zeros<uint16_t>(items);
  bench.run(grid, group, out, in);
  for (size_t i = 0; i < items; ++i) {
    if (std::isnan(in[i]))
      EXPECT_TRUE(std::isnan(from_bfloat(out[i])));
    else
      EXPECT_EQ(out[i], bfloat_of(in[i])) << in[i];
  }
}

uint32_t reversed(uint32_t x) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
  return result;
}

void prints(Bench& bench) {
  ASSERT_TRUE(bench.device().is_loaded());
  const testing::PrintedText printed(bench.device(), 1 << 14);
  bench.run(grid, group, int32_t{40});
  const PrintfText result = printed.text();
  EXPECT_EQ(printed.lost(), 0U);
  EXPECT_EQ(std::ranges::count(result.text, '\n'), 40);
  for (int i = 0; i < 40; ++i) {
    char line[64];
    snprintf(line, sizeof line, "item %d of HIP: %.2f %d\n", i, i * 0.5, -i);
    EXPECT_NE(result.text.find(line), std::string::npos) << line << result.text;
  }
}

std::vector<Case> shared_memory() {
  return {
      {"static_shared",
       [](Bench& bench) {
         run_groups<int32_t, int32_t>(
             bench, [](const auto& in, size_t i) { return in[first_of(i) + 31 - i % size]; });
       }},
      {"dynamic_shared",
       [](Bench& bench) {
         run_dynamic<int32_t>(bench, size * 4, [](const auto& in, size_t i) {
           int64_t total = 0;
           for (size_t k = 0; k < size; ++k) total += in[first_of(i) + k] / 32;
           return static_cast<int32_t>(total);
         });
       }},
      {"static_and_dynamic_shared",
       [](Bench& bench) {
         run_dynamic<int64_t>(bench, size * 2, [](const auto& in, size_t i) {
           int64_t sums[2] = {};
           for (size_t k = 0; k < size; ++k) sums[k % 2] += static_cast<int16_t>(in[first_of(i) + k]);
           return sums[0] * 1000003 - sums[1];
         });
       }},
      {"shared_of_templates", shared_of_templates},
      {"tiled_transpose", transpose},
      {"launch_bounds_one", sizes(64, 0)},
      {"launch_bounds_two", sizes(128, 1)},
  };
}

std::vector<Case> variables() {
  return {
      {"constant_variable",
       [](Bench& bench) {
         run_groups<float, uint32_t>(bench, [](const auto& in, size_t i) {
           return static_cast<float>(i) / static_cast<float>(1 << in[i] % 4);
         });
       }},
      {"device_variable", device_variable},
      {"strings", map(+[](uint32_t x) {
         const std::string name = (const char*[]){"zero", "one", "two"}[x % 3];
         return static_cast<int32_t>(name.size() * 256 + static_cast<size_t>(name[0]));
       })},
      {"structure_argument", structure_argument},
      {"scalar_arguments", scalar_arguments},
  };
}

std::vector<Case> atomic_operations() {
  return {
      {"atomic_integers", atomic_integers},   {"atomic_reals", atomic_reals},
      {"compare_and_swap", compare_and_swap}, {"wrapping_counters", wrapping_counters},
      {"shared_atomics", shared_atomics},     {"last_block", last_block},
  };
}

std::vector<Case> numbers() {
  using H2 = Vec<Half, 2>;
  return {
      {"half_arithmetic", map(+[](Half a, Half b) {
         const auto product = static_cast<Half>(static_cast<double>(a) * static_cast<double>(b));
         const auto quotient = static_cast<Half>(static_cast<double>(a) / static_cast<double>(b));
         return static_cast<Half>(static_cast<double>(product) - static_cast<double>(quotient));
       })},
      {"half_comparison", map(+[](Half a, Half b) { return (a < b) + 2 * (a == b) + 4 * (a >= Half(1)); })},
      {"packed_half", map(+[](H2 a, H2 b) {
         const auto add = [](Half x, Half y) {
           return static_cast<Half>(static_cast<double>(x) + static_cast<double>(y));
         };
         return H2{add(a[0], b[1]), add(a[1], b[0])};
       })},
      {"bfloat_conversion", bfloat_conversion},
      {"bfloat_arithmetic", map(+[](uint16_t x) {
         const float value = from_bfloat(x);
         return from_bfloat(bfloat_of(value * 1.5F)) + value;
       })},
      {"library_functions",
       map(+[](float x) { return std::sqrt(static_cast<double>(std::fma(x, x, 1.0F))); })},
      {"wide_integers", map(+[](uint64_t a, uint64_t b) {
         const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
         const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
         const uint64_t cross = a0 * b1 + (middle & 0xffffffff);
         return (a1 * b1 + (middle >> 32) + (cross >> 32)) ^ (a * b);
       })},
      {"builtins", map(+[](uint32_t x) {
         return static_cast<uint32_t>(std::popcount(x)) +
                64 * static_cast<uint32_t>(std::countl_zero(x | 1)) + __builtin_bswap32(x) + reversed(x);
       })},
      {"prints", prints},
  };
}

}  // namespace

Module device() {
  return {"device", joined({shared_memory(), variables(), atomic_operations(), numbers()}), lanes_of_hip};
}

}  // namespace heddle::corpus
