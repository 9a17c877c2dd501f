// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "agents/common/executor.h"

namespace heddle::agents {

class ActiveDispatch;

/// Whoever launched a dispatch: its packet processor.
class DispatchOwner {
 public:
  /// Called once, by the last thread that leaves the dispatch: the completion phase, or the error.
  virtual void finished(ActiveDispatch& dispatch) = 0;

 protected:
  ~DispatchOwner() = default;
};

/// A dispatch between launch and completion. Shared by the packet processor, the pool and the threads that
/// run it.
///
/// Threads enter and leave; a thread leaves when no group is left to take. So when the last one leaves and
/// nothing is left, every group has run, without a count of finished groups.
class ActiveDispatch : public std::enable_shared_from_this<ActiveDispatch> {
 public:
  ActiveDispatch(DispatchOwner& owner, const KernelDispatch& dispatch, std::unique_ptr<Task> task);

  const KernelDispatch& dispatch() const { return dispatch_; }
  Task& task() { return *task_; }
  const DispatchOwner* owner() const { return &owner_; }

  /// When the first thread entered, system ticks.
  uint64_t started() const { return started_.load(std::memory_order_relaxed); }

  /// No group will be handed out any more.
  bool drained() const {
    return stop_.load(std::memory_order_acquire) ||
           next_.load(std::memory_order_acquire) >= dispatch_.group_count;
  }
  uint64_t remaining() const {
    const uint64_t next = next_.load(std::memory_order_relaxed);
    return next < dispatch_.group_count ? dispatch_.group_count - next : 0;
  }

  /// Wakes threads that sleep in it.
  void stop();
  bool stopped() const { return stop_.load(std::memory_order_acquire); }
  void fail(Failure failure);
  /// The first failure, or null. Asked after the last thread has left.
  const Failure* failure() const { return failed_ ? &failure_ : nullptr; }

  /// Nanoseconds of one group as far as known, 0 = not yet. measured() adds an observation.
  uint32_t group_cost() const { return cost_->load(std::memory_order_relaxed); }
  void measured(uint64_t ticks, uint64_t groups);
  /// How many threads can do what remains faster than fewer can, given what waking one costs.
  uint64_t useful_threads() const;
  /// Whether it is worth a thread of its own beside what is already in flight.
  bool worth_own_thread() const;

  /// Sleeps on the waiter of the calling thread: until it is hit, the dispatch is stopped, or `deadline`.
  void sleep(DispatchThread& thread, uint64_t deadline);

  /// Threads are in it.
  bool entered() const { return entered_.load(std::memory_order_acquire) != 0; }

  /// Threads that are meant to work on it; sets the size of chunks.
  uint32_t threads() const { return threads_.load(std::memory_order_relaxed); }
  void set_threads(uint32_t threads) { threads_.store(threads, std::memory_order_relaxed); }

 private:
  friend class Groups;
  friend class DispatchThread;

  DispatchOwner& owner_;
  KernelDispatch dispatch_;
  std::unique_ptr<Task> task_;
  std::atomic<uint32_t>* cost_;
  std::atomic<uint32_t> own_cost_{0};
  std::atomic<uint64_t> started_{0};
  std::atomic<uint32_t> threads_{1};
  /// A thread in sleep(), on its stack.
  struct Sleeper {
    hsam_waiter& waiter;
    Sleeper* next;
  };
  std::mutex sleepers_mutex_;
  Sleeper* sleepers_ = nullptr;
  std::mutex failure_mutex_;
  bool failed_ = false;
  Failure failure_;
  std::atomic<bool> finished_{false};
  // The words that running threads write, away from those that they read.
  alignas(64) std::atomic<uint64_t> next_{0};
  alignas(64) std::atomic<uint32_t> entered_{0};
  alignas(64) std::atomic<bool> stop_{false};
};

/// What a packet processor does for its thread while that runs groups; the workers of the pool have none.
class ThreadHost {
 public:
  /// Launches what can be launched. Never runs groups. Cheap when there is nothing.
  virtual void poll() noexcept = 0;
  /// What remains is more than one thread should do: calls helpers.
  virtual void share(ActiveDispatch& dispatch) noexcept = 0;
  /// What ends its sleep.
  virtual hsam_waiter& waiter() noexcept = 0;
  /// Whatever hits the waiter from now on ends the next sleep.
  virtual void watch() noexcept = 0;
  /// Sleeps until poll() may have something to do, the waiter is hit, or `deadline` (ticks).
  virtual void sleep(uint64_t deadline) noexcept = 0;

 protected:
  ~ThreadHost() = default;
};

/// A thread that runs dispatches: a worker of the pool, or the thread of a packet processor. Made on that
/// thread.
class DispatchThread {
 public:
  explicit DispatchThread(Executor& executor, ThreadHost* host = nullptr);

  /// Runs groups of the dispatch until none are left, and finishes it if this was the last thread in it.
  void participate(ActiveDispatch& dispatch);

  /// Another thread's way to get this one out of a stopped dispatch of `owner`.
  void interrupt(const DispatchOwner* owner);

 private:
  friend class Groups;
  friend class ActiveDispatch;
  hsam_waiter& waiter() { return host_ ? host_->waiter() : own_waiter_; }

  ThreadHost* host_;
  hsam_waiter own_waiter_ = {HSAM_WAITER_AWAKE};
  std::unique_ptr<ExecutorThread> thread_;
  std::atomic<const DispatchOwner*> current_{nullptr};
};

}  // namespace heddle::agents
