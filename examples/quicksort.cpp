// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts many slices by a function that calls itself: a call stack for each work-item.
#include <chrono>

#include "common/example.h"

namespace examples {

Outcome quicksort(const Context& context) {
  const uint32_t slices = context.size(4096, 64), length = context.size(1024, 64);
  Outcome outcome;
  outcome.problem = std::to_string(slices) + " x " + std::to_string(length) + " u32";

  Executable executable(context.agent, context.module("quicksort"));
  outcome.finalize_ms = executable.finalize_milliseconds();
  Kernel kernel = executable.kernel("&sort_slices");

  std::vector<uint32_t> input(size_t{slices} * length);
  std::mt19937 bits(7);
  for (auto& value : input) value = bits();
  Buffer<uint32_t> data(context.agent, input.size());
  Arguments arguments(context.agent, kernel, data.data(), length);
  Queue queue(context.agent);
  outcome.kernel_ms = median_of(context.repeats, [&] {
    std::copy(input.begin(), input.end(), data.begin());
    return queue.run(kernel, Grid::cover(slices, 1, 64, 1), arguments);
  });
  outcome.work = static_cast<double>(input.size());
  outcome.unit = "Gkeys/s";

  for (uint32_t s = 0; s < slices; ++s)
    std::sort(&input[size_t{s} * length], &input[size_t{s} * length] + length);
  outcome.mistake = compare(data, input);
  return outcome;
}

}  // namespace examples
