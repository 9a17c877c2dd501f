// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "../modules.h"

namespace heddle::corpus {
namespace {

constexpr size_t items = 128;

/// Calls function with each work-group of a grid of one dimension: the first work-item and the number of
/// them.
template <typename F>
void for_groups(size_t count, size_t size, const F& function) {
  for (size_t first = 0; first < count; first += size) function(first, std::min(size, count - first));
}

void ids(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(7 * 6 * 5);
  bench.run({7, 6, 5}, {4, 3, 2}, out);
  bench.expect(out, [](size_t i) {
    const size_t x = i % 7, y = i / 7 % 6, z = i / 42;
    return static_cast<uint32_t>(x % 4 + 10 * (y % 3) + 100 * (z % 2) + 1000 * (x / 4) + 10000 * (y / 3) +
                                 100000 * (z / 2) + 2000000);
  });
}

void linear_ids(Bench& bench) {
  using Pair = Vec<uint32_t, 2>;
  const auto out = bench.zeros<Pair>(10 * 4);
  bench.run({10, 4}, {8, 2}, out);
  bench.expect(out, [](size_t i) {
    const auto x = static_cast<uint32_t>(i % 10), y = static_cast<uint32_t>(i / 10);
    const uint32_t width = x < 8 ? 8 : 2;
    return Pair{x % 8 + y % 2 * width, 800 + width};
  });
}

void dimensions(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(5);
  bench.run({6, 4, 2}, {2, 2, 1}, out);
  bench.expect(out, [](size_t i) { return (const uint32_t[]){3, 4, 1, 0, 2}[i]; });
}

void required_size(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(16 * 8);
  bench.run({16, 8}, {8, 4}, out);
  bench.expect(out, [](size_t) { return 84U; });
}

void hints(Bench& bench) {
  const auto out = bench.zeros<uint32_t>(32);
  bench.run({32}, {16}, out);
  bench.expect(out, [](size_t) { return 16U; });
}

void reduce_tree(Bench& bench) {
  const auto in = bench.table<int32_t>(items, [](size_t i) { return i * i; });
  const auto out = bench.zeros<int32_t>(items / 64);
  bench.run({items}, {64}, out, in, Local{64 * 4});
  bench.expect(out, [&](size_t i) { return std::accumulate(&in[64 * i], &in[64 * i] + 64, 0); });
}

void scan_steps(Bench& bench) {
  const auto in = bench.table<int32_t>(items, [](size_t i) { return static_cast<int>(i * 7 % 40) - 11; });
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {64}, out, in);
  bench.expect(out, [&](size_t i) { return std::accumulate(&in[i / 64 * 64], &in[i] + 1, 0); });
}

void scan_by_tree(Bench& bench) {
  const auto in = bench.numbers<uint32_t>(2 * items);
  const auto out = bench.zeros<uint32_t>(2 * items);
  bench.run({items}, {32}, out, in, Local{64 * 4});
  bench.expect(out, [&](size_t i) { return std::accumulate(&in[i / 64 * 64], &in[i], 0U); });
}

/// Kernels that sort the numbers of each work-group where they are.
template <typename T, typename... L>
void sort_groups(Bench& bench, size_t size, const L&... local) {
  const auto data = bench.table<T>(items, [](size_t i) { return static_cast<int>(i * 37 % 101) - 50; });
  std::vector<T> expected(data.data(), data.data() + items);
  for_groups(items, size, [&](size_t first, size_t n) { std::sort(&expected[first], &expected[first] + n); });
  bench.run({items}, {size}, data, local...);
  bench.expect(data, [&](size_t i) { return expected[i]; });
}

void transpose(Bench& bench) {
  constexpr uint32_t width = 20, height = 13;
  const auto in = bench.table<float>(width * height, [](size_t i) { return i; });
  const auto out = bench.zeros<float>(width * height);
  bench.run({24, 16}, {8, 8}, out, in, width, height);
  bench.expect(out, [&](size_t i) { return in[i % height * width + i / height]; });
}

void matrix_product(Bench& bench) {
  constexpr size_t n = 12;
  const auto a = bench.table<int32_t>(n * n, [](size_t i) { return static_cast<int>(i * 5 % 17) - 8; });
  const auto b = bench.table<int32_t>(n * n, [](size_t i) { return static_cast<int>(i * 3 % 13) - 6; });
  const auto out = bench.zeros<int32_t>(n * n);
  bench.run({n, n}, {4, 4}, out, a, b, int32_t{n});
  bench.expect(out, [&](size_t i) {
    int32_t sum = 0;
    for (size_t k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    return sum;
  });
}

void histogram(Bench& bench) {
  const auto in = bench.numbers<uint8_t>(1000);
  const auto out = bench.zeros<uint32_t>(16);
  bench.run({items}, {64}, out, in, uint32_t{1000});
  bench.expect(out, [&](size_t bin) {
    return static_cast<uint32_t>(
        std::count_if(in.data(), in.data() + 1000, [&](uint8_t x) { return x / 16U == bin; }));
  });
}

void stencil(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, in, uint32_t{items});
  bench.expect(out, [&](size_t i) {
    return (i > 0 ? in[i - 1] : 0) / 4 + in[i] / 2 + (i + 1 < items ? in[i + 1] : 0) / 4;
  });
}

void two_local_arguments(Bench& bench) {
  const auto in = bench.table<float>(items, [](size_t i) { return i; });
  const auto out = bench.zeros<float>(items);
  bench.run({items}, {32}, out, in, Local{32 * 4}, Local{32});
  bench.expect(out, [&](size_t i) {
    const size_t mirrored = 31 - i % 32;
    return in[i / 32 * 32 + mirrored] + static_cast<float>(mirrored);
  });
}

void local_vectors(Bench& bench) {
  using I4 = Vec<int32_t, 4>;
  const auto in = bench.numbers<I4>(items);
  const auto out = bench.zeros<I4>(items);
  bench.run({items}, {32}, out, in, Local{32 * 16});
  bench.expect(out,
               [&](size_t i) { return I4{in[i ^ 1][0], in[i ^ 2][1], in[i ^ 3][2], in[i / 32 * 32][3]}; });
}

void local_struct(Bench& bench) {
  const auto in = bench.numbers<int64_t>(items);
  const auto out = bench.zeros<int64_t>(items);
  bench.run({items}, {32}, out, in);
  bench.expect(out, [&](size_t i) {
    const int64_t* const begin = &in[i / 32 * 32];
    return begin[(i + 5) % 32] ^ std::count_if(begin, begin + 32, [](int64_t x) { return x > 0; });
  });
}

void group_functions(Bench& bench) {
  constexpr size_t count = 100, size = 40;  // with a partial work-group
  const auto in = bench.numbers<int64_t>(count);
  const auto out = bench.zeros<int64_t>(8 * count);
  bench.run({count}, {size}, out, in);
  std::vector<int64_t> expected;
  for_groups(count, size, [&](size_t first, size_t n) {
    std::vector<int64_t> x(n);
    for (size_t i = 0; i < n; ++i) x[i] = in[first + i] / 1024;
    const auto wraps = [](int64_t a, int64_t b) { return static_cast<int64_t>(uint64_t(a) + uint64_t(b)); };
    int64_t before = 0;
    for (size_t i = 0; i < n; ++i) {
      const int64_t sum = wraps(before, x[i]);
      expected.insert(
          expected.end(),
          {std::accumulate(x.begin(), x.end(), int64_t{0}, wraps), *std::max_element(x.begin(), x.end()),
           *std::min_element(x.begin(), x.end()), sum, before, x[3], std::count(x.begin(), x.end(), 1) > 0,
           *std::min_element(x.begin(), x.end()) > -1000000});
      before = sum;
    }
  });
  bench.expect(out, [&](size_t i) { return expected[i]; });
}

void sub_group_sums(Bench& bench) {
  const auto in = bench.table<int32_t>(items, [](size_t i) { return i * 100; });
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, in);
  bench.expect(out, [&](size_t i) {
    const int32_t* const begin = &in[i / 32 * 32];
    return std::accumulate(begin, begin + 32, 0, [](int32_t sum, int32_t x) { return sum + x / 16; });
  });
}

