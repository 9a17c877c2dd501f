// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "../modules.h"

namespace heddle::corpus {
namespace {

int32_t dense(int32_t x) {
  const int32_t table[] = {10, 21, 43, 43, -1, 54, x, -1};
  return table[x & 7];
}

int32_t sparse(int64_t x) {
  if (x == 0) return 1;
  if (x == INT64_MAX) return 2;
  if (x == -1) return 13;
  if (x == 100 || x == 64) return 14;
  return x < 0 ? 15 : 16;
}

uint32_t automaton(uint32_t word) {
  uint32_t state = 0, sum = 0;
  for (; word != 0; word /= 4) {
    const uint32_t letter = word % 4;
    if (letter == 0) continue;
    if (letter == 3 && state == 0) break;
    const uint32_t next[] = {0, (state + 1) % 5, (state * 3 + 1) % 5, state - 1};
    state = next[letter];
    sum = sum * 7 + state;
  }
  return sum;
}

int32_t duff(int32_t x) {
  const int n = x & 31;
  int32_t sum = 0;
  // The last steps of a first round, and whole rounds of four steps.
  const auto steps = [&](int count) {
    if (count >= 4) sum += 1;
    if (count >= 3) sum = sum * 2 + 1;
    if (count >= 2) sum += 3;
    sum ^= 5;
  };
  if (n % 4 != 0) steps(n % 4);
  for (int i = 0; i < n / 4; ++i) steps(4);
  return sum;
}

int32_t squares(int32_t x) {
  int32_t sum = 0;
  for (int i = 0; i < std::max(1, x & 15); ++i) sum += i * i;
  return sum;
}

int32_t joined_branches(int32_t x) {
  if (x > 50) return x / 3;
  if (x >= 0) return x + 1;
  const int32_t half = -(x / 2);
  return half > 1000 ? half / 3 : half;
}

uint32_t collatz(uint32_t x) {
  uint64_t n = x | 1;
  uint32_t steps = 0;
  for (; n != 1 && steps < 200; ++steps) n = (n & 1) == 0 ? n >> 1 : 3 * n + 1;
  return steps;
}

int32_t early(int32_t x) {
  if (x <= 0) return x == 0 ? 0 : 1;
  for (const int square : {1, 4, 9, 16, 25, 36, 49, 64, 81})
    if (x == square) return 1;
  return 2;
}

int32_t nested(int32_t x) {
  int32_t count = 0;
  for (int i = 0; i < 12 && count <= 60; ++i)
    for (int k = i; k <= 20 && (x >> (k % 8) & 1) == 0; ++k) count += k % 3 != 0;
  return count;
}

int32_t short_circuit(int32_t x) {
  if (x > 0) return x % 2 != 0 ? 3 : 22;  // both operands of ||, of which the second is false
  return 20 + (x < -5);
}

uint64_t fibonacci(uint32_t x) {
  std::vector<uint64_t> numbers = {0, 1};
  for (uint32_t i = 2; i <= x % 90; ++i) numbers.push_back(numbers[i - 1] + numbers[i - 2]);
  return numbers[x % 90];
}

void calls(Bench& bench) {
  const auto in = bench.numbers<int32_t>(150);
  const auto out = bench.zeros<int32_t>(150);
  bench.run({150}, {32}, out, in);
  bench.expect(out, [&](size_t i) { return in[i] / 8 * (i % 2 == 0 ? 2 : 3) + 3; });
}

int32_t unrolled(int32_t x) {
  uint32_t sum = 0;
  for (int i = 0; i < 13; ++i) sum = sum * 3 + static_cast<uint32_t>(x >> i);
  return static_cast<int32_t>(sum ^ 0 ^ 2 ^ 8 ^ 24 ^ 64);
}

constexpr size_t group_size = 32;

void barriers(Bench& bench) {
  const auto in = bench.numbers<int32_t>(128);
  const auto out = bench.zeros<int32_t>(128);
  bench.run({128}, {group_size}, out, in, Local{group_size * 4});
  std::vector<int32_t> values(in.data(), in.data() + 128);
  for (size_t round = 0; round < 5; ++round) {
    const std::vector<int32_t> before = values;
    for (size_t i = 0; i < 128; ++i)
      for (size_t k = 1; k < 3; ++k) {
        const size_t other = i / group_size * group_size + (i + k * (round + 1)) % group_size;
        values[i] = values[i] / 2 + before[other] / 4;
        if (values[i] > 1000000) values[i] -= 777;
      }
  }
  bench.expect(out, [&](size_t i) { return values[i]; });
}

void uniform_branch(Bench& bench) {
  const auto in = bench.numbers<int32_t>(128);
  const auto out = bench.zeros<int32_t>(128);
  bench.run({128}, {group_size}, out, in);
  bench.expect(out, [&](size_t i) { return i / 32 % 2 == 0 ? in[i / 32 * 32 + 31 - i % 32] : -1; });
}

/// The largest number moves one place in each round, so that the rounds are one more than the longest way.
void agreement(Bench& bench) {
  const auto in = bench.numbers<int32_t>(128);
  const auto out = bench.zeros<int32_t>(128);
  bench.run({128}, {group_size}, out, in);
  std::vector<int32_t> expected;
  for (size_t first = 0; first < 128; first += group_size) {
    std::vector<int32_t> values(in.data() + first, in.data() + first + group_size);
    int32_t rounds = 0;
    for (bool changed = true; changed; ++rounds) {
      const std::vector<int32_t> before = values;
      for (size_t i = 1; i < group_size; ++i) values[i] = std::max(before[i], before[i - 1]);
      changed = values != before;
    }
    for (const int32_t value : values) expected.push_back(value / 2 + rounds);
  }
  bench.expect(out, [&](size_t i) { return expected[i]; });
}

void divergent(Bench& bench) {
  const auto in = bench.numbers<uint32_t>(150);
  const auto out = bench.zeros<uint32_t>(150);
  bench.run({150}, {32}, out, in);
  bench.expect(out, [&](size_t at) {
    uint32_t h = 2166136261U;
    for (uint32_t i = 0; i < at % 16; ++i) {
      uint32_t k = 0;
      while (k++ < in[at] % 4) {
        h = (h ^ (in[at] + i)) * 16777619U;
        if (h % 11 == 3) break;
      }
    }
    return h;
  });
}

void mandelbrot(Bench& bench) {
  const auto out = bench.zeros<int32_t>(48 * 32);
  bench.run({48, 32}, {16, 4}, out, 0.0625F);
  bench.expect(out, [](size_t at) {
    const float cx = -2 + 0.0625F * static_cast<float>(at % 48),
                cy = -1 + 0.0625F * static_cast<float>(at / 48);
    float x = 0, y = 0;
    int32_t i = 0;
    for (; i < 50 && x * x + y * y <= 4; ++i) {
      const float next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return i;
  });
}

std::vector<Case> branches() {
  return {
      {"dense_switch", map(dense)},
      {"sparse_switch", map(sparse)},
      {"switch_in_loop", map(automaton)},
      {"duff", map(duff)},
      {"goto_backwards", map(squares)},
      {"goto_into_join", map(joined_branches)},
      {"early_returns", map(early)},
      {"short_circuit", map(short_circuit)},
      {"variadic_macros", map(+[](int32_t x) { return 1 + 2 + x / 4 + 4 - 5; })},
      {"calls_of_calls", calls},
  };
}

std::vector<Case> loops() {
  return {
      {"collatz", map(collatz)},
      {"greatest_divisor", map(+[](uint32_t a, uint32_t b) { return std::gcd(a, b); })},
      {"nested_breaks", map(nested)},
      {"loop_carried", map(fibonacci)},
      {"unrolled", map(unrolled)},
      {"barriers_in_loop", barriers},
      {"barrier_in_uniform_branch", uniform_branch},
      {"loop_until_all_agree", agreement},
      {"divergent_loops", divergent},
      {"mandelbrot", mandelbrot},
  };
}

}  // namespace

Module control() { return {"control", joined({branches(), loops()})}; }

}  // namespace heddle::corpus
