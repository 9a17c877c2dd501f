// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blurs a photograph with a separable filter, in two dispatches. The second one needs the result of the
// first.
#include <array>
#include <chrono>

#include "common/example.h"
#include "common/picture.h"

namespace examples {
namespace {

using Pixel = std::array<float, 4>;

std::vector<float> gaussian_weights(int radius) {
  std::vector<float> weights;
  double sigma = radius / 2.5, sum = 0;
  for (int k = -radius; k <= radius; ++k) sum += std::exp(-k * k / (2 * sigma * sigma));
  for (int k = -radius; k <= radius; ++k) {
    weights.push_back(static_cast<float>(std::exp(-k * k / (2 * sigma * sigma)) / sum));
  }
  return weights;
}

EXAMPLES_HOST_CLONES
void blur_rows(const Picture& in, const std::vector<float>& weights, std::vector<Pixel>& out) {
  const int radius = static_cast<int>(weights.size() / 2), width = in.width, height = in.height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Pixel sum{};
      for (int k = -radius; k <= radius; ++k) {
        uint32_t pixel = in.pixels[size_t(y) * width + std::clamp(x + k, 0, width - 1)];
        for (int c = 0; c < 4; ++c) {
          sum[c] = std::fma(static_cast<float>(pixel >> (8 * c) & 255), weights[radius + k], sum[c]);
        }
      }
      out[size_t(y) * width + x] = sum;
    }
  }
}

EXAMPLES_HOST_CLONES
void blur_columns(const std::vector<Pixel>& in, int width, int height, const std::vector<float>& weights,
                  std::vector<uint32_t>& out) {
  const int radius = static_cast<int>(weights.size() / 2);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Pixel sum{};
      for (int k = -radius; k <= radius; ++k) {
        const Pixel& pixel = in[size_t(std::clamp(y + k, 0, height - 1)) * width + x];
        for (int c = 0; c < 4; ++c) sum[c] = std::fma(pixel[c], weights[radius + k], sum[c]);
      }
      uint32_t packed = 0;
      for (int c = 0; c < 4; ++c) {
        packed |= static_cast<uint32_t>(std::clamp(std::nearbyint(sum[c]), 0.0f, 255.0f)) << (8 * c);
      }
      out[size_t(y) * width + x] = packed;
    }
  }
}

}  // namespace

Outcome gaussian_blur(const Context& context) {
  Picture photo = read_png(context.data + "/coffee.png");
  if (context.small) photo = thin_out(photo, 6);
  const int width = photo.width, height = photo.height, radius = static_cast<int>(context.size(8, 2));
  const size_t pixels = photo.pixels.size();
  const std::vector<float> weights = gaussian_weights(radius);
  Outcome outcome;
  outcome.problem =
      std::to_string(width) + "x" + std::to_string(height) + ", radius " + std::to_string(radius);

  Executable executable(context.agent, context.module("gaussian_blur"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel rows = executable.kernel("&blur_rows"), columns = executable.kernel("&blur_columns");

  Buffer<uint32_t> in(context.agent, pixels), out(context.agent, pixels);
  Buffer<Pixel> between(context.agent, pixels);
  Buffer<float> taps(context.agent, weights.size());
  std::copy(photo.pixels.begin(), photo.pixels.end(), in.begin());
  std::copy(weights.begin(), weights.end(), taps.begin());
  Arguments of_rows(context.agent, rows, between.data(), in.data(), taps.data(), radius, width, height);
  Arguments of_columns(context.agent, columns, out.data(), between.data(), taps.data(), radius, width,
                       height);
  Queue queue(context.agent);
  Grid grid = Grid::cover(width, height, 64, 1);
  outcome.kernel_ms = median_of(context.repeats, [&] {
    auto start = std::chrono::steady_clock::now();
    queue.enqueue(rows, grid, of_rows);
    queue.enqueue(columns, grid, of_columns);
    queue.finish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  });
  outcome.work = 2.0 * pixels * 4 * weights.size() * 2;  // passes x pixels x channels x taps x (mul and add)
  outcome.unit = "GFLOP/s";

  std::vector<Pixel> expected_between(pixels);
  std::vector<uint32_t> expected(pixels);
  blur_rows(photo, weights, expected_between);
  blur_columns(expected_between, width, height, weights, expected);
  outcome.mistake = compare(out, expected);
  if (!context.out.empty()) write_png(context.picture("gaussian_blur"), width, height, out.data());
  return outcome;
}

}  // namespace examples
