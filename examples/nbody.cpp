// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One time step of bodies that attract each other: arithmetic, and a call in the inner loop.
#include <array>

#include "common/example.h"

namespace examples {
namespace {

using Vector = std::array<float, 4>;

struct Bodies {
  std::vector<float> x, y, z, mass;
};

/** Adds the pull of body j to (ax, ay, az) of n bodies, with the operations of the kernel. */
EXAMPLES_HOST_CLONES
void pull(const float* x, const float* y, const float* z, const float* mass, size_t n, size_t j,
          float softening, float* ax, float* ay, float* az) {
  for (size_t i = 0; i < n; ++i) {
    float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    float square = std::fma(dz, dz, std::fma(dy, dy, std::fma(dx, dx, softening)));
    float strength = mass[j] / (square * std::sqrt(square));
    ax[i] = std::fma(dx, strength, ax[i]);
    ay[i] = std::fma(dy, strength, ay[i]);
    az[i] = std::fma(dz, strength, az[i]);
  }
}

/** Returns the accelerations, added up in the kernel's order, so that they are equal to the last bit. */
std::vector<Vector> accelerations(const Bodies& bodies, float softening) {
  const size_t n = bodies.x.size();
  std::vector<float> ax(n), ay(n), az(n);
  for (size_t j = 0; j < n; ++j) {
    pull(bodies.x.data(), bodies.y.data(), bodies.z.data(), bodies.mass.data(), n, j, softening, ax.data(),
         ay.data(), az.data());
  }
  std::vector<Vector> all;
  for (size_t i = 0; i < n; ++i) all.push_back({ax[i], ay[i], az[i], 0});
  return all;
}

std::string compare_vectors(const Buffer<Vector>& result, const std::vector<Vector>& expected,
                            const char* what) {
  for (size_t i = 0; i < expected.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      if (result[i][c] != expected[i][c]) {
        return std::string(what) + " " + std::to_string(i) + " is " + std::to_string(result[i][c]) +
               ", not " + std::to_string(expected[i][c]);
      }
    }
  }
  return {};
}

}  // namespace

Outcome nbody(const Context& context) {
  const uint32_t n = context.size(8192, 128);
  const float time_step = 0.01f, softening = 0.001f;
  Outcome outcome;
  outcome.problem = std::to_string(n) + " bodies";

  Executable executable(context.agent, context.module("nbody"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&nbody_step");

  Buffer<Vector> positions(context.agent, n), velocities(context.agent, n);
  Buffer<Vector> new_positions(context.agent, n), new_velocities(context.agent, n);
  std::vector<float> random(size_t{n} * 7);
  fill_random(random, -1, 1);
  Bodies bodies;
  for (uint32_t i = 0; i < n; ++i) {
    const float* r = &random[size_t{i} * 7];
    positions[i] = {r[0], r[1], r[2], 1.5f + r[3]};
    velocities[i] = {r[4] * 0.1f, r[5] * 0.1f, r[6] * 0.1f, 0};
    bodies.x.push_back(r[0]), bodies.y.push_back(r[1]), bodies.z.push_back(r[2]),
        bodies.mass.push_back(1.5f + r[3]);
  }
  Arguments arguments(context.agent, kernel, new_positions.data(), new_velocities.data(), positions.data(),
                      velocities.data(), n, time_step, softening);
  Queue queue(context.agent);
  outcome.kernel_ms =
      median_of(context.repeats, [&] { return queue.run(kernel, Grid::cover(n, 1, 64, 1), arguments); });
  outcome.work = 18.0 * n * n;  // 3 sub, 6 fma, 1 mul, 1 sqrt, 1 div for each pair
  outcome.unit = "GFLOP/s";

  std::vector<Vector> expected_v = accelerations(bodies, softening), expected_x(n);
  for (uint32_t i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c) {
      expected_v[i][c] = std::fma(expected_v[i][c], time_step, velocities[i][c]);
      expected_x[i][c] = std::fma(expected_v[i][c], time_step, positions[i][c]);
    }
  }
  outcome.mistake = compare_vectors(new_velocities, expected_v, "velocity");
  if (outcome.mistake.empty()) outcome.mistake = compare_vectors(new_positions, expected_x, "position");
  return outcome;
}

}  // namespace examples
