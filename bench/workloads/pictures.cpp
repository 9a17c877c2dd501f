// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workloads with one work-item for each pixel of a picture.
#include <algorithm>
#include <cmath>

#include "data.h"
#include "entries.h"

namespace bench {
namespace {

/// Returns channel c of the pixel at (x, y) of a picture, the nearest one for a place outside.
int channel(const std::vector<uint32_t>& picture, int width, int height, int x, int y, int c) {
  x = std::clamp(x, 0, width - 1);
  y = std::clamp(y, 0, height - 1);
  return static_cast<int>(picture[static_cast<size_t>(y * width + x)] >> (8 * c) & 255);
}

std::vector<uint32_t> blurred(const std::vector<uint32_t>& in, const std::vector<float>& weights, int width,
                              int height) {
  const int radius = static_cast<int>(weights.size()) / 2;
  std::vector<float> between(in.size() * 4);
  std::vector<uint32_t> out(in.size());
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * 4; ++i) {
      float& sum = between[static_cast<size_t>(y * width * 4 + i)];
      for (int k = -radius; k <= radius; ++k)
        sum = std::fma(static_cast<float>(channel(in, width, height, i / 4 + k, y, i % 4)),
                       weights[static_cast<size_t>(radius + k)], sum);
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * 4; ++i) {
      float sum = 0;
      for (int k = -radius; k <= radius; ++k)
        sum = std::fma(between[static_cast<size_t>(std::clamp(y + k, 0, height - 1) * width * 4 + i)],
                       weights[static_cast<size_t>(radius + k)], sum);
      const auto byte = static_cast<uint32_t>(std::nearbyint(std::clamp(sum, 0.0f, 255.0f)));
      out[static_cast<size_t>(y * width + i / 4)] |= byte << (8 * (i % 4));
    }
  }
  return out;
}

std::vector<uint8_t> edges(const std::vector<uint32_t>& in, int width, int height) {
  std::vector<uint8_t> out(in.size());
  const auto luma = [&](int x, int y) {
    return (channel(in, width, height, x, y, 0) * 77 + channel(in, width, height, x, y, 1) * 150 +
            channel(in, width, height, x, y, 2) * 29) >>
           8;
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int gradient_x = 0, gradient_y = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          gradient_x += dx * (2 - std::abs(dy)) * luma(x + dx, y + dy);
          gradient_y += dy * (2 - std::abs(dx)) * luma(x + dx, y + dy);
        }
      }
      const float length = std::sqrt(static_cast<float>(gradient_x * gradient_x + gradient_y * gradient_y));
      out[static_cast<size_t>(y * width + x)] =
          static_cast<uint8_t>(std::nearbyint(std::min(length, 255.0f)));
    }
  }
  return out;
}

uint32_t escape_time(float c_re, float c_im, uint32_t limit) {
  float re = 0, im = 0;
  uint32_t steps = 0;
  for (; steps < limit; ++steps) {
    const float re2 = re * re, im2 = im * im;
    if (re2 + im2 > 4) break;
    im = std::fma(re + re, im, c_im);
    re = re2 - im2 + c_re;
  }
  return steps;
}

/// What a ray from (eye, eye, eye) in the direction (direction[0], direction[1], 1) meets: the value of the
/// voxel + 256 * number of steps.
uint32_t met(const std::vector<uint8_t>& voxels, uint32_t size, float eye, const float (&direction)[2]) {
  const auto start = static_cast<uint32_t>(eye);
  const float before = eye - static_cast<float>(start), behind = 1 - before;
  uint32_t place[3] = {start, start, start};  // -1 is larger than any size
  float apart[3] = {1 / std::abs(direction[0]), 1 / std::abs(direction[1]), 1};
  float next[3] = {(direction[0] < 0 ? before : behind) * apart[0],
                   (direction[1] < 0 ? before : behind) * apart[1], behind};
  for (uint32_t steps = 1;; ++steps) {
    const int axis = next[0] <= std::min(next[1], next[2]) ? 0 : next[1] <= next[2] ? 1 : 2;
    place[axis] += axis < 2 && direction[axis] < 0 ? ~0u : 1u;
    next[axis] += apart[axis];
    if (place[axis] >= size) return steps * 256;
    const uint8_t value = voxels[(size_t{place[2]} * size + place[1]) * size + place[0]];
    if (value != 0) return steps * 256 + value;
  }
}

}  // namespace

