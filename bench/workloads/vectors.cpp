// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads with one work-item for each element of vectors.
#include <cmath>
#include <limits>

#include "data.h"
#include "entries.h"

namespace bench {

Workload vector_add(Size size) {
  const uint32_t n = by_size(size, 1000u, 4u << 20, 64u << 20);
  Workload w("vector_add", by_size(size, "1000 f32", "4 Mi f32", "64 Mi f32"));
  const auto a = random_reals<float>(n, -1, 1, 1), b = random_reals<float>(n, -1, 1, 2);
  const auto expected = [=] {
    std::vector<float> sum(n);
    for (uint32_t i = 0; i < n; ++i) sum[i] = a[i] + b[i];
    return sum;
  };
  const auto out = w.result(std::vector<float>(n), expected);
  return w.is_example().launch("vector_add", Grid::cover(n, 256), {out, w.input(a), w.input(b), n});
}

Workload triad(Size size) {
  const uint32_t n = by_size(size, 1000u, 4u << 20, 64u << 20);
  const float factor = 0.75f;
  Workload w("triad", by_size(size, "1000 f32", "4 Mi f32", "64 Mi f32"));
  const auto b = random_reals<float>(n, -1, 1, 1), c = random_reals<float>(n, -1, 1, 2);
  const auto expected = [=] {
    std::vector<float> sum(n);
    for (uint32_t i = 0; i < n; ++i) sum[i] = std::fma(factor, c[i], b[i]);
    return sum;
  };
  const auto out = w.result(std::vector<float>(n), expected);
  return w.launch("triad", Grid::cover(n, 256), {out, w.input(b), w.input(c), factor, n});
}

Workload saxpy(Size size) {
  const uint32_t n = size == Size::measured ? 4u << 20 : 1000;
  const float a = 0.75f;
  Workload w("saxpy", "4 Mi f32");
  const auto x = random_reals<float>(n, -1, 1, 1), y = random_reals<float>(n, -1, 1, 2);
  const auto expected = [=] {
    std::vector<float> sum(n);
    for (uint32_t i = 0; i < n; ++i) sum[i] = std::fma(a, x[i], y[i]);
    return sum;
  };
  const auto out = w.result(y, expected);
  return w.launch("saxpy", Grid::cover(n, 256), {out, w.input(x), a, n});
}

Workload black_scholes(Size size) {
  const uint32_t n = size == Size::measured ? 256u << 10 : 500;
  const float rate = 0.02f, volatility = 0.3f;
  Workload w("black_scholes", "256 Ki options");
  const auto spot = random_reals<float>(n, 5, 100, 1), strike = random_reals<float>(n, 5, 100, 2),
             years = random_reals<float>(n, 0.25f, 10, 3);
  const auto prices = [=](bool of_calls) {
    std::vector<float> values(n);
    const auto below = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
    for (uint32_t i = 0; i < n; ++i) {
      const double s = spot[i], k = strike[i], t = years[i], r = rate, v = volatility;
      const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t)),
                   d2 = d1 - v * std::sqrt(t);
      const double present = k * std::exp(-r * t), call = s * below(d1) - present * below(d2);
      values[i] = static_cast<float>(of_calls ? call : call - s + present);
    }
    return values;
  };
  // The kernel's formula for the normal distribution is wrong by up to 7.5e-8, and prices are up to 100.
  const Tolerance tolerance{1e-5, 1e-4};
  const auto call = w.result(std::vector<float>(n), [=] { return prices(true); }, tolerance);
  const auto put = w.result(std::vector<float>(n), [=] { return prices(false); }, tolerance);
  return w.launch("black_scholes", Grid::cover(n, 256),
                  {call, put, w.input(spot), w.input(strike), w.input(years), rate, volatility, n});
}

Workload kmeans(Size size) {
  const uint32_t n = size == Size::measured ? 256u << 10 : 500, k = 16;
  Workload w("kmeans", "256 Ki points, 16 centres");
  const auto points = random_reals<float>(4 * size_t{n}, -1, 1, 1),
             centres = random_reals<float>(4 * k, -1, 1, 2);
  const auto expected = [=] {
    std::vector<uint32_t> labels(n);
    for (uint32_t i = 0; i < n; ++i) {
      float least = std::numeric_limits<float>::infinity();
      for (uint32_t c = 0; c < k; ++c) {
        float square = 0;
        for (uint32_t f = 0; f < 4; ++f) {
          const float distance = points[f * n + i] - centres[c * 4 + f];
          square = f == 0 ? distance * distance : std::fma(distance, distance, square);
        }
        if (square < least) least = square, labels[i] = c;
      }
    }
    return labels;
  };
  const auto labels = w.result(std::vector<uint32_t>(n), expected);
  return w.launch("kmeans_assign", Grid::cover(n, 256), {labels, w.input(points), w.input(centres), n, k});
}

}  // namespace bench
