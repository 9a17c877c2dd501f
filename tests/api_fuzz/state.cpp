// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state.h"

#include <unistd.h>

#include <cstring>

namespace heddle::api_fuzz {

State::State(uint64_t seed_, bool alone_)
    : random(seed_),
      seed(seed_),
      alone(alone_),
      memory_(slot_size * slot_count),
      quiet_(slot_size * slot_count) {}

State*& State::current() {
  thread_local State* state = nullptr;
  return state;
}

void State::print_history() const {
  const size_t kept = history_.size();
  for (uint64_t i = calls < kept ? 0 : calls - kept; i < calls; ++i) {
    const char* line = history_[i % kept].data();
    (void)!write(STDERR_FILENO, line, strnlen(line, line_size));
    (void)!write(STDERR_FILENO, "\n", 1);
  }
}

}  // namespace heddle::api_fuzz
