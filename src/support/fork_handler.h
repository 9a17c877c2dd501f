// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Repairs objects that live as long as the process in the child of a fork.
//
// Only the thread that forked exists in the child. A lock that another thread held at that moment is held for
// ever, a condition variable counts sleepers that are gone, and a container may be half changed. The child
// therefore neither reads nor destroys anything that other threads could touch: it abandons such objects and
// constructs new ones in their place.
#pragma once

#include <cstddef>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_LEAK_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_LEAK_SANITIZER 1
#endif
#endif

namespace heddle {

/// Calls a function in the child of each fork, on its only thread, from construction to destruction. It may
/// be constructed and destroyed on any thread. The functions of several handlers must not depend on each
/// other's order.
class ForkHandler {
 public:
  using InChild = void (*)(void* object) noexcept;

  /// Throws std::bad_alloc if the system has no memory to remember it.
  ForkHandler(InChild in_child, void* object);
  ~ForkHandler();
  ForkHandler(const ForkHandler&) = delete;
  ForkHandler& operator=(const ForkHandler&) = delete;

 private:
  static void run_all() noexcept;

  const InChild in_child_;
  void* const object_;
  ForkHandler* next_ = nullptr;
  ForkHandler* previous_ = nullptr;
};

#ifdef HEDDLE_LEAK_SANITIZER
/// Keeps a copy of the bytes of an abandoned object as long as the process lives. LeakSanitizer then finds
/// the memory that the object owned, which is lost on purpose, and does not report it.
void keep_from_leak_report(const void* object, size_t size) noexcept;
#endif

/// Constructs a new object in place of an old one. The old one is neither used nor destroyed, and memory that
/// it owned is lost.
template <typename T>
void abandon(T& object) noexcept {
#ifdef HEDDLE_LEAK_SANITIZER
  keep_from_leak_report(&object, sizeof object);
#endif
  new (&object) T;
}

}  // namespace heddle
