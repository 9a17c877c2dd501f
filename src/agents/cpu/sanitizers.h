// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells AddressSanitizer and ThreadSanitizer about switches of stacks. Does nothing in ordinary builds.
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

/// For functions that call loaded code, whose entries lack the type signature that UndefinedBehaviorSanitizer
/// reads in front of a function.
#if defined(__clang__)
#define HEDDLE_CPU_CALLS_LOADED_CODE __attribute__((no_sanitize("function")))
#else
#define HEDDLE_CPU_CALLS_LOADED_CODE
#endif

/// For functions at the boundary between kernel code, which may be cut off anywhere, and the agent's code,
/// which may not. What the sanitizer adds to their beginning and end would run on the kernel's side.
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

inline thread_local Context* thread_context = nullptr;  // of the thread's own stack
inline thread_local Context* running_context =
    nullptr;  // of the fiber that runs; null on the thread's own stack

// ThreadSanitizer keeps a call stack for each fiber, to which every function adds itself, so the switches
// must not be in a function of their own.
#define HEDDLE_CPU_INLINE inline __attribute__((always_inline))

inline void destroy(Context& context) {
#if HEDDLE_CPU_TSAN
  if (context.fiber) __tsan_destroy_fiber(context.fiber);
  context.fiber = nullptr;
#endif
  (void)context;
}

/// Announces a fiber that starts on an empty stack; what was on the stack before is forgotten.
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

/// Announces the thread's own stack, before the thread enters fibers.
inline void adopt_thread(Context& context) {
  thread_context = &context;
#if HEDDLE_CPU_TSAN
  context.fiber = __tsan_get_current_fiber();
#endif
}

/// Called before a switch. `from` is null if the stack that is left will not be resumed.
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

/// Called after a switch, on the stack of `resumed`. The first switch to a fiber comes from the thread's own
/// stack, whose bounds are learnt here.
HEDDLE_CPU_INLINE void finish_switch(Context& resumed) {
#if HEDDLE_CPU_ASAN
  const void* bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(resumed.fake_stack, &bottom, &size);
  if (&resumed != thread_context && thread_context->bottom == nullptr) {
    thread_context->bottom = bottom;
    thread_context->size = size;
  }
#endif
  (void)resumed;
}

/// Called when a signal handler or a trap ends the running fiber, if there is one, to continue on the
/// thread's own stack.
inline void abandon_fiber() {
#if HEDDLE_CPU_ASAN
  if (running_context) __sanitizer_start_switch_fiber(nullptr, thread_context->bottom, thread_context->size);
#endif
}

/// Called on the thread's own stack after abandon_fiber(), in place of finish_switch().
HEDDLE_CPU_INLINE void fiber_abandoned(Context& thread) {
  running_context = nullptr;
#if HEDDLE_CPU_TSAN
  __tsan_switch_to_fiber(thread.fiber, 0);
#endif
  finish_switch(thread);
}

}  // namespace heddle::cpu::sanitizers
