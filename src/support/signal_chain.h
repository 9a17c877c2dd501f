// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shares signals with the other handlers of a process.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <span>

namespace heddle {

/// A handler that handles its own signals and passes all others on to the handler that was installed before.
/// Each handler function has one object, with static storage duration because it is never uninstalled.
class SignalChain {
 public:
  using Handler = void (*)(int signal, siginfo_t* info, void* context);

  /// `handler` is installed with `flags` in addition to SA_SIGINFO. It must call pass_on() for signals that
  /// are not its own.
  SignalChain(Handler handler, int flags);
  SignalChain(const SignalChain&) = delete;
  SignalChain& operator=(const SignalChain&) = delete;

  /// Installs the handler for these signals. Cheap when called again; if the application has installed a
  /// handler of its own in between, the call puts this one in front again and passes signals on to the
  /// application's from then on. Thread safe.
  void install(std::span<const int> signals);

  /// Does what would have happened to the signal without this handler. Async-signal-safe. The handlers behind
  /// this one may leave by siglongjmp. They may also pass signals on to this one, since each of two handlers
  /// may find the other one installed; a signal that comes round again goes to the handler that was there
  /// before both.
  [[gnu::noinline]] void pass_on(int signal, siginfo_t* info, void* context);

 private:
  const Handler handler_;
  const int flags_;
  const size_t slot_;  ///< index of the thread's record of the signal it passes on
  std::mutex mutex_;
  /// The actions that were installed before the first and before the latest install().
  std::array<struct sigaction, NSIG> first_ = {}, previous_ = {};
  std::array<bool, NSIG> installed_ = {};
};

}  // namespace heddle
