// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gets threads out of kernel code: after faults, and when a kernel has to end although it never checks for
// that.
//
// Kernel code runs on the thread's own stack or on a fiber's, while KernelFrame::inside is set. A signal that
// arrives then makes the thread continue at the frame from which it entered kernel code. Kernel code holds no
// locks and owns nothing, so nothing is lost. A signal that arrives at any other time does not concern
// kernels and goes to the handler that was installed before.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

#include "agents/cpu/vector_access.h"

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
  std::optional<VectorAccess>
      access;  ///< of the instruction, if it is one of kernel code that can be decoded
};

/// The state of one thread that runs kernels, as signal handlers see it.
struct KernelFrame {
  void* host_stack = nullptr;        ///< frame to continue from (switch.h)
  volatile sig_atomic_t inside = 0;  ///< kernel code runs, not a support function that it has called
  /// The address of the call while a support function reads memory at an address that the kernel passed, for
  /// the message if that access faults; otherwise 0.
  volatile uint64_t support_called_at = 0;
  agents::Groups* groups = nullptr;
  uint64_t code_begin = 0, code_end = 0;  ///< addresses of the kernel's text
  Fault fault;
};

/// The calling thread's frame; null on threads that run no kernels.
KernelFrame* kernel_frame();

/// Prepares the calling thread to run kernels: installs the signal handlers of the process, an alternate
/// signal stack and a signal mask. The destructor restores the thread's stack and mask and must run on the
/// same thread.
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

/// The signal that makes a thread check whether its dispatch was stopped. A process ignores it by default, so
/// a stray one is harmless.
inline constexpr int interrupt_signal = SIGURG;

/// "memory fault at 0x10", "divide error", ...
std::string describe(const Fault& fault);

}  // namespace heddle::cpu
