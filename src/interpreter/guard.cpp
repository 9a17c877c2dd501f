// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/guard.h"

#include "support/signal_chain.h"

namespace heddle::interpreter {
namespace {

constexpr int handled[] = {SIGSEGV, SIGBUS};

void on_signal(int signal, siginfo_t* info, void* context);

/// The handler is left by a jump and does not return, so the signal must not be blocked while it runs.
SignalChain& chain() {
  static auto& made = *new SignalChain(&on_signal, SA_ONSTACK | SA_NODEFER);
  return made;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  MemoryGuard& guard = memory_guard();
  if (!guard.inside || info->si_code <= 0) return chain().pass_on(signal, info, context);
  guard.inside = 0;
  guard.address = reinterpret_cast<uint64_t>(info->si_addr);
  siglongjmp(guard.escape, 1);
}

}  // namespace

MemoryGuard& memory_guard() {
  static thread_local MemoryGuard guard;
  return guard;
}

void install_memory_guard() {
  memory_guard();  // creates it now, which a signal handler must not do
  chain().install(handled);
}

}  // namespace heddle::interpreter
