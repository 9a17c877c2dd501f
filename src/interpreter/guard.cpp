// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/guard.h"

#include <mutex>

namespace heddle::interpreter {
namespace {

constexpr int handled[] = {SIGSEGV, SIGBUS};
struct sigaction previous_actions[NSIG];

void chain(int signal, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_actions[signal];
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler == SIG_IGN) return;
  if (previous.sa_handler != SIG_DFL) return previous.sa_handler(signal);
  // The default action, on the instruction that faults again.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) raise(signal);  // somebody sent it: nothing would fault again
}

void on_signal(int signal, siginfo_t* info, void* context) {
  MemoryGuard& guard = memory_guard();
  if (!guard.inside || info->si_code <= 0) return chain(signal, info, context);
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
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  memory_guard();  // the handler must not be the first to use it
  for (int signal : handled) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    // Another one in between is the one to pass on to.
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == &on_signal) continue;
    previous_actions[signal] = current;
    struct sigaction ours = {};
    ours.sa_sigaction = &on_signal;
    // The escape leaves the handler without returning: the signal must not stay blocked.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace heddle::interpreter
