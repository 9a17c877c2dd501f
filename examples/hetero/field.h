// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two substances that diffuse over a field and react with each other (the model of Gray and Scott): how the
// field begins, one step as the host computes it, and the picture of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

/** The size of the field in cells, and the constants of the reaction. */
struct Reaction {
  uint32_t width = 320;
  uint32_t height = 240;
  float feed = 0.0545f;
  float kill = 0.062f;

  std::size_t cells() const { return std::size_t{width} * height; }
};

/** Fills the field with the first substance alone, but for some squares that hold the second one, too. */
void plant(const Reaction& reaction, float* u, float* v);

/** Computes one step as the kernel in reaction.hsail does, with the same operations in the same order. */
void step(const Reaction& reaction, const float* u, const float* v, float* u_out, float* v_out);

/** Returns pixels for write_png: the more there is of the second substance, the brighter. */
std::vector<uint32_t> picture_of(const Reaction& reaction, const float* v);

}  // namespace examples
