// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads that compute one time step of something.
#include <cmath>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

/// Returns the new positions, or the new velocities, of all bodies. In double precision, because the
/// tolerance of the workload is for the single precision of the kernel.
std::vector<float> moved(const std::vector<float>& positions, const std::vector<float>& velocities,
                         double time_step, double softening, bool want_positions) {
  std::vector<float> out(positions.size());
  for (size_t i = 0; i < positions.size(); i += 4) {
    double pull[3] = {};
    for (size_t j = 0; j < positions.size(); j += 4) {
      double d[3], square = softening;
      for (size_t c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(positions[j + c]) - static_cast<double>(positions[i + c]);
        square += d[c] * d[c];
      }
      for (size_t c = 0; c < 3; ++c)
        pull[c] += d[c] * static_cast<double>(positions[j + 3]) / (square * std::sqrt(square));
    }
    for (size_t c = 0; c < 3; ++c) {
      const double velocity = static_cast<double>(velocities[i + c]) + pull[c] * time_step;
      out[i + c] = static_cast<float>(
          want_positions ? static_cast<double>(positions[i + c]) + velocity * time_step : velocity);
    }
    out[i + 3] = want_positions ? positions[i + 3] : velocities[i + 3];
  }
  return out;
}

}  // namespace

Workload nbody(Size size) {
  const uint32_t n = by_size(size, 96u, 2048u, 64u << 10);
  const float time_step = 0.01f, softening = 0.01f;
  Workload w("nbody", by_size(size, "96 bodies", "2048 bodies", "64 Ki bodies"));
  auto positions = random_reals<float>(4 * size_t{n}, -1, 1, 1);
  for (size_t i = 3; i < positions.size(); i += 4) positions[i] += 1.5f;  // the mass
  const auto velocities = random_reals<float>(4 * size_t{n}, -0.1f, 0.1f, 2);
  const auto expected = [=](bool want_positions) {
    return moved(positions, velocities, static_cast<double>(time_step), static_cast<double>(softening),
                 want_positions);
  };
  const Tolerance tolerance{1e-4, 1e-2};  // velocities are up to 100
  const auto new_positions =
      w.result(std::vector<float>(4 * size_t{n}), [=] { return expected(true); }, tolerance);
  const auto new_velocities =
      w.result(std::vector<float>(4 * size_t{n}), [=] { return expected(false); }, tolerance);
  return w.is_example().launch(
      "nbody_step", Grid::cover(n, 64),
      {new_positions, new_velocities, w.input(positions), w.input(velocities), n, time_step, softening});
}

Workload stencil_2d(Size size) {
  const uint32_t width = size == Size::measured ? 1024 : 50, height = size == Size::measured ? 1024 : 20;
  const float rate = 0.2f;
  Workload w("stencil_2d", "1024^2 f32, 5 points");
  const auto in = random_reals<float>(size_t{width} * height, -1, 1, 1);
  const auto expected = [=] {
    std::vector<float> out(in.size());
    for (uint32_t y = 1; y < height - 1; ++y) {
      for (uint32_t x = 1; x < width - 1; ++x) {
        const uint32_t i = y * width + x;
        const float flow = in[i - 1] + in[i + 1] + (in[i - width] + in[i + width]);
        out[i] = std::fma(rate, std::fma(in[i], -4.0f, flow), in[i]);
      }
    }
    return out;
  };
  const auto out = w.result(std::vector<float>(in.size()), expected);
  return w.launch("stencil_2d", Grid::cover(width - 2, height - 2, 64, 4),
                  {out, w.input(in), width, height, rate});
}

Workload stencil_3d(Size size) {
  const uint32_t n = by_size(size, 20u, 128u, 512u), width = n, height = n, depth = n;
  const float own = 0.4f, other = 0.1f;
  Workload w("stencil_3d", by_size(size, "20^3 f32, 7 points", "128^3 f32, 7 points", "512^3 f32, 7 points"));
  const auto in = random_reals<float>(size_t{width} * height * depth, -1, 1, 1);
  const auto expected = [=] {
    std::vector<float> out(in.size());
    const uint32_t layer = width * height;
    for (uint32_t z = 1; z < depth - 1; ++z) {
      for (uint32_t y = 1; y < height - 1; ++y) {
        for (uint32_t x = 1; x < width - 1; ++x) {
          const uint32_t i = (z * height + y) * width + x;
          const float sum =
              in[i - 1] + in[i + 1] + (in[i - width] + in[i + width]) + (in[i - layer] + in[i + layer]);
          out[i] = std::fma(in[i], own, sum * other);
        }
      }
    }
    return out;
  };
  // ispc fuses the multiplication by `own` or that by `other`.
  const auto out = w.result(std::vector<float>(in.size()), expected, {1e-6, 1e-6});
  return w.launch("stencil_3d", Grid::cover(width - 2, height - 2, depth - 2, 32, 4, 2),
                  {out, w.input(in), width, height, depth, own, other});
}

Workload life(Size size) {
  const uint32_t width = size == Size::measured ? 2048 : 50, height = size == Size::measured ? 1024 : 20;
  const uint32_t pitch = width + 2;
  Workload w("life", "2048 x 1024 bytes");
  auto in = random_integers<uint8_t>(size_t{pitch} * (height + 2), 2, 1);
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t x = i % pitch, y = i / pitch;
    if (x == 0 || x == width + 1 || y == 0 || y == height + 1) in[i] = 0;
  }
  const auto expected = [=] {
    std::vector<uint8_t> out(in.size());
    for (size_t y = 1; y <= height; ++y) {
      for (size_t x = 1; x <= width; ++x) {
        int alive = -in[y * pitch + x];
        for (size_t j = y - 1; j <= y + 1; ++j)
          for (size_t i = x - 1; i <= x + 1; ++i) alive += in[j * pitch + i];
        out[y * pitch + x] = alive == 3 || (alive == 2 && in[y * pitch + x] == 1);
      }
    }
    return out;
  };
  const auto out = w.result(std::vector<uint8_t>(in.size()), expected);
  return w.launch("life", Grid::cover(width, height, 64, 4), {out, w.input(in), width, height});
}

}  // namespace bench
