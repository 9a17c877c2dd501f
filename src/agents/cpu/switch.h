// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changing stacks, in assembly (switch_x86_64.S).
#pragma once

#include <cstdint>

extern "C" {

/// Saves the callee-saved registers, MXCSR and the x87 control word on this stack, stores the stack pointer
/// in *save and continues from the frame at `to`. Returns when another switch comes back to this frame, with
/// the `value` of that switch.
uint64_t heddle_cpu_switch(void** save, void* to, uint64_t value);

/// Calls entry(a, b, c) with the floating-point environment of HSAIL. Stores in *save a frame from which
/// heddle_cpu_leave can continue, as if the call had returned. Returns 0, or the value of heddle_cpu_leave.
uint64_t heddle_cpu_call(void** save, void (*entry)(void*, uint64_t, uint64_t), void* a, uint64_t b,
                         uint64_t c);

/// Abandons this stack and continues from the frame at `to`, whose call or switch returns `value`.
[[noreturn]] void heddle_cpu_leave(void* to, uint64_t value);

/// Does the same for a thread that a signal handler lets continue here, with %rdi = to and %rsi = value.
void heddle_cpu_recover();

/// What the first switch to a new stack returns to; see make_frame.
void heddle_cpu_fiber_start();
}

namespace heddle::cpu {

/// MXCSR when kernels begin: all exceptions masked, round to nearest, no flushing (PRM 4.19).
inline constexpr uint32_t kernel_mxcsr = 0x1f80;
inline constexpr uint16_t kernel_x87_control = 0x037f;

/// Prepares a stack that ends at `top` (16-byte aligned): the first switch to the result calls
/// main(argument), which must not return.
inline void* make_frame(void* top, void (*main)(void*), void* argument) {
  auto* words = static_cast<uint64_t*>(top) - 8;
  words[0] = kernel_mxcsr | uint64_t{kernel_x87_control} << 32;
  words[1] = words[2] = 0;                          // r15, r14
  words[3] = reinterpret_cast<uint64_t>(main);      // r13
  words[4] = reinterpret_cast<uint64_t>(argument);  // r12
  words[5] = words[6] = 0;                          // rbx, rbp: ends chains of frame pointers
  words[7] = reinterpret_cast<uint64_t>(&heddle_cpu_fiber_start);
  return words;
}

}  // namespace heddle::cpu
