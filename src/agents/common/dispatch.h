// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/activity.h>
#include <hsam/hsam.h>
#include <hsam/signal.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "agents/common/executor.h"

namespace heddle::agents {

class ActiveDispatch;

/// The packet processor that launched a dispatch, as the dispatch sees it.
class DispatchOwner {
 public:
  /// Called once, by the last thread that leaves the dispatch, to perform the completion phase or report the
  /// error.
  virtual void finished(ActiveDispatch& dispatch) = 0;
  /// Called by each thread that has executed groups of the dispatch, when it has no more and before it
  /// leaves: since `started` (ticks), the compute unit has executed this many.
  virtual void executed(ActiveDispatch& dispatch, uint32_t compute_unit, uint64_t started,
                        uint64_t groups) noexcept = 0;
  /// Called by a thread that executes groups of the dispatch, when a work-item triggers a profile event.
  virtual void triggered(const ActiveDispatch& dispatch, uint64_t event,
                         std::span<const hsam_event_value> values) noexcept = 0;

 protected:
  ~DispatchOwner() = default;
};

/// Whether so many groups, of which one takes `cost` nanoseconds (0 = not known), are enough work for a
/// thread of their own beside the dispatches already in flight.
bool worth_dedicated_thread(uint64_t cost, uint64_t groups);

/// A dispatch between launch and completion. Shared by the packet processor, the pool and the threads that
/// run it.
///
/// A thread enters the dispatch, and leaves it when no work-group is left to take. When the last thread
/// leaves and no group is left, every group has therefore run, so that finished groups need not be counted.
class ActiveDispatch : public std::enable_shared_from_this<ActiveDispatch> {
 public:
  ActiveDispatch(DispatchOwner& owner, const KernelDispatch& dispatch, std::unique_ptr<Task> task);

  /// Makes the object of a dispatch that has ended, and that no other thread has ever seen, another dispatch.
  void restart(const KernelDispatch& dispatch, std::unique_ptr<Task> task);
  /// Lets go of the task of a dispatch that has ended.
  void drop_task() {
    cost_ = &local_cost_;
    task_.reset();
  }

  const KernelDispatch& dispatch() const { return dispatch_; }
  Task& task() { return *task_; }
  const DispatchOwner* owner() const { return &owner_; }

  /// Whether somebody wants to know when the dispatch starts and ends. One with several groups is always
  /// timed. To be set before a thread enters.
  bool timed() const { return timed_; }
  void set_timed(bool timed) { timed_ = timed; }
  /// The system timestamp at which the first thread entered; 0 if it is not timed.
  uint64_t started() const { return started_.load(std::memory_order_relaxed); }

  /// Whether no further group will be handed out.
  bool drained() const {
    return written_.stop.load(std::memory_order_acquire) ||
           written_.next.load(std::memory_order_acquire) >= dispatch_.group_count;
  }
  uint64_t remaining() const {
    const uint64_t next = written_.next.load(std::memory_order_relaxed);
    return next < dispatch_.group_count ? dispatch_.group_count - next : 0;
  }

  /// Ends the dispatch early: no further group is handed out, and threads that sleep in it wake up.
  void stop();
  bool stopped() const { return written_.stop.load(std::memory_order_acquire); }
  void fail(Failure failure);
  /// The first failure, or null if there was none. To be called only after the last thread has left.
  const Failure* failure() const { return failed_ ? &failure_ : nullptr; }

  /// The estimated run time of one group in nanoseconds; 0 if nothing is known yet. measured() adds an
  /// observation.
  uint32_t group_cost() const { return cost_->load(std::memory_order_relaxed); }
  void measured(uint64_t ticks, uint64_t groups);
  /// The largest number of threads that still makes the remaining groups finish sooner, given what it costs
  /// to wake one.
  uint64_t useful_threads() const;
  /// Whether the dispatch is long enough for a thread of its own beside the dispatches already in flight.
  bool worth_dedicated_thread() const { return agents::worth_dedicated_thread(group_cost(), remaining()); }

