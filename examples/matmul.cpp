// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A * B with tiles in group memory and barriers.
#include "common/example.h"

namespace examples {
namespace {

/** Adds up in the kernel's order, with the same fused operation, so that the results are equal to the last
 * bit. */
EXAMPLES_HOST_CLONES
void multiply(const float* a, const float* b, float* c, uint32_t n) {
  std::fill(c, c + size_t{n} * n, 0.0f);
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t k = 0; k < n; ++k) {
      float factor = a[size_t{i} * n + k];
      for (uint32_t j = 0; j < n; ++j)
        c[size_t{i} * n + j] = std::fma(factor, b[size_t{k} * n + j], c[size_t{i} * n + j]);
    }
  }
}

}  // namespace

Outcome matmul(const Context& context) {
  const uint32_t n = context.size(1024, 64);
  Outcome outcome;
  outcome.problem = std::to_string(n) + "^3 f32";

  Executable executable(context.agent, context.module("matmul"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&matmul");

  const size_t elements = size_t{n} * n;
  Buffer<float> a(context.agent, elements), b(context.agent, elements), c(context.agent, elements);
  fill_random(a, -1, 1, 1);
  fill_random(b, -1, 1, 2);
  Arguments arguments(context.agent, kernel, c.data(), a.data(), b.data(), n);
  Queue queue(context.agent);
  outcome.kernel_ms =
      median_of(context.repeats, [&] { return queue.run(kernel, Grid::cover(n, n, 16, 16), arguments); });
  outcome.work = 2.0 * n * n * n;
  outcome.unit = "GFLOP/s";

  std::vector<float> expected(elements);
  multiply(a.data(), b.data(), expected.data(), n);
  outcome.mistake = compare(c, expected);
  return outcome;
}

}  // namespace examples
