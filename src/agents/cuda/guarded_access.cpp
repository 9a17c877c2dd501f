// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/guarded_access.h"

#include <atomic>
#include <csetjmp>
#include <csignal>

#include "support/signal_chain.h"

namespace heddle::cuda {
namespace {

/// An access, as the handlers see it.
struct Guard {
  sigjmp_buf escape;
  volatile uint64_t address = 0;
};

/// The access of this thread; null while it makes none. In this model of thread-local storage the handlers
/// can read it on every thread of the process without allocating memory.
[[gnu::tls_model("initial-exec")]] constinit thread_local Guard* volatile current = nullptr;

void on_signal(int signal, siginfo_t* info, void* context);

/// The handler is left by a jump and does not return, so the signal must not be blocked while it runs.
SignalChain& chain() {
  static auto& made = *new SignalChain(&on_signal, SA_ONSTACK | SA_NODEFER);
  return made;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Guard* const guard = current;
  if (!guard || info->si_code <= 0) return chain().pass_on(signal, info, context);
  current = nullptr;
  guard->address = reinterpret_cast<uint64_t>(info->si_addr);
  siglongjmp(guard->escape, 1);
}

}  // namespace

std::optional<uint64_t> fault_of(void (*access)(void* data), void* data) {
  Guard guard;
  if (sigsetjmp(guard.escape, 0) != 0) return guard.address;
  current = &guard;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  access(data);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  current = nullptr;
  return std::nullopt;
}

void install_access_guard() {
  constexpr int handled[] = {SIGSEGV, SIGBUS};
  chain().install(handled);
}

}  // namespace heddle::cuda
