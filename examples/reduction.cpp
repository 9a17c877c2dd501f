// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of a vector in two dispatches of one kernel.
#include <chrono>

#include "common/example.h"

namespace examples {

Outcome reduction(const Context& context) {
  const uint32_t n = context.size(64u << 20, 64u << 10), groups = context.size(256, 8);
  Outcome outcome;
  outcome.problem = context.small ? "64 Ki f32" : "64 Mi f32";

  Executable executable(context.agent, context.module("reduction"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&reduce_sum");

  Buffer<float> in(context.agent, n), partial(context.agent, groups), sum(context.agent, 1);
  fill_random(in, 0, 1);
  sum[0] = -1;
  Arguments first(context.agent, kernel, partial.data(), in.data(), n);
  Arguments second(context.agent, kernel, sum.data(), partial.data(), groups);
  Queue queue(context.agent);
  outcome.kernel_ms = median_of(context.repeats, [&] {
    auto start = std::chrono::steady_clock::now();
    queue.enqueue(kernel, Grid::cover(groups * 256, 1, 256, 1), first);
    queue.enqueue(kernel, Grid::cover(256, 1, 256, 1), second);
    queue.finish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  });
  outcome.work = static_cast<double>(sizeof(float)) * n;
  outcome.unit = "GB/s";

  // The kernel adds in an order of its own, so the sums agree only up to rounding: each of at most n /
  // (groups * 256) + 16 additions in a row rounds by half an ulp.
  double expected = 0;
  for (float value : in) expected += value;
  double allowed = expected * (static_cast<double>(n) / (groups * 256) + 16) * 0x1p-24;
  if (!(std::abs(sum[0] - expected) <= allowed)) {
    outcome.mistake = "the sum is " + std::to_string(sum[0]) + ", not " + std::to_string(expected);
  }
  return outcome;
}

}  // namespace examples
