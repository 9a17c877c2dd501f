// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/signal_handlers.h"

#include <cassert>
#include <system_error>

#include "driver/log.h"
#include "driver/logged_lock.h"
#include "support/thread_name.h"

namespace heddle::runtime {

namespace {

// How long the thread sleeps before it asks once more whether it may call the application. It may not while
// the runtime is being shut down, which either ends the thread soon or is called off by another hsa_init.
constexpr uint64_t pause = HSAM_TIMESTAMP_FREQUENCY / 1000;

}  // namespace

SignalHandlers::~SignalHandlers() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  hsam_waiter_kick(&waiter_);
  if (thread_.joinable()) thread_.join();
  for (Entry& entry : waiting_) disarm(entry);
}

/// Starts the thread unless it runs already. Returns false if it cannot be started.
bool SignalHandlers::has_thread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] {
      name_thread("heddle-signals");
      run();
    });
    driver::log_debug(HSAM_LOG_RESOURCE, "the thread of signal handlers starts");
    return true;
  } catch (const std::system_error& error) {
    driver::log_error("no thread for the handlers of signals: {}", error.what());
    return false;
  }
}

hsa_status_t SignalHandlers::add(hsam_signal* signal, hsa_signal_condition_t condition,
                                 hsa_signal_value_t compare, Handler handler, void* argument) {
  assert(signal != nullptr && handler != nullptr);
  Entries entry(1);
  entry.front().signal = signal;
  entry.front().condition = condition;
  entry.front().compare = compare;
  entry.front().handler = handler;
  entry.front().argument = argument;
  return add(entry);
}

hsa_status_t SignalHandlers::add(Function function, void* argument) {
  assert(function != nullptr);
  Entries entry(1);
  entry.front().function = function;
  entry.front().argument = argument;
  entry.front().due = true;
  return add(entry);
}

hsa_status_t SignalHandlers::add(Entries& entry) {
  const auto lock = driver::lock_logged(mutex_, "the handlers of signals");
  if (!has_thread()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (entry.front().signal != nullptr) arm(entry.front());
  if (entry.front().due) hsam_waiter_kick(&waiter_);
  waiting_.splice(waiting_.end(), entry);
  entries_.fetch_add(1, std::memory_order_relaxed);
  return HSA_STATUS_SUCCESS;
}

/// Begins the wait. Sends from now on meet the record; the value that the signal has already is looked at
/// here.
void SignalHandlers::arm(Entry& entry) {
  hsam_wait_arm(&entry.record, &waiter_, entry.signal, entry.condition, entry.compare);
  entry.armed = true;
  entry.value = hsam_signal_load_scacquire(entry.signal);
  entry.due = hsam_condition_holds(entry.condition, entry.value, entry.compare) != 0;
}

/// Ends the wait. If a send met the condition, its value is the one that the handler gets.
void SignalHandlers::disarm(Entry& entry) {
  if (!entry.armed) return;
  if (hsam_wait_disarm(&entry.record)) entry.value = entry.record.value;
  entry.armed = false;
}

void SignalHandlers::forget(hsam_signal* signal) {
  // A thread may destroy a signal only if it knows that the handlers were added.
  if (entries_.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard lock(mutex_);
  const auto concerned = [&](Entry& entry) {
    if (entry.signal != signal) return false;
    disarm(entry);
    return true;
  };
  // The records of handlers that wait are those of waiters; others have none.
  size_t removed = 0;
  if (__atomic_load_n(&signal->waiters, __ATOMIC_SEQ_CST) != 0) removed += waiting_.remove_if(concerned);
  removed += due_.remove_if(concerned);
  entries_.fetch_sub(removed, std::memory_order_relaxed);
  // The handler that runs may itself be destroying its signal, for which it then must not be called again.
  for (Entry& entry : running_)
    if (entry.signal == signal) entry.signal = nullptr;
}

/// Moves the entries whose condition was met to due_. Their records are unlinked before the handler runs,
/// because the handler may destroy the signal.
void SignalHandlers::collect_due() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto entry = next++;
    if (!entry->due && !hsam_wait_is_met(&entry->record)) continue;
    disarm(*entry);
    due_.splice(due_.end(), waiting_, entry);
  }
}

void SignalHandlers::invoke(void* data) {
  Entry& entry = *static_cast<Entry*>(data);
  entry.called = true;
  if (entry.handler != nullptr)
    entry.again = entry.handler(entry.value, entry.argument);
  else
    entry.function(entry.argument);
}

/// Calls the first handler of due_, without the lock. If the application must not be called now, the entry
/// stays where it is.
void SignalHandlers::call_first_due(std::unique_lock<std::mutex>& lock) {
  assert(running_.empty() && "handlers run one after the other");
  running_.splice(running_.begin(), due_, due_.begin());
  Entry& entry = running_.front();
  entry.called = entry.again = false;
  lock.unlock();
  driver::log_debug(HSAM_LOG_SIGNAL, "a handler is called for signal {:#x}, value {}",
                    reinterpret_cast<uintptr_t>(entry.signal), entry.value);
  const bool called = call_(&SignalHandlers::invoke, &entry);
  assert(called == entry.called);
  if (!called) hsam_waiter_sleep(&waiter_, hsam_deadline(hsam_timestamp(), pause));
  lock.lock();
  const bool forgotten = entry.handler != nullptr && entry.signal == nullptr;
  if (forgotten || (called && !entry.again)) {
    running_.clear();
    entries_.fetch_sub(1, std::memory_order_relaxed);
  } else if (!called) {
    due_.splice(due_.begin(), running_);
  } else {
    arm(entry);
    waiting_.splice(waiting_.end(), running_);
  }
}

void SignalHandlers::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    hsam_waiter_reset(&waiter_);
    collect_due();
    if (!due_.empty()) {
      call_first_due(lock);
      continue;
    }
    lock.unlock();
    hsam_waiter_sleep(&waiter_, UINT64_MAX);
    lock.lock();
  }
}

}  // namespace heddle::runtime
