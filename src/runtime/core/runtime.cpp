// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/runtime.h"

#include <pthread.h>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <memory>
#include <new>
#include <thread>

#include "driver/log.h"
#include "driver/logged_lock.h"
#include "runtime/amd/state.h"
#include "runtime/core/calls_under_way.h"
#include "runtime/core/code_object.h"
#include "runtime/core/code_object_writer.h"
#include "runtime/core/counter_session.h"
#include "runtime/core/executable.h"
#include "runtime/core/log.h"
#include "runtime/core/program.h"
#include "runtime/trace/trace.h"
#include "support/fork_handler.h"

namespace heddle::runtime {

std::atomic<Runtime*> Runtime::current_ = nullptr;

/// Holds the lock of the runtime, and notes that this thread does, in case it forks meanwhile.
class Runtime::Lock {
 public:
  explicit Lock(Runtime& runtime) : lock_(driver::lock_logged(runtime.mutex_, "the runtime")) {
    on_this_thread_ = true;
  }
  ~Lock() { on_this_thread_ = false; }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void sleep_unlocked(std::chrono::microseconds time) {
    on_this_thread_ = false;
    lock_.unlock();
    std::this_thread::sleep_for(time);
    lock_.lock();
    on_this_thread_ = true;
  }
  static bool on_this_thread() { return on_this_thread_; }

