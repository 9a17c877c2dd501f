// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/machine.h"

/// Wavefronts of several lanes: SIMT execution with reconvergence at immediate post-dominators (PRM 2.12).
namespace heddle::interpreter {

/// Makes all lanes of the wave active. Call before the first turn.
void start_wave(Wave& wave);

/// The lanes that execute next. They are all at the same place, all blocked, or all ended.
inline const std::vector<uint32_t>& active_items(const Wave& wave) { return wave.paths.back().items; }

/// In kernels whose barriers do not wait for work-items that have ended: if the active lanes wait at a
/// barrier, makes those of another path active that can run, because they may be about to end.
void take_up_other_path(const Group& group, Wave& wave);

/// One turn of a wavefront of several lanes.
class WaveTurn {
 public:
  WaveTurn(Group& group, Wave& wave);

  /// Executes one instruction in each active lane. Lanes whose instruction waits for a signal execute it
  /// again, while the other lanes wait for them. Work-items are in consistent states before and after, so
  /// that a debugger can look at them.
  void step();
  /// Whether the turn is over, because the active lanes are blocked, have ended or wait for a signal, or
  /// because of a fault.
  bool over() const { return over_; }
  /// The lane in which the current instruction executes.
  Context& current() { return *current_; }

 private:
  void execute(const Op& op, const std::vector<Context*>& lanes);
  void diverge(uint32_t depth, uint32_t join);
  bool rejoin();
  void activate();

  Group& group_;
  Wave& wave_;
  std::vector<Context> lanes_;     // by lane
  std::vector<Context*> active_;   // of the innermost path
  std::vector<Context*> pending_;  // active lanes that execute an instruction again
  Context* current_ = nullptr;
  bool over_ = false;
};

}  // namespace heddle::interpreter
