// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 200;
constexpr Size grid{items}, group{40};
constexpr int modes = 25;  // five orders in five scopes

/// Runs the kernel with arrays of start values, and compares what it leaves in them.
template <typename T>
struct Counters {
  std::vector<T> start, expected;
};
template <typename... T>
std::function<void(Bench&)> count(const Counters<T>&... counters) {
  return [=](Bench& bench) {
    const std::tuple<Array<T>...> arrays{
        bench.table<T>(counters.start.size(), [&](size_t i) { return counters.start[i]; })...};
    std::apply([&](const auto&... array) { bench.run(grid, group, array...); }, arrays);
    std::apply(
        [&](const auto&... array) {
          (bench.expect(array, [&](size_t i) { return counters.expected[i]; }), ...);
        },
        arrays);
  };
}

constexpr int last = items - 1, sum = last * static_cast<int>(items) / 2;

/// 0 ^ factor ^ 2 factor ^ ... for all work-items.
int64_t exclusive_or(int64_t factor) {
  int64_t result = 0;
  for (size_t i = 0; i < items; ++i) result ^= static_cast<int64_t>(i) * factor;
  return result;
}

void orders_of_fetch(Bench& bench) {
  const auto numbers = bench.table<int32_t>(items, [](size_t i) { return i; });
  bench.run(grid, group, numbers);
  bench.expect(numbers, [](size_t i) { return static_cast<int32_t>(i) + 3 * modes; });
}

void orders_of_exchange(Bench& bench) {
  const auto numbers = bench.table<int32_t>(items, [](size_t i) { return i; });
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, numbers);
  bench.expect(out, [](size_t i) {
    uint32_t memory = static_cast<uint32_t>(i), result = 0;
    for (int k = 0; k < modes; ++k) {
      const uint32_t old = memory;
      memory = result % 16;
      result = result * 2 + old;
    }
    return static_cast<int32_t>(result);
  });
}

void orders_of_loads_and_stores(Bench& bench) {
  const auto numbers = bench.table<int64_t>(items, [](size_t i) { return i << 33; });
  const auto out = bench.zeros<int64_t>(items);
  bench.run(grid, group, out, numbers);
  const auto expected = [](size_t i) {
    return static_cast<int64_t>(i << 33) * 15;
  };  // three orders in five scopes
  bench.expect(out, expected);
  bench.expect(numbers, expected);
}

void orders_of_exchange_if_equal(Bench& bench) {
  const auto numbers = bench.table<uint32_t>(items, [](size_t i) { return i; });
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, numbers);
  bench.expect(out, [](size_t) { return modes; });
  bench.expect(numbers, [](size_t i) { return static_cast<uint32_t>(i) + modes; });
}

void orders_of_local(Bench& bench) {
  const auto out = bench.zeros<int32_t>(items);
  bench.run(grid, group, out, Local{40 * 4});
  bench.expect(out, [](size_t i) {
    auto number = static_cast<int32_t>(i);
    for (int k = 0; k < modes; ++k) number = (number | 4) - 1;
    return number;
  });
}

void fetch_local(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(items);
  bench.run(grid, group, out);
  bench.expect(out, [](size_t i) { return static_cast<uint32_t>(39 * 40 / 2 * 1000 + i / 40 * 40 + 39); });
}

void exchanged_values(Bench& bench) {
  const auto taken = bench.zeros<int32_t>(items + 1);
  const auto slot = bench.zeros<int32_t>(1);
  bench.run(grid, group, taken, slot);
  bench.expect(taken, [&](size_t i) { return static_cast<int32_t>(i) == slot[0] ? 0 : 1; });
}

void flags(Bench& bench) {
  const auto flag = bench.table<int32_t>(2, [](size_t i) { return i; });
  const auto winners = bench.zeros<uint32_t>(1), unlocked = bench.zeros<uint32_t>(1);
  bench.run(grid, group, flag, winners, unlocked);
  EXPECT_EQ(winners[0], 1U);
  EXPECT_EQ(unlocked[0], 1U);
  EXPECT_NE(flag[0], 0);
}

/// Each group computes the next number of a sequence from what the group before it has left.
std::function<void(Bench&)> pass_on(int (*next)(int, int)) {
  return [next](Bench& bench) {
    const auto data = bench.table<int32_t>(1, [](size_t) { return 1; });
    const auto turn = bench.zeros<int32_t>(1), out = bench.zeros<int32_t>(items / 40);
    bench.run(grid, group, data, turn, out);
    int number = 1;
    bench.expect(out, [&](size_t i) { return number = next(number, static_cast<int>(i)); });
    EXPECT_EQ(turn[0], 5);
  };
}

void generic_atomics(Bench& bench) {
  const auto out = bench.zeros<int32_t>(items), counters = bench.zeros<int32_t>(5);
  bench.run(grid, group, out, counters);
  bench.expect(out, [](size_t) { return 20; });
  bench.expect(counters, [](size_t) { return 20; });
}

std::vector<Case> orders() {
  return {
      {"orders_of_fetch", orders_of_fetch},
      {"orders_of_exchange", orders_of_exchange},
      {"orders_of_loads_and_stores", orders_of_loads_and_stores},
      {"orders_of_exchange_if_equal", orders_of_exchange_if_equal},
      {"orders_of_local", orders_of_local},
      {"pass_on", pass_on([](int number, int group) { return number * 3 + group; })},
      {"pass_on_by_fences", pass_on([](int number, int group) { return number + group + 1; })},
  };
}

std::vector<Case> operations() {
  const auto any = static_cast<int32_t>(exclusive_or(1));
  return {
      {"fetch_int",
       count(Counters<int32_t>{{5, 0, 0, -1, 0, 3, 3},
                               {5 + sum, -2 * static_cast<int>(items), -1, -0x10000, any, last, -last}},
             Counters<int32_t>{{0}, {7}})},
      {"fetch_ulong", count(Counters<uint64_t>{
                          {1, 0, 0, ~uint64_t{0}, 0, 0, ~uint64_t{0}},
                          {1 + (uint64_t{sum} << 32), -uint64_t{sum}, ~uint64_t{0}, ~uint64_t{0xffffffff},
                           static_cast<uint64_t>(exclusive_or(3)), uint64_t{last} << 40, ~uint64_t{last}}})},
      {"fetch_float",
       count(Counters<float>{{1, 3, 3}, {101, last, -last}}, Counters<double>{{1, 5}, {51, -2.0 * last}})},
      {"fetch_local", fetch_local},
      {"old_functions",
       count(Counters<int32_t>{{0, 0, 0, 0, 0, 0}, {600, -200, 200, -200, -last, last}},
             Counters<uint32_t>{{0xffff, 0, 0, 1}, {0xff00, 255, static_cast<uint32_t>(any), 99}})},
      {"old_functions_long",
       count(Counters<int64_t>{{1, 2, 3, 0}, {1 + sum, 202, int64_t{last} << 33, exclusive_or(5)}})},
      {"old_exchange_if_equal", count(Counters<int32_t>{{10}, {10 + sum}})},
      {"weak_exchange_loop", count(Counters<int32_t>{{0}, {static_cast<int32_t>(exclusive_or(7))}})},
      {"exchanged_values", exchanged_values},
      {"flags", flags},
      {"generic_atomics", generic_atomics},
  };
}

}  // namespace

Module atomics() { return {"atomics", joined({orders(), operations()})}; }

}  // namespace heddle::corpus
