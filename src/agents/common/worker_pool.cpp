// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

#include "agents/common/polling.h"
#include "support/thread_name.h"

namespace heddle::agents {
namespace {

// How long a worker polls for another call before it sleeps.
constexpr uint64_t spin_time = 50 * ticks_per_microsecond;

}  // namespace

ComputeUnits::ComputeUnits(std::span<const uint32_t> mask, uint32_t units)
    : mask_(mask.begin(), mask.end()), units_(units) {
  mask_.resize((units + 31) / 32);
  for (uint32_t unit = units; unit-- > 0;) {
    if (!contains(unit)) continue;
    ++count_;
    first_ = unit;
  }
}

uint32_t ComputeUnits::workers_for(uint32_t helpers) const {
  uint32_t unit = first_ + 1;
  for (; unit < units_ && helpers != 0; ++unit)
    if (contains(unit)) --helpers;
  return unit;
}

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

void WorkerPool::call(std::shared_ptr<ActiveDispatch> dispatch, uint32_t helpers,
                      const QueueTerms& terms) noexcept {
  helpers = std::min(helpers, terms.units ? terms.units->count() - 1 : size_);
  if (helpers == 0) return;
  dispatch->set_shared();
  uint32_t wake = 0;
  try {
    std::lock_guard lock(mutex_);
    forget_drained();
    calls_.insert(behind(terms.priority), {std::move(dispatch), helpers, terms});
    wake = workers_to_wake();
    if (terms.units)
      for (const uint32_t wanted = terms.units->workers_for(helpers); workers_.size() < wanted;)
        start_worker();
  } catch (const std::exception&) {
    wake = size_;  // no memory, or no more threads: those that exist, and the caller, do the work
  }
  // Now that the lock is free.
  call_count_.fetch_add(1, std::memory_order_release);
  for (uint32_t i = 0; i < wake; ++i) wake_.notify_one();
}

/// The place of a call behind all others that are as important.
std::list<WorkerPool::Call>::iterator WorkerPool::behind(hsam_queue_priority priority) {
  return std::ranges::find_if(calls_, [&](const Call& call) { return call.terms.priority < priority; });
}

/// Returns how many workers that sleep have to be woken for the calls, after it has started workers if there
/// are too few.
uint32_t WorkerPool::workers_to_wake() {
  // Only some workers may take a call that names units, and nobody knows whether those sleep.
  const bool named =
      std::ranges::any_of(calls_, [](const Call& call) { return call.terms.units != nullptr; });
  // Workers that have been told of an earlier call, and have not taken it yet, still count as polling or
  // idle.
  uint64_t wanted = 0;
  for (const Call& call : calls_)
    if (!call.terms.units) wanted += call.helpers;
  const auto awake = static_cast<uint32_t>(std::min<uint64_t>(wanted, polling_));
  const auto wake = static_cast<uint32_t>(std::min<uint64_t>(wanted - awake, idle_));
  for (uint64_t i = awake + wake; i < wanted && workers_.size() < size_; ++i) start_worker();
  return named ? size_ : wake;
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
  const auto unit = static_cast<uint32_t>(workers_.size());
  Worker& worker = workers_.emplace_back();
  worker.unit = unit;
  try {
    worker.thread = std::thread([this, &worker] {
      name_thread("heddle-worker");
      run(worker);
    });
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
  while (const std::shared_ptr<ActiveDispatch> dispatch = next(worker.unit)) {
    if (!thread) {
      try {
        thread.emplace(executor_);
      } catch (const std::bad_alloc&) {
        continue;  // there may be memory at the next call
      }
      std::lock_guard lock(mutex_);
      worker.dispatch_thread = &*thread;
    }
    thread->participate(*dispatch, worker.unit);
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

/// Takes the first call that this worker may take. Null if there is none.
std::shared_ptr<ActiveDispatch> WorkerPool::take(uint32_t unit) {
  for (auto call = calls_.begin(); call != calls_.end();) {
    std::shared_ptr<ActiveDispatch> dispatch = call->dispatch;
    if (dispatch->drained()) {
      call = calls_.erase(call);
      continue;
    }
    if (!call->terms.allows(unit)) {
      ++call;
      continue;
    }
    // Further helpers of the same dispatch come after those of other queues.
    if (--call->helpers != 0)
      calls_.splice(behind(call->terms.priority), calls_, call);
    else
      calls_.erase(call);
    return dispatch;
  }
  return nullptr;
}

std::shared_ptr<ActiveDispatch> WorkerPool::next(uint32_t unit) {
  std::unique_lock lock(mutex_);
  const uint64_t poll_end = hsam_timestamp() + spin_time;
  while (true) {
    if (auto dispatch = take(unit)) return dispatch;
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
