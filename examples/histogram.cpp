// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts bytes, with atomics in group and in global memory.
#include "common/example.h"

namespace examples {

Outcome histogram(const Context& context) {
  const uint32_t n = context.size(64u << 20, 64u << 10), groups = context.size(1024, 8);
  Outcome outcome;
  outcome.problem = context.small ? "64 Ki bytes" : "64 Mi bytes";

  Executable executable(context.agent, context.module("histogram"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&histogram");

  Buffer<uint8_t> in(context.agent, n);
  Buffer<uint32_t> bins(context.agent, 256);
  std::mt19937 bits(5);
  for (auto& byte : in) byte = static_cast<uint8_t>((bits() & 15) * (bits() & 15));  // far from uniform
  Arguments arguments(context.agent, kernel, bins.data(), in.data(), n);
  Queue queue(context.agent);
  outcome.kernel_ms = median_of(context.repeats, [&] {
    std::fill(bins.begin(), bins.end(), 0);
    return queue.run(kernel, Grid::cover(groups * 256, 1, 256, 1), arguments);
  });
  outcome.work = n;
  outcome.unit = "GB/s";

  std::vector<uint32_t> expected(256);
  for (uint8_t byte : in) ++expected[byte];
  outcome.mistake = compare(bins, expected);
  return outcome;
}

}  // namespace examples
