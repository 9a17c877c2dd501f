// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/signal_chain.h"

#include <atomic>

namespace heddle {
namespace {

/// A signal that this thread is passing on. Records of handlers that were left by siglongjmp stay behind; a
/// later signal may have the same context address, but its handler then runs at the same depth, not below.
struct Passing {
  const void* context = nullptr;
  const void* frame = nullptr;
};
/// Indexed by SignalChain::slot_; each library or program that contains this file has its own array. The
/// initial-exec model ensures that the first use on a thread does not allocate.
constexpr size_t slots = 4;
[[gnu::tls_model("initial-exec")]] constinit thread_local std::array<Passing, slots> passing;
std::atomic<size_t> chains = 0;

bool ignored_by_default(int signal) { return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH; }

void default_action(int signal, const siginfo_t* info) {
  if (ignored_by_default(signal)) return;
  // The default action is taken when the instruction faults again after the handler returns.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) raise(signal);  // the signal was sent, so nothing would fault again
}

}  // namespace

SignalChain::SignalChain(Handler handler, int flags)
    : handler_(handler), flags_(flags), slot_(chains.fetch_add(1) % slots) {}

void SignalChain::install(std::span<const int> signals) {
  std::lock_guard lock(mutex_);
  for (int signal : signals) {
    const auto index = static_cast<size_t>(signal);
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handler_) continue;
    if (!installed_[index]) first_[index] = current;
    installed_[index] = true;
    previous_[index] = current;
    struct sigaction ours = {};
    ours.sa_sigaction = handler_;
    ours.sa_flags = SA_SIGINFO | flags_;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

void SignalChain::pass_on(int signal, siginfo_t* info, void* context) {
  const void* frame = __builtin_frame_address(0);
  const Passing outer = passing[slot_];
  const bool came_round = outer.context == context && frame < outer.frame;
  const struct sigaction& next = (came_round ? first_ : previous_)[static_cast<size_t>(signal)];
  if (!came_round) passing[slot_] = {context, frame};
  if (next.sa_flags & SA_SIGINFO)
    next.sa_sigaction(signal, info, context);
  else if (next.sa_handler == SIG_DFL)
    default_action(signal, info);
  else if (next.sa_handler != SIG_IGN)
    next.sa_handler(signal);
  passing[slot_] = outer;
}

}  // namespace heddle
