// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads with matrices in row-major order.
#include <cmath>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

template <typename T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, uint32_t n) {
  std::vector<T> c(a.size());
  for (uint32_t row = 0; row < n; ++row) {
    for (uint32_t k = 0; k < n; ++k) {
      for (uint32_t column = 0; column < n; ++column)
        c[row * n + column] = std::fma(a[row * n + k], b[k * n + column], c[row * n + column]);
    }
  }
  return c;
}

template <typename T>
Workload square_product(Workload w, const char* kernel, uint32_t n, uint16_t group_x, uint16_t group_y) {
  const auto a = random_reals<T>(size_t{n} * n, -1, 1, 1), b = random_reals<T>(size_t{n} * n, -1, 1, 2);
  // All kernels add the products in the order of k, each with one rounding.
  const auto c = w.result(std::vector<T>(a.size()), [=] { return product(a, b, n); });
  return w.launch(kernel, Grid::cover(n, n, group_x, group_y), {c, w.input(a), w.input(b), n});
}

}  // namespace

Workload sgemm_naive(Size size) {
  return square_product<float>({"sgemm_naive", by_size(size, "30^3 f32", "256^3 f32", "2048^3 f32")},
                               "sgemm_naive", by_size(size, 30u, 256u, 2048u), 32, 8);
}

Workload matmul(Size size) {
  Workload w("matmul", by_size(size, "32^3 f32, tiles of 16 x 16", "256^3 f32, tiles of 16 x 16",
                               "2048^3 f32, tiles of 16 x 16"));
  return square_product<float>(w.is_example(), "matmul", by_size(size, 32u, 256u, 2048u), 16, 16);
}

Workload dgemm(Size size) {
  return square_product<double>({"dgemm", "256^3 f64"}, "dgemm", size == Size::measured ? 256 : 30, 32, 8);
}

Workload transpose(Size size) {
  const uint32_t n = by_size(size, 32u, 1024u, 8192u);
  Workload w("transpose", by_size(size, "32^2 f32", "1024^2 f32", "8192^2 f32"));
  const auto in = random_reals<float>(size_t{n} * n, -1, 1, 1);
  const auto expected = [=] {
    std::vector<float> out(in.size());
    for (uint32_t y = 0; y < n; ++y)
      for (uint32_t x = 0; x < n; ++x) out[x * n + y] = in[y * n + x];
    return out;
  };
  const auto out = w.result(std::vector<float>(in.size()), expected);
  return w.launch("transpose", Grid::cover(n, n, 16, 16), {out, w.input(in), n});
}

Workload spmv(Size size) {
  const uint32_t rows = by_size(size, 500u, 128u << 10, 4u << 20);
  Workload w("spmv", by_size(size, "500 rows of 0 to 31 entries", "128 Ki rows of 0 to 31 entries",
                             "4 Mi rows of 0 to 31 entries"));
  // The entries of a row are near the diagonal, in any order, as in the matrix of an unstructured grid.
  const auto lengths = random_integers<uint32_t>(rows, 32, 1);
  std::vector<uint32_t> begin(rows + 1);
  for (uint32_t row = 0; row < rows; ++row) begin[row + 1] = begin[row] + lengths[row];
  auto columns = random_integers<uint32_t>(begin[rows], 4096, 2);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t i = begin[row]; i < begin[row + 1]; ++i) columns[i] = (row + columns[i]) % rows;
  const auto values = random_reals<float>(begin[rows], -1, 1, 3), x = random_reals<float>(rows, -1, 1, 4);
  const auto expected = [=] {
    std::vector<float> y(rows);
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t i = begin[row]; i < begin[row + 1]; ++i)
        y[row] = std::fma(values[i], x[columns[i]], y[row]);
    return y;
  };
  // ispc adds the products of a row in another order; a sum is at most 31.
  const auto y = w.result(std::vector<float>(rows), expected, {1e-5, 1e-5});
  return w.launch("spmv", Grid::cover(rows, 256),
                  {y, w.input(begin), w.input(columns), w.input(values), w.input(x), rows});
}

}  // namespace bench
