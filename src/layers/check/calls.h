// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which threads are inside a function of the runtime, for the check that none is during the last
// hsa_shut_down.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// Marks this thread as inside a function, for the life of the object. Calls nest if a callback makes a call.
class CallUnderWay {
 public:
  explicit CallUnderWay(const char* function) noexcept;
  ~CallUnderWay();
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;

  struct Other {
    uint64_t thread;
    const char* function;
  };
  /// Returns the threads of the program besides this one that are inside a function, with the outermost of
  /// their calls. Threads of the runtime, which call handlers, are left out: the last hsa_shut_down waits for
  /// them, and the program cannot.
  static std::vector<Other> of_other_threads();
  /// Must be called in the child of a fork, where only the thread that forked exists.
  static void forget_other_threads() noexcept;

 private:
  const bool outermost_;
};

/// Whether this thread holds the lock of the layer. What the layer asks the runtime then goes through the
/// tools behind it, and what these call by name comes to the layer again.
inline thread_local bool is_looking = false;

/// Says whether the calling thread is one of the runtime, which calls handlers of the program.
bool is_runtime_thread() noexcept;

/// Returns the system's number of the calling thread.
uint64_t this_thread() noexcept;

}  // namespace heddle::check
