// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a field that one agent computes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/hsa_session.h"
#include "hetero/field.h"

namespace examples {

/** Two copies of a field in memory that all agents share. A step reads one and writes the other. */
struct Fields {
  Fields(const Agent& agent, const Reaction& reaction)
      : u{{agent, reaction.cells()}, {agent, reaction.cells()}},
        v{{agent, reaction.cells()}, {agent, reaction.cells()}} {}

  Buffer<float> u[2], v[2];
};

/** An agent with its queue, the kernel, and what it has to do. Used by one thread. */
class Band {
 public:
  Band(const Agent& agent, const std::string& module, const Reaction& reaction, Fields& fields);

  const std::string& agent() const { return agent_.name; }
  uint32_t rows() const { return rows_; }
  /** Returns how many rows the agent computes in a millisecond when it computes alone. It computes step 0 for
   * some rows, which later changes nothing, because step 0 writes all rows. */
  double measure();

  /** Gives the agent its rows and the number of steps that it is going to do. */
  void take(uint32_t first, uint32_t rows, uint32_t steps);
  /** Enqueues a step, which begins when the bands above and below have done the step before: it reads their
   * rows at the edges, and overwrites what they read then. The bands may be this one. */
  void enqueue(uint32_t step, const Band& above, const Band& below);
  /** Waits until the agent has done a step. */
  void finish(uint32_t step) { queue_.finish(*done_[step]); }

 private:
  void set_rows(uint32_t first, uint32_t rows);
  Grid grid() const { return Grid::cover(reaction_.width, rows_, width_of_group_, 1); }

  const Agent& agent_;
  const Reaction& reaction_;
  Fields& fields_;
  Executable executable_;
  Kernel kernel_;
  Queue queue_;
  uint16_t width_of_group_;
  uint32_t rows_ = 0;
  std::unique_ptr<Arguments> arguments_[2];    // of steps with even and with odd numbers
  std::vector<std::unique_ptr<Signal>> done_;  // of each step: 0 as soon as the step is complete
};

}  // namespace examples
