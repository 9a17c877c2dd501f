// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes out = a + b, which shows how fast memory is.
#include "common/example.h"

namespace examples {

Outcome vector_add(const Context& context) {
  const uint32_t n = context.size(64u << 20, 64u << 10);
  Outcome outcome;
  outcome.problem = context.small ? "64 Ki f32" : "64 Mi f32";

  Executable executable(context.agent, context.module("vector_add"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&vector_add");

  Buffer<float> a(context.agent, n), b(context.agent, n), out(context.agent, n);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000) * 0.5f;
    b[i] = static_cast<float>(i % 777) * 0.25f;
    out[i] = -1;
  }
  Arguments arguments(context.agent, kernel, out.data(), a.data(), b.data(), n);
  Queue queue(context.agent);
  outcome.kernel_ms =
      median_of(context.repeats, [&] { return queue.run(kernel, Grid::cover(n, 1, 256, 1), arguments); });
  outcome.work = 3.0 * sizeof(float) * n;
  outcome.unit = "GB/s";

  std::vector<float> expected(n);
  for (uint32_t i = 0; i < n; ++i) expected[i] = a[i] + b[i];
  outcome.mistake = compare(out, expected);
  return outcome;
}

}  // namespace examples
