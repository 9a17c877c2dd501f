// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "agents/common/dispatch.h"
#include "support/fork_handler.h"

namespace heddle::agents {

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

  /// Calls up to `helpers` threads into the dispatch; fewer, or none, if no memory or no thread is available.
  /// Dispatches of several queues are served in turn.
  void call(std::shared_ptr<ActiveDispatch> dispatch, uint32_t helpers) noexcept;

  /// Gets threads out of stopped dispatches of `owner`.
  void interrupt(const DispatchOwner* owner);

 private:
  struct Worker {
    std::thread thread;
    DispatchThread* dispatch_thread = nullptr;  // guarded by mutex_
  };
  struct Call {
    std::shared_ptr<ActiveDispatch> dispatch;
    uint32_t helpers;
  };

  void start_worker();
  void run(Worker& worker);
  void poll(std::unique_lock<std::mutex>& lock, uint64_t end);
  std::shared_ptr<ActiveDispatch> next();
  void forget_drained();
  void forget_parent() noexcept;

  Executor& executor_;
  const uint32_t size_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Call> calls_;  ///< of dispatches that had work left at the last call()
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
