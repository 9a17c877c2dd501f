// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Mandelbrot set, to a picture: control flow that differs between neighbours.
#include "common/example.h"
#include "common/picture.h"

namespace examples {
namespace {

struct View {
  uint32_t width, height;
  float left, top, step;
  uint32_t limit;
};

EXAMPLES_HOST_CLONES
void escape_times(const View& view, uint32_t* out) {
  for (uint32_t y = 0; y < view.height; ++y) {
    for (uint32_t x = 0; x < view.width; ++x) {
      float c_re = std::fma(static_cast<float>(x), view.step, view.left);
      float c_im = std::fma(static_cast<float>(y), view.step, view.top);
      float re = 0, im = 0;
      uint32_t steps = 0;
      for (; steps < view.limit; ++steps) {
        float re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4) break;
        im = std::fma(re + re, im, c_im);
        re = re2 - im2 + c_re;
      }
      out[size_t{y} * view.width + x] = steps;
    }
  }
}

/** Returns black inside the set, and a smooth transition from blue over white to gold outside. */
uint32_t colour(uint32_t steps, uint32_t limit) {
  if (steps >= limit) return 0xff000000;
  double t = std::log1p(steps) / std::log1p(limit);
  auto channel = [t](double phase) {
    return static_cast<uint32_t>(255 * (0.5 + 0.5 * std::cos(6.283185307179586 * (1.4 * t + phase))));
  };
  return 0xff000000 | channel(0.45) | channel(0.55) << 8 | channel(0.75) << 16;
}

}  // namespace

Outcome mandelbrot(const Context& context) {
  View view{1024, 768, -2.3f, -1.2f, 3.2f / 1024, 256};
  if (context.small) view = {128, 96, -2.3f, -1.2f, 3.2f / 128, 64};
  Outcome outcome;
  outcome.problem = std::to_string(view.width) + "x" + std::to_string(view.height) + ", limit " +
                    std::to_string(view.limit);

  Executable executable(context.agent, context.module("mandelbrot"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&mandelbrot");

  const size_t pixels = size_t{view.width} * view.height;
  Buffer<uint32_t> steps(context.agent, pixels);
  std::fill(steps.begin(), steps.end(), 0xdeadbeef);
  Arguments arguments(context.agent, kernel, steps.data(), view.width, view.height, view.left, view.top,
                      view.step, view.limit);
  Queue queue(context.agent);
  Grid grid = Grid::cover(view.width, view.height, 16, 16);
  outcome.kernel_ms = median_of(context.repeats, [&] { return queue.run(kernel, grid, arguments); });

  std::vector<uint32_t> expected(pixels);
  escape_times(view, expected.data());
  outcome.mistake = compare(steps, expected);
  double all_steps = 0;
  for (uint32_t s : expected) all_steps += s;
  outcome.work = 8 * all_steps;  // 2 mul, 1 fma, 3 add, 1 sub in each step
  outcome.unit = "GFLOP/s";

  if (!context.out.empty()) {
    std::vector<uint32_t> rgba(pixels);
    for (size_t i = 0; i < pixels; ++i) rgba[i] = colour(steps[i], view.limit);
    write_png(context.picture("mandelbrot"), view.width, view.height, rgba.data());
  }
  return outcome;
}

}  // namespace examples
