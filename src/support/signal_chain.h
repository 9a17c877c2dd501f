// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A signal handler in a process that is not ours alone.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <span>

namespace heddle {

/// A handler that takes the signals which are its own, and passes the others on to whoever handled them
/// before. One object of static storage for each handler function: it is never uninstalled.
class SignalChain {
 public:
  using Handler = void (*)(int signal, siginfo_t* info, void* context);

  /// `handler` gets the signals, with `flags` besides SA_SIGINFO. It calls pass_on for those that are not its
  /// own.
  SignalChain(Handler handler, int flags);
  SignalChain(const SignalChain&) = delete;
  SignalChain& operator=(const SignalChain&) = delete;

  /// Handles these signals from now on. Cheap when called again, and then puts the handler in front once more
  /// if the application has set its own in between, which is the one to pass on to from there on. Thread
  /// safe.
  void install(std::span<const int> signals);

  /// What would have happened without us. Signal safe. The handlers behind this one may leave by siglongjmp,
  /// and may themselves pass on to this one, since each of two may find the other installed: a signal that
  /// comes round again goes to whoever was there before both.
  [[gnu::noinline]] void pass_on(int signal, siginfo_t* info, void* context);

 private:
  const Handler handler_;
  const int flags_;
  const size_t slot_;  ///< of the thread's record of what it passes on
  std::mutex mutex_;
  /// Before the first install and before the latest one.
  std::array<struct sigaction, NSIG> first_ = {}, previous_ = {};
  std::array<bool, NSIG> installed_ = {};
};

}  // namespace heddle
