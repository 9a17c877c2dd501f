// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells AddressSanitizer and ThreadSanitizer about changes of stacks. Nothing in ordinary builds.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_CPU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HEDDLE_CPU_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_CPU_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_CPU_TSAN 1
#endif

#if HEDDLE_CPU_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if HEDDLE_CPU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/// For functions that call loaded code: it has no type signature in front of its entries for
/// UndefinedBehaviorSanitizer.
#if defined(__clang__)
#define HEDDLE_CPU_CALLS_LOADED_CODE __attribute__((no_sanitize("function")))
#else
#define HEDDLE_CPU_CALLS_LOADED_CODE
#endif

/// For functions between kernel code, which may be cut off anywhere, and the agent's, which may not: what is
/// added to their beginning and end would be on the wrong side.
#define HEDDLE_CPU_BOUNDARY __attribute__((no_sanitize_address))

namespace heddle::cpu::sanitizers {

/// What the sanitizers keep of one fiber, or of the thread's own stack.
struct Context {
#if HEDDLE_CPU_ASAN
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  size_t size = 0;
#endif
#if HEDDLE_CPU_TSAN
  void* fiber = nullptr;
#endif
};

inline thread_local Context* thread_context = nullptr;  // of the stack that the thread began kernel code from
inline thread_local Context* running_context =
    nullptr;  // of the fiber that runs; null on the thread's own stack

// ThreadSanitizer keeps a stack of calls for each fiber, which functions push and pop: the switches must not
// stand in a function of their own.
#define HEDDLE_CPU_INLINE inline __attribute__((always_inline))

inline void destroy(Context& context) {
#if HEDDLE_CPU_TSAN
  if (context.fiber) __tsan_destroy_fiber(context.fiber);
  context.fiber = nullptr;
#endif
  (void)context;
}

/// A stack begins anew; what was on it is forgotten.
inline void create(Context& context, uint64_t limit, uint64_t top) {
#if HEDDLE_CPU_ASAN
  context.fake_stack = nullptr;
  context.bottom = reinterpret_cast<const void*>(limit);
  context.size = top - limit;
#endif
#if HEDDLE_CPU_TSAN
  destroy(context);
  context.fiber = __tsan_create_fiber(0);
#endif
  (void)context, (void)limit, (void)top;
}

/// The thread's own stack, before it enters fibers.
inline void adopt_thread(Context& context) {
  thread_context = &context;
#if HEDDLE_CPU_TSAN
  context.fiber = __tsan_get_current_fiber();
#endif
}

/// Before a switch. `from` null: the stack that is left will not be returned to.
HEDDLE_CPU_INLINE void start_switch(Context* from, Context& to) {
  running_context = &to == thread_context ? nullptr : &to;
#if HEDDLE_CPU_ASAN
  __sanitizer_start_switch_fiber(from ? &from->fake_stack : nullptr, to.bottom, to.size);
#endif
#if HEDDLE_CPU_TSAN
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
  (void)from;
}

/// After it, on the stack of `own`. The first stack that a fiber comes from is the thread's: learns its
/// bounds.
HEDDLE_CPU_INLINE void finish_switch(Context& own) {
#if HEDDLE_CPU_ASAN
  const void* bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(own.fake_stack, &bottom, &size);
  if (&own != thread_context && thread_context->bottom == nullptr) {
    thread_context->bottom = bottom;
    thread_context->size = size;
  }
#endif
  (void)own;
}

/// A signal handler or a trap ends the fiber that runs, if one does, and goes on at the thread's own stack.
inline void abandon_fiber() {
#if HEDDLE_CPU_ASAN
  if (running_context) __sanitizer_start_switch_fiber(nullptr, thread_context->bottom, thread_context->size);
#endif
}

/// There, instead of finish_switch.
HEDDLE_CPU_INLINE void fiber_abandoned(Context& own) {
  running_context = nullptr;
#if HEDDLE_CPU_TSAN
  __tsan_switch_to_fiber(own.fiber, 0);
#endif
  finish_switch(own);
}

}  // namespace heddle::cpu::sanitizers
