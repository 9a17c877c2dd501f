// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "agents/common/dispatch.h"
#include "support/fork_handler.h"

namespace heddle::agents {

/// Some of an agent's compute units. For an agent that executes on the host these are the threads that can
/// work at the same time: worker i of the pool is unit i.
class ComputeUnits {
 public:
  ComputeUnits(std::span<const uint32_t> mask, uint32_t units);

  bool contains(uint32_t unit) const { return (mask_[unit / 32] >> unit % 32 & 1) != 0; }
  uint32_t count() const { return count_; }
  /// The first unit. The thread of the queue's packet processor, which takes part in all of its dispatches,
  /// stands for it.
  uint32_t first() const { return first_; }
  /// The number of workers that there must be so that `helpers` of them, or all that may help, can help.
  uint32_t workers_for(uint32_t helpers) const;

 private:
  std::vector<uint32_t> mask_;
  uint32_t units_;
  uint32_t count_ = 0;
  uint32_t first_ = 0;
};

/// How the dispatches of a queue are treated.
struct QueueTerms {
  hsam_queue_priority priority = HSAM_QUEUE_PRIORITY_NORMAL;
  std::shared_ptr<const ComputeUnits> units;  ///< null: all of them

  bool allows(uint32_t unit) const { return !units || (units->contains(unit) && unit != units->first()); }
};

/// The threads that help packet processors, shared by all queues of an agent. A helper enters a dispatch and
/// takes chunks of it until none are left; the lock of the pool is taken once each time that a thread is
/// called, never for a chunk. A helper that finds no call polls for a while before it sleeps. No queue
/// depends on the pool, because the thread of its packet processor runs dispatches even without helpers.
///
/// The child of a fork has none of the parent's threads and starts its own.
class WorkerPool {
 public:
  /// The pool has at most `threads` threads, which start when they are first needed.
  WorkerPool(Executor& executor, uint32_t threads);
  /// All queues must have been destroyed before.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  uint32_t size() const { return size_; }
  /// Gives a compute unit to the thread of a queue that may use all of them: each in turn, because there may
  /// be more queues than units, and workers that are units besides.
  uint32_t unit_for_queue() { return queues_.fetch_add(1, std::memory_order_relaxed) % std::max(size_, 1u); }

  /// Calls up to `helpers` threads into the dispatch; fewer, or none, if no memory or no thread is available.
  /// If it has been entered and is not shared yet, by the thread that works on it.
  /// Dispatches with greater priority are served first, and those of several queues with the same priority in
  /// turn.
  void call(std::shared_ptr<ActiveDispatch> dispatch, uint32_t helpers,
            const QueueTerms& terms = {}) noexcept;

  /// Gets threads out of stopped dispatches of `owner`.
  void interrupt(const DispatchOwner* owner);

 private:
  struct Worker {
    std::thread thread;
    uint32_t unit = 0;                          // the number of the worker
    DispatchThread* dispatch_thread = nullptr;  // guarded by mutex_
  };
  struct Call {
    std::shared_ptr<ActiveDispatch> dispatch;
    uint32_t helpers;
    QueueTerms terms;
  };

  void start_worker();
  void run(Worker& worker);
  void poll(std::unique_lock<std::mutex>& lock, uint64_t end);
  std::shared_ptr<ActiveDispatch> next(uint32_t unit);
  std::shared_ptr<ActiveDispatch> take(uint32_t unit);
  std::list<Call>::iterator behind(hsam_queue_priority priority);
  uint32_t workers_to_wake();
  void forget_drained();
  void forget_parent() noexcept;

  Executor& executor_;
  const uint32_t size_;
  std::atomic<uint32_t> queues_{0};  ///< that have asked for a unit
  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Call> calls_;  ///< of dispatches that had work left at the last call(), by falling priority
  std::list<Worker> workers_;
  uint32_t idle_ = 0;     ///< workers that sleep
  uint32_t polling_ = 0;  ///< workers in poll()
  bool closing_ = false;
  /// Tells workers that poll of a call, after it has been added to calls_. On a cache line of its own.
  alignas(64) std::atomic<uint64_t> call_count_{0};
  const ForkHandler fork_handler_{
      [](void* pool) noexcept { static_cast<WorkerPool*>(pool)->forget_parent(); }, this};
};

}  // namespace heddle::agents