Workload mandelbrot(Size size) {
  const uint32_t width = by_size(size, 60u, 512u, 4096u), height = by_size(size, 45u, 384u, 3072u);
  const float left = -2.3f, top = -1.2f, step = 3.2f / static_cast<float>(width);
  const uint32_t limit = by_size(size, 50u, 256u, 1000u);
  Workload w("mandelbrot", by_size(size, "60 x 45, at most 50 steps", "512 x 384, at most 256 steps",
                                   "4096 x 3072, at most 1000 steps"));
  const auto expected = [=] {
    std::vector<uint32_t> out(size_t{width} * height);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = escape_time(std::fma(static_cast<float>(i % width), step, left),
                           std::fma(static_cast<float>(i / width), step, top), limit);
    return out;
  };
  const auto out = w.result(std::vector<uint32_t>(size_t{width} * height), expected);
  return w.is_example().launch("mandelbrot", Grid::cover(width, height, 32, 8),
                               {out, width, height, left, top, step, limit});
}

Workload gaussian_blur(Size size) {
  const int32_t width = size == Size::measured ? 512 : 48, height = size == Size::measured ? 384 : 15,
                radius = 8;
  const auto pixels = static_cast<size_t>(width * height);
  Workload w("gaussian_blur", "512 x 384 RGBA, radius 8");
  const auto in = random_integers<uint32_t>(pixels, 0, 1);
  std::vector<float> weights(2 * radius + 1);
  for (int k = -radius; k <= radius; ++k)
    weights[static_cast<size_t>(radius + k)] = static_cast<float>(std::exp(-k * k / 32.0) / 9.9);
  const auto out =
      w.result(std::vector<uint32_t>(pixels), [=] { return blurred(in, weights, width, height); });
  const auto between = w.between<float>(pixels * 4), source = w.input(in), factors = w.input(weights);
  const Grid grid = Grid::cover(static_cast<uint32_t>(width), static_cast<uint32_t>(height), 64, 4);
  w.is_example().launch("blur_rows", grid, {between, source, factors, radius, width, height});
  return w.launch("blur_columns", grid, {out, between, factors, radius, width, height});
}

Workload sobel(Size size) {
  const int32_t width = size == Size::measured ? 1024 : 50, height = size == Size::measured ? 768 : 20;
  const auto pixels = static_cast<size_t>(width * height);
  Workload w("sobel", "1024 x 768 RGBA");
  const auto in = random_integers<uint32_t>(pixels, 0, 1);
  const auto out = w.result(std::vector<uint8_t>(pixels), [=] { return edges(in, width, height); });
  const Grid grid = Grid::cover(static_cast<uint32_t>(width), static_cast<uint32_t>(height), 64, 4);
  return w.is_example().launch("sobel", grid, {out, w.input(in), width, height});
}

Workload raycast(Size size) {
  const uint32_t width = size == Size::measured ? 256 : 50, height = size == Size::measured ? 192 : 20;
  const uint32_t voxel_size = size == Size::measured ? 128 : 32;
  // Half a pixel beside the middle, so that no direction is exactly 0.
  const float pitch = 3.0f / static_cast<float>(width), left = -1.5f + pitch / 2, top = -1.125f + pitch / 2;
  const float eye = static_cast<float>(voxel_size) / 4 + 0.375f;
  Workload w("raycast", "256 x 192 rays, 128^3 voxels");
  auto voxels = random_integers<uint8_t>(size_t{voxel_size} * voxel_size * voxel_size, 0, 1);
  const auto rare = random_integers<uint32_t>(voxels.size(), 64, 2);
  for (size_t i = 0; i < voxels.size(); ++i)
    if (rare[i] != 0) voxels[i] = 0;
  const auto expected = [=] {
    std::vector<uint32_t> out(size_t{width} * height);
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = met(voxels, voxel_size, eye,
                   {std::fma(static_cast<float>(i % width), pitch, left),
                    std::fma(static_cast<float>(i / width), pitch, top)});
    return out;
  };
  const auto out = w.result(std::vector<uint32_t>(size_t{width} * height), expected);
  return w.launch("raycast", Grid::cover(width, height, 32, 8),
                  {out, w.input(voxels), voxel_size, width, height, eye, left, top, pitch});
}

}  // namespace bench
