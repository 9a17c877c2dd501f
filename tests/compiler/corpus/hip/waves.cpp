// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 128, wave = 32;

/// Runs a kernel (R* out, const A* in) in work-groups of one wave, and compares lane i of a wave with
/// expected(wave's numbers, i).
template <typename R, typename A, typename F>
std::function<void(Bench&)> of_waves(const F& expected) {
  return [expected](Bench& bench) {
    const auto in = bench.numbers<A>(items);
    const auto out = bench.zeros<R>(items);
    bench.run({items}, {wave}, out, in);
    bench.expect(out, [&](size_t i) { return static_cast<R>(expected(&in[i / wave * wave], i % wave)); });
  };
}

using Numbers32 = const int32_t*;

int64_t sum_of(Numbers32 x, size_t count) {
  return std::accumulate(x, x + count, int64_t{0},
                         [](int64_t sum, int32_t value) { return sum + value / 64; });
}

uint32_t ballot(Numbers32 x, bool odd_only) {
  uint32_t mask = 0;
  for (size_t i = 0; i < wave; ++i)
    if (x[i] > 0 && (!odd_only || x[i] % 2 != 0)) mask |= 1U << i;
  return mask;
}

void lanes(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(items);
  bench.run({items}, {64}, out);
  bench.expect(out, [](size_t i) { return static_cast<uint32_t>(i % wave); });
}

void compaction(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items), out = bench.zeros<int32_t>(items);
  const auto counts = bench.zeros<uint32_t>(items / wave);
  bench.run({items}, {wave}, out, counts, in);
  std::vector<int32_t> expected(items);
  std::vector<uint32_t> kept;
  for (size_t first = 0; first < items; first += wave) {
    const auto end =
        std::copy_if(&in[first], &in[first] + wave, &expected[first], [](int32_t x) { return x > 10; });
    kept.push_back(static_cast<uint32_t>(end - &expected[first]));
  }
  bench.expect(out, [&](size_t i) { return expected[i]; });
  bench.expect(counts, [&](size_t i) { return kept[i]; });
}

}  // namespace

Module waves() {
  Module module{
      "waves",
      {
          {"lanes", lanes},
          {"shuffle",
           of_waves<int32_t, int32_t>([](Numbers32 x, size_t i) { return x[(i * 7 + 3) % wave]; })},
          {"shuffle_down_reduction",
           of_waves<int32_t, int32_t>([](Numbers32 x, size_t) { return sum_of(x, wave); })},
          {"shuffle_up_scan",
           of_waves<int32_t, int32_t>([](Numbers32 x, size_t i) { return sum_of(x, i + 1); })},
          {"butterfly_maximum",
           of_waves<int32_t, int32_t>([](Numbers32 x, size_t) { return *std::max_element(x, x + wave); })},
          {"shuffle_double",
           of_waves<double, double>([](const double* x, size_t i) { return x[wave - 1 - i]; })},
          {"ballots", of_waves<uint32_t, int32_t>([](Numbers32 x, size_t) { return ballot(x, false); })},
          {"ballot_in_branch", of_waves<uint32_t, int32_t>([](Numbers32 x, size_t i) {
             return x[i] % 2 != 0 ? ballot(x, true) : 0;
           })},
          {"compaction", compaction},
          {"first_lane", of_waves<int32_t, int32_t>([](Numbers32 x, size_t) { return x[0] / 2; })},
          {"votes", of_waves<int32_t, int32_t>([](Numbers32 x, size_t) {
             const auto yes = std::count_if(x, x + wave, [](int32_t value) { return value > -100000; });
             return (yes == wave ? 1 : 0) + (yes > 0 ? 2 : 0);
           })},
          {"lock_step", of_waves<int32_t, int32_t>([](Numbers32 x, size_t i) { return x[i ^ 5]; })},
          {"bitonic_in_wave", of_waves<int32_t, int32_t>([](Numbers32 x, size_t i) {
             std::vector<int32_t> sorted(x, x + wave);
             std::ranges::sort(sorted);
             return sorted[i];
           })},
      }};
  module.lanes = lanes_of_hip;
  return module;
}

}  // namespace heddle::corpus