 private:
  static constinit thread_local bool on_this_thread_;
  std::unique_lock<std::mutex> lock_;
};
constinit thread_local bool Runtime::Lock::on_this_thread_ = false;

Runtime* const Runtime::instance_ = Runtime::create();

Runtime::Runtime() = default;
Runtime::~Runtime() = default;

Runtime* Runtime::create() noexcept {
  try {
    auto made = std::unique_ptr<Runtime>(new Runtime);
    if (pthread_atfork(&Runtime::before_fork, &Runtime::after_fork, &Runtime::forget_parent) != 0)
      return nullptr;
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// A fork waits for other threads that are starting or ending the runtime, so that the child does not inherit
/// drivers and tables that are half built. The thread that forks may be such a thread itself, if a driver
/// starts a process while it is loaded; then there is nothing to wait for.
void Runtime::before_fork() {
  if (!Lock::on_this_thread()) instance_->mutex_.lock();
}

void Runtime::after_fork() {
  if (!Lock::on_this_thread()) instance_->mutex_.unlock();
}

/// Resets the runtime in the child of a fork, where the threads of the parent's runtime do not exist. The
/// child starts without references and may call hsa_init. The parent's objects are leaked, because destroying
/// them would need these threads.
void Runtime::forget_parent() {
  Runtime& runtime = *instance_;
  CallUnderWay::forget_other_threads();
  abandon(runtime.mutex_);  // before_fork() or the function that forks has locked it
  current_.store(nullptr);
  runtime.references_ = 0;
  runtime.tools_.forget();
  abandon(runtime.copies_);
  abandon(runtime.images_);
  abandon(runtime.amd_);
  abandon(runtime.handlers_);
  abandon(runtime.intercept_queues_);
  abandon(runtime.counters_);
  abandon(runtime.events_);
  if (runtime.client_ == nullptr) return;
  abandon(runtime.client_);
  abandon(runtime.objects_);
  runtime.objects_ = std::make_unique<Objects>();
}

/// Counts a call of the application on a thread of the runtime, so that the last hsa_shut_down waits for it.
/// Returns false, without the call, if there are no references.
bool Runtime::call_counted(void (*function)(void* data), void* data) {
  const CallUnderWay under_way;
  if (current() == nullptr) return false;
  function(data);
  return true;
}

hsa_status_t Runtime::start() {
  auto client = driver::Client::open();
  if (!client) return client.error();
  topology_.build(**client);
  auto copies = std::make_unique<CopyService>(**client);
  auto amd = std::make_unique<amd::State>(**client);
  auto handlers = std::make_unique<SignalHandlers>(&Runtime::call_counted);
  auto intercept_queues = std::make_unique<InterceptQueues>(**client, *handlers);
  auto images = std::make_unique<Images>(**client);
  auto counters = std::make_unique<PerformanceCounters>(topology_, **client, *objects_);
  events_ = std::make_unique<ProfileEvents>(topology_);
  counters_ = std::move(counters);
  images_ = std::move(images);
  intercept_queues_ = std::move(intercept_queues);
  handlers_ = std::move(handlers);
  amd_ = std::move(amd);
  copies_ = std::move(copies);
  client_ = std::move(client).value();
  configuring_.store(true, std::memory_order_relaxed);
  driver::log_info(HSAM_LOG_INIT, "the runtime has started with {} agents", topology_.agent_count());
  return HSA_STATUS_SUCCESS;
}

void Runtime::stop() {
  assert(current_.load() == nullptr && references_ == 0);
  handlers_.reset();
  copies_.reset();
  events_.reset();
  amd_.reset();
  objects_->clear();
  counters_.reset();
  images_.reset();
  client_.reset();
  intercept_queues_.reset();  // errors of queues use it
  trace::flush();
  driver::log_info(HSAM_LOG_INIT, "the runtime has ended");
}

/// Waits until no call is under way and stops; or until there is a new reference, or another thread has
/// stopped it. Waits by looking again, with pauses of up to a millisecond, so that calls need not wake
/// anybody when they end. The lock is not held meanwhile, because a call that is under way may be a callback
/// that calls hsa_init.
void Runtime::stop_after_calls(Lock& lock) {
  using std::chrono::microseconds;
  auto pause = microseconds(1);
  while (references_ == 0 && client_ != nullptr) {
    if (!CallUnderWay::on_any_thread()) return stop();
    if (pause == microseconds(1))
      driver::log_debug(HSAM_LOG_LOCK, "hsa_shut_down waits for calls on other threads");
    lock.sleep_unlocked(pause);
    pause = std::min(2 * pause, microseconds(1000));
  }
}

/// Loads the tools, which may call the runtime, and are no reason for it to leave the configuration state. If
/// memory runs out, takes back the only reference.
void Runtime::load_tools(Lock& lock) {
  assert(references_ == 1 && current_.load() == this);
  const bool configuring = this->configuring();
  try {
    tools_.load();
  } catch (...) {
    tools_.unload();
    references_ = 0;
    current_.store(nullptr);
    stop_after_calls(lock);
    throw;
  }
  configuring_.store(configuring, std::memory_order_relaxed);
}

/// hsa_init on a thread that holds the lock, because it is loading drivers or tools. Drivers cannot use the
/// runtime, which does not exist yet.
hsa_status_t Runtime::init_by_tool() {
  if (references_ == 0) return HSA_STATUS_ERROR;
  if (references_ == INT32_MAX) return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  ++references_;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::shut_down_by_tool() {
  if (references_ <= 1) {
    driver::log_error(
        "hsa_shut_down, in OnLoad or OnUnload of a tool, without a hsa_init of the tool: ignored");
    return HSA_STATUS_ERROR;
  }
  --references_;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::init() {
  if (instance_ == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  Runtime& runtime = *instance_;
  if (Lock::on_this_thread()) return runtime.init_by_tool();
  Lock lock(runtime);
  if (runtime.references_ == INT32_MAX) return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  if (runtime.client_ == nullptr) {
    const hsa_status_t status = runtime.start();
    if (status != HSA_STATUS_SUCCESS) return status;
  }
  ++runtime.references_;
  current_.store(&runtime);
  if (runtime.references_ == 1) {
    trace::start();
    runtime.load_tools(lock);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Runtime::shut_down() {
  if (current() == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  Runtime& runtime = *instance_;
  if (Lock::on_this_thread()) return runtime.shut_down_by_tool();
  Lock lock(runtime);
  if (runtime.references_ == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (runtime.references_ == 1 && CallUnderWay::on_this_thread()) {
    driver::log_warning(
        "the last hsa_shut_down, in a callback of another call, would wait for that call: ignored");
    return HSA_STATUS_ERROR;
  }
  runtime.leave_configuration();
  if (runtime.references_ == 1) runtime.tools_.unload();
  if (--runtime.references_ != 0) return HSA_STATUS_SUCCESS;
  current_.store(nullptr);
  runtime.stop_after_calls(lock);
  return HSA_STATUS_SUCCESS;
}

}  // namespace heddle::runtime