  /// Sleeps on the waiter of the calling thread until the waiter is hit, the dispatch is stopped, or
  /// `deadline` (ticks) has come.
  void sleep(DispatchThread& thread, uint64_t deadline);

  /// Whether any thread works on the dispatch.
  bool entered() const { return written_.entered.load(std::memory_order_acquire) != 0; }

  /// The number of threads that are meant to work on the dispatch; it determines the size of chunks.
  uint32_t threads() const { return threads_.load(std::memory_order_relaxed); }
  void set_threads(uint32_t threads) { threads_.store(threads, std::memory_order_relaxed); }

  /// Whether the owner lists it among those that any thread may finish. To be set before it is shared.
  bool listed() const { return listed_; }
  void set_listed() { listed_ = true; }

  /// Whether other threads may enter it than the one that launched it. Set by that thread, before they can:
  /// as long as it is alone it updates what threads share without atomic instructions.
  bool shared() const { return shared_.load(std::memory_order_relaxed); }
  void set_shared() { shared_.store(true, std::memory_order_relaxed); }

 private:
  friend class Groups;
  friend class DispatchThread;

  void enter();
  bool leave();
  uint64_t take(uint64_t groups);

  DispatchOwner& owner_;
  KernelDispatch dispatch_;
  std::unique_ptr<Task> task_;
  std::atomic<uint32_t>* cost_;
  std::atomic<uint32_t> local_cost_{0};  ///< for a task that keeps none
  std::atomic<uint64_t> started_{0};
  std::atomic<uint32_t> threads_{1};
  bool timed_ = true;
  bool listed_ = false;
  std::atomic<bool> shared_{false};
  /// A thread that is in sleep(); the entry lies on its stack.
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
  /// What running threads write. It lies on cache lines of its own, away from what they read: gaps do that as
  /// well as an alignment, with which the allocator would take several times as long.
  struct Written {
    std::byte gap_before_next[64];
    std::atomic<uint64_t> next{0};
    std::byte gap_before_entered[64];
    std::atomic<uint32_t> entered{0};
    std::byte gap_before_stop[64];
    std::atomic<bool> stop{false};
    std::byte gap_behind[64];
  } written_;
};

/// What a packet processor does for its own thread while that thread runs groups. Workers of the pool have no
/// host.
class ThreadHost {
 public:
  /// Launches all packets that can be launched. Never runs groups. Cheap when there is nothing to launch.
  virtual void poll() noexcept = 0;
  /// Calls helpers into a dispatch that has more groups left than one thread should run.
  virtual void share(ActiveDispatch& dispatch) noexcept = 0;
  /// The waiter that ends the thread's sleep when it is hit.
  virtual hsam_waiter& waiter() noexcept = 0;
  /// Resets the waiter, so that whatever hits it from now on ends the next sleep.
  virtual void watch() noexcept = 0;
  /// Sleeps until poll() may have something to do, the waiter is hit, or `deadline` (ticks) has come.
  virtual void sleep(uint64_t deadline) noexcept = 0;

 protected:
  ~ThreadHost() = default;
};

/// A thread that runs dispatches: a worker of the pool, or the thread of a packet processor. Constructed on
/// that thread.
class DispatchThread {
 public:
  explicit DispatchThread(Executor& executor, ThreadHost* host = nullptr);

  /// Runs groups of the dispatch as this compute unit until none are left, and finishes it if this was the
  /// last thread in it. The caller keeps the dispatch alive meanwhile; its owner may drop it as soon as its
  /// last thread leaves.
  void participate(ActiveDispatch& dispatch, uint32_t compute_unit);

  /// Called by another thread to get this one out of a stopped dispatch of `owner`.
  void interrupt(const DispatchOwner* owner);

 private:
  friend class Groups;
  friend class ActiveDispatch;
  hsam_waiter& waiter() { return host_ ? host_->waiter() : local_waiter_; }

  ThreadHost* host_;
  hsam_waiter local_waiter_ = {HSAM_WAITER_AWAKE};  ///< for a thread without a host
  std::unique_ptr<ExecutorThread> thread_;
  std::atomic<const DispatchOwner*> current_{nullptr};
};

}  // namespace heddle::agents
