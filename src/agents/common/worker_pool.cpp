// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include "agents/common/polling.h"

namespace heddle::agents {
namespace {

// How long a worker polls for another call before it sleeps.
constexpr uint64_t spin_time = 50 * ticks_per_microsecond;

}  // namespace

WorkerPool::WorkerPool(Executor& executor, uint32_t threads) : executor_(executor), size_(threads) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  call_count_.fetch_add(1, std::memory_order_release);
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
    // Workers that have been told of an earlier call, and have not taken it yet, still count as polling or
    // idle.
    uint64_t wanted = 0;
    for (const Call& call : calls_) wanted += call.helpers;
    const auto awake = static_cast<uint32_t>(std::min<uint64_t>(wanted, polling_));
    wake = static_cast<uint32_t>(std::min<uint64_t>(wanted - awake, idle_));
    for (uint64_t i = awake + wake; i < wanted && workers_.size() < size_; ++i) start_worker();
  } catch (const std::exception&) {
    wake = size_;  // no memory, or no more threads: those that exist, and the caller, do the work
  }
  // Now that the lock is free.
  call_count_.fetch_add(1, std::memory_order_release);
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

/// Lets go of the lock and polls until there has been another call, or until `end` (ticks).
void WorkerPool::poll(std::unique_lock<std::mutex>& lock, uint64_t end) {
  ++polling_;
  const uint64_t seen = call_count_.load(std::memory_order_relaxed);
  lock.unlock();
  Polling polling(end);
  while (call_count_.load(std::memory_order_acquire) == seen && polling.pause()) {
  }
  // Others may have been polling, too: a mutex that is taken would send this thread to sleep.
  constexpr int patience = 64;
  for (int i = 0; i < patience && !lock.try_lock(); ++i) hsam_cpu_relax();
  if (!lock.owns_lock()) lock.lock();
  --polling_;
}

std::shared_ptr<ActiveDispatch> WorkerPool::next() {
  std::unique_lock lock(mutex_);
  const uint64_t poll_end = hsam_timestamp() + spin_time;
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
    if (hsam_timestamp() < poll_end) {
      poll(lock, poll_end);
    } else {
      ++idle_;
      wake_.wait(lock);
      --idle_;
    }
  }
}

}  // namespace heddle::agents
