// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/faults.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>

#include "agents/common/executor.h"
#include "agents/cpu/sanitizers.h"
#include "agents/cpu/switch.h"
#include "support/signal_chain.h"

namespace heddle::cpu {
namespace {

constexpr int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, interrupt_signal};
// Signal frames with AVX-512 state take several kilobytes, and the handlers to which signals are passed on
// run on the same stack.
constexpr size_t signal_stack_size = 64 * 1024;

thread_local KernelFrame* this_thread = nullptr;

/// Makes the thread continue where it entered kernel code, once the signal handler returns.
void leave_kernel(KernelFrame& frame, ucontext_t& context, Exit why) {
  sanitizers::abandon_fiber();
  frame.inside = 0;
  greg_t* registers = context.uc_mcontext.gregs;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_cpu_recover);
  registers[REG_RDI] = reinterpret_cast<greg_t>(frame.host_stack);
  registers[REG_RSI] = static_cast<greg_t>(why);
}

/// Decodes the instruction that faulted, if it is the kernel's and not one of a support function.
std::optional<VectorAccess> access_of(const KernelFrame& frame, const ucontext_t& context) {
  constexpr uint64_t longest_instruction = 15;
  const auto at = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (at < frame.code_begin || at >= frame.code_end) return std::nullopt;
  const uint64_t size = std::min(frame.code_end - at, longest_instruction);
  return decode_access({reinterpret_cast<const uint8_t*>(at), size}, context.uc_mcontext);
}

void on_signal(int signal, siginfo_t* info, void* raw_context);

SignalChain& chain() {
  static auto& made = *new SignalChain(&on_signal, SA_ONSTACK | SA_RESTART);
  return made;
}

void on_signal(int signal, siginfo_t* info, void* raw_context) {
  KernelFrame* frame = this_thread;
  auto& context = *static_cast<ucontext_t*>(raw_context);
  if (!frame || !frame->inside) return chain().pass_on(signal, info, raw_context);
  if (signal == interrupt_signal) {
    if (frame->groups && frame->groups->stopped()) return leave_kernel(*frame, context, Exit::interrupted);
    return chain().pass_on(signal, info, raw_context);
  }
  // The signal was sent by a process and not caused by an instruction.
  if (info->si_code <= 0) return chain().pass_on(signal, info, raw_context);
  const uint64_t call = frame->support_called_at;
  frame->support_called_at = 0;
  frame->fault = {signal, info->si_code, reinterpret_cast<uint64_t>(info->si_addr),
                  call != 0 ? call : static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]),
                  access_of(*frame, context)};
  leave_kernel(*frame, context, Exit::fault);
}

}  // namespace

KernelFrame* kernel_frame() { return this_thread; }

FaultGuard::FaultGuard(KernelFrame& frame) {
  chain().install(handled);
  stack_ = mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
                -1, 0);
  if (stack_ == MAP_FAILED) {
    stack_ = nullptr;  // faults are still caught, other than those of an exhausted stack
  } else {
    stack_t alternate = {};
    alternate.ss_sp = stack_;
    alternate.ss_size = signal_stack_size;
    sigaltstack(&alternate, &previous_);
  }
  // The application's own signals are left to its threads, because their handlers would run on the small
  // stacks of fibers here.
  sigset_t blocked;
  sigfillset(&blocked);
  for (int signal : handled) sigdelset(&blocked, signal);
  for (int signal : {SIGABRT, SIGTRAP, SIGSYS, SIGPROF}) sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &previous_mask_);
  this_thread = &frame;
}

FaultGuard::~FaultGuard() {
  this_thread = nullptr;
  pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
  if (!stack_) return;
  sigaltstack(&previous_, nullptr);
  munmap(stack_, signal_stack_size);
}

std::string describe(const Fault& fault) {
  switch (fault.signal) {
    case SIGSEGV:
      // Linux does not say which address was accessed if it is not canonical.
      if (fault.code == SI_KERNEL) return "memory fault at an address that is not canonical";
      return fmt::format("memory fault at 0x{:x}", fault.address);
    case SIGBUS:
      return fmt::format("memory fault at 0x{:x} (no memory behind it, or misaligned)", fault.address);
    case SIGFPE:
      return fault.code == FPE_INTDIV || fault.code == FPE_INTOVF ? "integer divide error"
                                                                  : "floating-point exception";
    case SIGILL:
      return "illegal instruction";
    default:
      return fmt::format("signal {}", fault.signal);
  }
}

}  // namespace heddle::cpu
