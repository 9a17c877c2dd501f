// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads whose work-items combine what others have computed.
#include <algorithm>
#include <numeric>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

/// Work-groups that share all elements. Those for GPUs are 8 for each of 132 multiprocessors.
uint32_t groups_of(Size size) { return by_size(size, 2u, 64u, 1056u); }

/// Adds the launches that scan n elements: in blocks of 1024, whose sums are scanned in the same way.
void add_scan(Workload& w, BufferArgument out, BufferArgument in, uint32_t n) {
  const uint32_t blocks = (n + 1023) / 1024;
  const Grid grid = Grid::cover(blocks * 256, 256);
  // The kernels work on multiples of four elements.
  const uint32_t padded = (blocks + 3) / 4 * 4;
  const auto sums = w.between<uint32_t>(padded);
  w.launch("scan_blocks", grid, {out, sums, in, n});
  if (blocks == 1) return;
  const auto scanned = w.between<uint32_t>(padded);
  add_scan(w, scanned, sums, padded);
  w.launch("scan_add", grid, {out, scanned, n});
}

}  // namespace

Workload histogram(Size size) {
  const uint32_t n = by_size(size, 3000u, 4u << 20, 256u << 20), groups = groups_of(size);
  Workload w("histogram",
             by_size(size, "3000 bytes, 256 bins", "4 Mi bytes, 256 bins", "256 Mi bytes, 256 bins"));
  // Products of small numbers occur very differently often.
  auto in = random_integers<uint8_t>(n, 16, 1);
  const auto factors = random_integers<uint8_t>(n, 16, 2);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<uint8_t>(in[i] * factors[i]);
  const auto expected = [=] {
    std::vector<uint32_t> bins(256);
    for (uint8_t byte : in) ++bins[byte];
    return bins;
  };
  const auto bins = w.result(std::vector<uint32_t>(256), expected);
  return w.is_example().launch("histogram", Grid::cover(groups * 256, 256), {bins, w.input(in), n});
}

Workload reduction(Size size) {
  const uint32_t n = by_size(size, 3000u, 4u << 20, 64u << 20), groups = groups_of(size);
  Workload w("reduction", by_size(size, "3000 f32", "4 Mi f32", "64 Mi f32"));
  const auto in = random_reals<float>(n, 0, 1, 1);
  const auto expected = [=] {
    return std::vector<float>{static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0))};
  };
  const auto sum = w.result(std::vector<float>(1), expected, {1e-5, 0});  // the order of additions is free
  const auto partial = w.between<float>(groups);
  w.is_example().launch("reduce_sum", Grid::cover(groups * 256, 256), {partial, w.input(in), n});
  return w.launch("reduce_sum", Grid::cover(256, 256), {sum, partial, groups});
}

Workload scan(Size size) {
  const uint32_t n = by_size(size, 3000u, 1u << 20, 64u << 20);
  Workload w("scan", by_size(size, "3000 u32", "1 Mi u32", "64 Mi u32"));
  const auto in = random_integers<uint32_t>(n, 0, 1);
  const auto expected = [=] {
    std::vector<uint32_t> out(n);
    std::partial_sum(in.begin(), in.end(), out.begin());
    return out;
  };
  const auto out = w.result(std::vector<uint32_t>(n), expected);
  add_scan(w, out, w.input(in), n);
  return w;
}

Workload bitonic_sort(Size size) {
  const uint32_t n = size == Size::measured ? 1u << 19 : 1024;
  Workload w("bitonic_sort", "merging 2 x 256 Ki u32");
  auto keys = random_integers<uint32_t>(n, 0, 1);
  std::sort(keys.begin(), keys.begin() + n / 2);
  std::sort(keys.begin() + n / 2, keys.end(), std::greater<>());
  const auto expected = [=] {
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  const auto buffer = w.result(keys, expected);
  for (uint32_t distance = n / 2; distance >= 1; distance /= 2)
    w.launch("bitonic_step", Grid::cover(n / 2, 256), {buffer, distance, n});
  return w;
}

}  // namespace bench
