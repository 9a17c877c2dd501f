// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include <hsam/signal.h>
#include <sched.h>

namespace heddle::agents {
namespace {

constexpr uint64_t microsecond = HSAM_TIMESTAMP_FREQUENCY / 1'000'000;
// How long a worker polls for another call before it sleeps. Programs dispatch one kernel after the other,
// and to wake a thread takes longer than many kernels do.
constexpr uint64_t spin_time = 50 * microsecond;
constexpr uint64_t spin_pure = 5 * microsecond;

}  // namespace

WorkerPool::WorkerPool(Executor& executor, uint32_t threads) : executor_(executor), size_(threads) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (Worker& worker : workers_) worker.thread.join();
}

void WorkerPool::call(std::shared_ptr<ActiveDispatch> dispatch, uint32_t helpers) noexcept {
  helpers = std::min(helpers, size_);
  if (helpers == 0) return;
  uint32_t wake = 0;
  try {
    std::lock_guard lock(mutex_);
    forget_drained();
    calls_.push_back({std::move(dispatch), helpers});
    call_count_.fetch_add(1, std::memory_order_release);
    const uint32_t awake = std::min(helpers, polling_);
    wake = std::min(helpers - awake, idle_);
    for (uint32_t i = awake + wake; i < helpers && workers_.size() < size_; ++i) start_worker();
  } catch (const std::exception&) {
    wake = size_;  // no memory, or no more threads: those that exist, and the caller, do the work
  }
  for (uint32_t i = 0; i < wake; ++i) wake_.notify_one();
}

/// Removes calls into dispatches that have no groups left. Nobody takes calls while all workers are busy or
/// none could be started, so without this the list would grow with every dispatch. What is left is bounded,
/// because a queue has a bounded number of dispatches in flight.
void WorkerPool::forget_drained() {
  std::erase_if(calls_, [](const Call& call) { return call.dispatch->drained(); });
}

/// Abandons everything in the child of a fork, where neither the workers nor the holder of the lock exist.
void WorkerPool::forget_parent() noexcept {
  abandon(mutex_);
  abandon(wake_);
  abandon(calls_);
  abandon(workers_);
  idle_ = polling_ = 0;
}

void WorkerPool::start_worker() {
  Worker& worker = workers_.emplace_back();
  try {
    worker.thread = std::thread([this, &worker] { run(worker); });
  } catch (...) {
    workers_.pop_back();
    throw;
  }
}

void WorkerPool::interrupt(const DispatchOwner* owner) {
  std::lock_guard lock(mutex_);
  for (Worker& worker : workers_)
    if (worker.dispatch_thread) worker.dispatch_thread->interrupt(owner);
}

void WorkerPool::run(Worker& worker) {
  std::optional<DispatchThread> thread;
  while (const std::shared_ptr<ActiveDispatch> dispatch = next()) {
    if (!thread) {
      try {
        thread.emplace(executor_);
      } catch (const std::bad_alloc&) {
        continue;  // there may be memory at the next call
      }
      std::lock_guard lock(mutex_);
      worker.dispatch_thread = &*thread;
    }
    thread->participate(*dispatch);
  }
  std::lock_guard lock(mutex_);
  worker.dispatch_thread = nullptr;
}

/// Polls for a call that comes after the first `seen` ones, for a limited time.
void WorkerPool::wait_for_call(uint64_t seen) const {
  const uint64_t start = hsam_timestamp();
  for (uint32_t step = 1; call_count_.load(std::memory_order_acquire) == seen; ++step) {
    hsam_cpu_relax();
    if (step % 16 != 0) continue;
    const uint64_t now = hsam_timestamp();
    if (now - start >= spin_time) return;
    if (now - start >= spin_pure) sched_yield();  // the caller may need this processor
  }
}

std::shared_ptr<ActiveDispatch> WorkerPool::next() {
  std::unique_lock lock(mutex_);
  bool has_polled = false;
  while (true) {
    while (!calls_.empty()) {
      const auto call = calls_.begin();
      std::shared_ptr<ActiveDispatch> dispatch = call->dispatch;
      if (dispatch->drained()) {
        calls_.erase(call);
        continue;
      }
      // Further helpers of the same dispatch come after those of other queues.
      if (--call->helpers != 0)
        calls_.splice(calls_.end(), calls_, call);
      else
        calls_.erase(call);
      return dispatch;
    }
    if (closing_) return nullptr;
    if (!has_polled) {
      has_polled = true;
      ++polling_;
      const uint64_t seen = call_count_.load(std::memory_order_relaxed);
      lock.unlock();
      wait_for_call(seen);
      lock.lock();
      --polling_;
    } else {
      ++idle_;
      wake_.wait(lock);
      --idle_;
    }
  }
}

}  // namespace heddle::agents
