// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/guarded_access.h"

#include <atomic>
#include <csetjmp>
#include <csignal>

#include "support/signal_chain.h"

namespace heddle::cuda {
namespace {

/// The accesses of one thread, as the handlers see them.
struct Guard {
  sigjmp_buf escape;
  volatile std::sig_atomic_t inside = 0;
  volatile uint64_t address = 0;
};

Guard& guard() {
  static thread_local Guard of_thread;
  return of_thread;
}

void on_signal(int signal, siginfo_t* info, void* context);

/// The handler is left by a jump and does not return, so the signal must not be blocked while it runs.
SignalChain& chain() {
  static auto& made = *new SignalChain(&on_signal, SA_ONSTACK | SA_NODEFER);
  return made;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Guard& mine = guard();
  if (!mine.inside || info->si_code <= 0) return chain().pass_on(signal, info, context);
  mine.inside = 0;
  mine.address = reinterpret_cast<uint64_t>(info->si_addr);
  siglongjmp(mine.escape, 1);
}

}  // namespace

std::optional<uint64_t> fault_of(void (*access)(void* data), void* data) {
  Guard& mine = guard();
  if (sigsetjmp(mine.escape, 0) != 0) return guard().address;
  mine.inside = 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  access(data);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  mine.inside = 0;
  return std::nullopt;
}

void install_access_guard() {
  constexpr int handled[] = {SIGSEGV, SIGBUS};
  chain().install(handled);
}

}  // namespace heddle::cuda
