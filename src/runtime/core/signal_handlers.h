// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the application that are called when a signal meets a condition (AMD extension).
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

#include <hsa/hsa.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

namespace heddle::runtime {

/// Calls handlers, one after the other, on one thread, which starts with the first handler. The thread sleeps
/// until a send meets the condition of one of them. Everything that a handler needs is allocated when it is
/// added. All members may be called on any thread, and by handlers.
class SignalHandlers {
 public:
  /// Returns whether it wants to be called again.
  using Handler = bool (*)(hsa_signal_value_t value, void* argument);
  using Function = void (*)(void* argument);
  /// Calls the application. Returns false without a call if the application must not be called now.
  using Call = bool (*)(void (*function)(void* data), void* data);

  explicit SignalHandlers(Call call) : call_(call) {}
  /// Waits for the handler that runs. Drops all others.
  ~SignalHandlers();
  SignalHandlers(const SignalHandlers&) = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

  /// Has the handler called whenever the live signal meets the condition, until it returns false. After
  /// OUT_OF_RESOURCES or std::bad_alloc nothing has been added.
  hsa_status_t add(hsam_signal* signal, hsa_signal_condition_t condition, hsa_signal_value_t compare,
                   Handler handler, void* argument);
  /// Has the function called once. Errors as for add().
  hsa_status_t add(Function function, void* argument);
  /// Drops the handlers of a signal that is about to be destroyed. Costs next to nothing if there are none of
  /// any signal.
  void forget(hsam_signal* signal);

 private:
  struct Entry {
    hsam_signal* signal = nullptr;  ///< null: `function` is called at once
    hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
    hsa_signal_value_t compare = 0;
    Handler handler = nullptr;
    Function function = nullptr;
    void* argument = nullptr;
    hsam_wait_record record{};
    bool armed = false;
    bool due = false;  ///< the condition held when the wait began
    hsa_signal_value_t value = 0;
    bool again = false;
    bool called = false;
  };
  using Entries = std::list<Entry>;  // signals point to the records, which therefore must not move

  hsa_status_t add(Entries& entry);
  bool has_thread();
  void run();
  void arm(Entry& entry);
  static void disarm(Entry& entry);
  void collect_due();
  void call_first_due(std::unique_lock<std::mutex>& lock);
  static void invoke(void* entry);

  const Call call_;
  std::atomic<size_t> entries_{0};  ///< in all lists
  std::mutex mutex_;                // guards the members below
  bool stop_ = false;
  std::thread thread_;
  hsam_waiter waiter_{};
  Entries waiting_;
  Entries due_;      ///< the condition was met
  Entries running_;  ///< at most one
};

}  // namespace heddle::runtime
