// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hetero/band.h"

#include <algorithm>

namespace examples {
namespace {

/** Returns the largest power of two, at most 64, that divides the width: the grid has whole work-groups only.
 */
uint16_t group_width(uint32_t width) {
  uint16_t result = 64;
  while (width % result != 0) result /= 2;
  return result;
}

}  // namespace

Band::Band(const Agent& agent, const std::string& module, const Reaction& reaction, Fields& fields)
    : agent_(agent),
      reaction_(reaction),
      fields_(fields),
      executable_(agent, module),
      kernel_(executable_.kernel("&reaction")),
      queue_(agent),
      width_of_group_(group_width(reaction.width)) {}

void Band::set_rows(uint32_t first, uint32_t rows) {
  rows_ = rows;
  for (int from : {0, 1}) {
    arguments_[from] = std::make_unique<Arguments>(
        agent_, kernel_, fields_.u[from].data(), fields_.v[from].data(), fields_.u[1 - from].data(),
        fields_.v[1 - from].data(), reaction_.width, reaction_.height, first, reaction_.feed, reaction_.kill);
  }
}

double Band::measure() {
  constexpr double long_enough = 5;  // milliseconds
  set_rows(0, 1);
  queue_.run(kernel_, grid(), *arguments_[0]);  // the first launch takes longer
  for (uint32_t rows = 1;; rows = std::min(rows * 4, reaction_.height)) {
    set_rows(0, rows);
    const int repeats = rows == reaction_.height ? 8 : 1;
    double time = 0;
    for (int i = 0; i < repeats; ++i) time += queue_.run(kernel_, grid(), *arguments_[0]);
    if (time >= long_enough || rows == reaction_.height) return rows * repeats / time;
  }
}

void Band::take(uint32_t first, uint32_t rows, uint32_t steps) {
  set_rows(first, rows);
  done_.clear();
  for (uint32_t i = 0; i < steps; ++i) done_.push_back(std::make_unique<Signal>(1));
}

void Band::enqueue(uint32_t step, const Band& above, const Band& below) {
  if (step > 0) queue_.wait_for(*above.done_[step - 1], *below.done_[step - 1]);
  queue_.enqueue(kernel_, grid(), *arguments_[step % 2], *done_[step]);
}

}  // namespace examples
