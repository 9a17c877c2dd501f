// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state.h"

#include <unistd.h>

#include <cstring>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// In libstdc++ 12, std::atomic<std::shared_ptr> unlocks with relaxed order after it has read the pointer,
/// which is formally a race with the next store. The read-modify-write of the lock orders them on x86.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:shared_ptr_atomic.h\n";
}
#endif
#endif

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