void async_copies(Bench& bench) {
  const auto in = bench.numbers<int32_t>(300);
  const auto out = bench.zeros<int32_t>(300);
  bench.run({96}, {32}, out, in, Local{400});
  bench.expect(out, [&](size_t i) { return in[i] / 2 + 1; });
}

void async_strided(Bench& bench) {
  using F2 = Vec<float, 2>;
  const auto in = bench.table<F2>(61, [](size_t i) { return F2{static_cast<float>(i), 0.5F}; });
  const auto out = bench.zeros<F2>(80);
  bench.run({16}, {16}, out, in, Local{40 * 8});
  bench.expect(out, [&](size_t i) {
    if (i % 2 != 0) return F2{};
    const size_t at = i / 2;
    return in[at < 20 ? 3 * at : 3 * (at - 20) + 1];
  });
}

void prefetches(Bench& bench) {
  const auto in = bench.numbers<int32_t>(items);
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, in);
  bench.expect(out, [&](size_t i) { return in[i]; });
}

void fences(Bench& bench) {
  const auto out = bench.zeros<int32_t>(items);
  bench.run({items}, {32}, out, Local{32 * 4});
  bench.expect(out, [](size_t i) { return static_cast<int32_t>(i / 32 * 32 + 31 - (i + 1) % 32); });
}

std::vector<Case> identities() {
  return {
      {"ids_in_three_dimensions", ids}, {"linear_ids", linear_ids}, {"dimensions", dimensions},
      {"required_size", required_size}, {"hints", hints},
  };
}

std::vector<Case> algorithms() {
  return {
      {"reduce_tree", reduce_tree},
      {"scan_steps", scan_steps},
      {"scan_by_tree", scan_by_tree},
      {"bitonic_sort", [](Bench& bench) { sort_groups<float>(bench, 64, Local{64 * 4}); }},
      {"odd_even_sort", [](Bench& bench) { sort_groups<int16_t>(bench, 32); }},
      {"transpose", transpose},
      {"matrix_product", matrix_product},
      {"histogram", histogram},
      {"stencil", stencil},
      {"two_local_arguments", two_local_arguments},
      {"local_vectors", local_vectors},
      {"local_struct", local_struct},
  };
}

std::vector<Case> collective_functions() {
  return {
      {"group_functions", group_functions}, {"sub_group_sums", sub_group_sums},
      {"async_copies", async_copies},       {"async_strided", async_strided},
      {"prefetches", prefetches},           {"fences", fences},
  };
}

}  // namespace

Module groups() { return {"groups", joined({identities(), algorithms(), collective_functions()})}; }

}  // namespace heddle::corpus
