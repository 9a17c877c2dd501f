// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Getting threads out of kernel code: faults, and kernels that must end although they ask nobody.
//
// Kernel code runs on the thread's own stack or on a fiber's, while KernelFrame::inside is set. A signal that
// arrives there continues the thread at the frame that it entered from; kernel code holds no locks and owns
// nothing, so that nothing is lost. A signal that arrives anywhere else is none of ours and goes to the
// handler that was there before.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

namespace heddle::agents {
class Groups;
}

namespace heddle::cpu {

/// How kernel code was left.
enum class Exit : uint64_t {
  returned = 0,
  switched = 1,     ///< a fiber gave the processor back
  fault = 2,        ///< see KernelFrame::fault
  interrupted = 3,  ///< the dispatch was stopped
  trap = 4,         ///< a support function ended the dispatch and has reported why
};

struct Fault {
  int signal = 0;
  int code = 0;          ///< si_code
  uint64_t address = 0;  ///< si_addr: of the memory, or of the instruction
  uint64_t instruction = 0;
};

/// The state of one thread that runs kernels, as signal handlers see it.
struct KernelFrame {
  void* host_stack = nullptr;        ///< frame to go on from (switch.h)
  volatile sig_atomic_t inside = 0;  ///< kernel code runs, and no support function that it has called
  /// While a support function reads what the kernel gave it: the call, for the message if that faults.
  volatile uint64_t support_called_at = 0;
  agents::Groups* groups = nullptr;
  Fault fault;
};

/// The calling thread's; null on threads that never ran a kernel.
KernelFrame* kernel_frame();

/// Prepares the calling thread: handlers of the process, an alternate signal stack, signal mask. Undone by
/// the destructor on the same thread.
class FaultGuard {
 public:
  explicit FaultGuard(KernelFrame& frame);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  void* stack_ = nullptr;
  stack_t previous_ = {};
  sigset_t previous_mask_ = {};
};

/// The signal that makes a thread look whether its dispatch was stopped. Ignored by default, so a stray one
/// is harmless.
inline constexpr int interrupt_signal = SIGURG;

/// "memory fault at 0x10", "divide error", ...
std::string describe(const Fault& fault);

}  // namespace heddle::cpu
