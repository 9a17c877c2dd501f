// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hetero/field.h"

#include <algorithm>
#include <random>

#include "common/example.h"

namespace examples {

void plant(const Reaction& reaction, float* u, float* v) {
  std::fill_n(u, reaction.cells(), 1.0f);
  std::fill_n(v, reaction.cells(), 1e-20f);
  std::mt19937 random(1);
  constexpr uint32_t squares = 24, side = 8;
  for (uint32_t i = 0; i < squares; ++i) {
    const auto left = static_cast<uint32_t>(random()), top = static_cast<uint32_t>(random());
    for (uint32_t cell = 0; cell < side * side; ++cell) {
      const uint32_t x = (left + cell % side) % reaction.width, y = (top + cell / side) % reaction.height;
      u[std::size_t{y} * reaction.width + x] = 0.5f;
      v[std::size_t{y} * reaction.width + x] = 0.25f;
    }
  }
}

EXAMPLES_HOST_CLONES
void step(const Reaction& reaction, const float* u, const float* v, float* u_out, float* v_out) {
  const uint32_t width = reaction.width, height = reaction.height;
  for (uint32_t y = 0; y < height; ++y) {
    const std::size_t row = std::size_t{y} * width;
    const std::size_t below = std::size_t{y + 1 == height ? 0 : y + 1} * width;
    const std::size_t above = std::size_t{y == 0 ? height - 1 : y - 1} * width;
    for (uint32_t x = 0; x < width; ++x) {
      const std::size_t right = row + (x + 1 == width ? 0 : x + 1), left = row + (x == 0 ? width - 1 : x - 1);
      const float u0 = u[row + x], v0 = v[row + x];
      const float u_sum = u[right] + u[left] + u[below + x] + u[above + x] - u0 * 4;
      const float v_sum = v[right] + v[left] + v[below + x] + v[above + x] - v0 * 4;
      const float reacted = u0 * v0 * v0;
      const float v1 = v0 + ((v_sum * 0.08f + reacted) - (reaction.feed + reaction.kill) * v0);
      u_out[row + x] = u0 + ((u_sum * 0.16f - reacted) + reaction.feed * (1 - u0));
      v_out[row + x] = v1 > 1e-20f ? v1 : 1e-20f;
    }
  }
}

std::vector<uint32_t> picture_of(const Reaction& reaction, const float* v) {
  std::vector<uint32_t> pixels(reaction.cells());
  std::transform(v, v + pixels.size(), pixels.begin(), [](float amount) {
    const float t = std::clamp(amount * 3, 0.0f, 1.0f);
    const auto channel = [](float value) {
      return static_cast<uint32_t>(255 * std::clamp(value, 0.0f, 1.0f));
    };
    return 0xff000000 | channel(0.05f + 1.6f * t * t) | channel(0.08f + 0.9f * t) << 8 |
           channel(0.25f + t * (1.6f - 1.3f * t)) << 16;
  });
  return pixels;
}

}  // namespace examples
