// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edges of a photograph.
#include "common/example.h"
#include "common/picture.h"

namespace examples {
namespace {

int brightness(const Picture& picture, int x, int y) {
  x = std::clamp(x, 0, static_cast<int>(picture.width) - 1);
  y = std::clamp(y, 0, static_cast<int>(picture.height) - 1);
  uint32_t pixel = picture.pixels[size_t(y) * picture.width + x];
  return static_cast<int>(((pixel & 255) * 77 + (pixel >> 8 & 255) * 150 + (pixel >> 16 & 255) * 29) >> 8);
}

uint8_t edge(const Picture& picture, int x, int y) {
  int gradient_x = 0, gradient_y = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int luma = brightness(picture, x + dx, y + dy);
      gradient_x += dx * (2 - std::abs(dy)) * luma;
      gradient_y += dy * (2 - std::abs(dx)) * luma;
    }
  }
  float length = std::sqrt(static_cast<float>(gradient_x * gradient_x + gradient_y * gradient_y));
  return static_cast<uint8_t>(std::min(std::nearbyint(length), 255.0f));
}

}  // namespace

Outcome sobel(const Context& context) {
  Picture photo = read_png(context.data + "/coffee.png");
  if (context.small) photo = thin_out(photo, 6);
  const int width = photo.width, height = photo.height;
  const size_t pixels = photo.pixels.size();
  Outcome outcome;
  outcome.problem = std::to_string(width) + "x" + std::to_string(height);

  Executable executable(context.agent, context.module("sobel"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&sobel");

  Buffer<uint32_t> in(context.agent, pixels);
  Buffer<uint8_t> out(context.agent, pixels);
  std::copy(photo.pixels.begin(), photo.pixels.end(), in.begin());
  std::fill(out.begin(), out.end(), 7);
  Arguments arguments(context.agent, kernel, out.data(), in.data(), width, height);
  Queue queue(context.agent);
  Grid grid = Grid::cover(width, height, 64, 1);
  outcome.kernel_ms = median_of(context.repeats, [&] { return queue.run(kernel, grid, arguments); });
  outcome.work = 5.0 * pixels;  // each pixel is read (4 bytes) and written (1 byte) once
  outcome.unit = "GB/s";

  std::vector<uint8_t> expected(pixels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) expected[size_t(y) * width + x] = edge(photo, x, y);
  }
  outcome.mistake = compare(out, expected);
  if (!context.out.empty()) write_png_gray(context.picture("sobel"), width, height, out.data());
  return outcome;
}

}  // namespace examples
