// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/dispatch.h"

#include <hsam/signal.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

namespace heddle::agents {
namespace {

constexpr uint64_t tick = HSAM_TIMESTAMP_NANOSECONDS;

// A chunk should last long enough to make taking it cheap, and short enough that its thread looks at its
// queue, and at the request to stop, now and then.
constexpr uint64_t chunk_shortest = 2'000;   // ns
constexpr uint64_t chunk_longest = 100'000;  // ns
// Waking a thread costs a system call and a delay until it runs, so it pays only for longer work.
constexpr uint64_t sharing_pays = 20'000;  // ns

// A wave that seems to wait may be in a loop that works between atomic operations. An idle thread therefore
// sleeps only now and then: a step costs a microsecond on average, and a long wait a fraction of a processor.
constexpr uint32_t idle_pauses = 64;
constexpr uint32_t idle_yields = 4096;
constexpr uint32_t idle_sleep_every = 64;
constexpr uint32_t crowded_sleep_every = 16;
constexpr long idle_sleep = 50'000;  // ns

}  // namespace

bool worth_dedicated_thread(uint64_t cost, uint64_t groups) {
  return cost == 0 || groups > sharing_pays / cost;
}

ActiveDispatch::ActiveDispatch(DispatchOwner& owner, const KernelDispatch& dispatch,
                               std::unique_ptr<Task> task)
    : owner_(owner), dispatch_(dispatch), task_(std::move(task)), cost_(task_->group_cost()) {
  if (!cost_) cost_ = &local_cost_;
}

void ActiveDispatch::restart(const KernelDispatch& dispatch, std::unique_ptr<Task> task) {
  assert(!shared() && !entered());
  dispatch_ = dispatch;
  task_ = std::move(task);
  cost_ = task_->group_cost();
  if (!cost_) cost_ = &local_cost_;
  local_cost_.store(0, std::memory_order_relaxed);
  started_.store(0, std::memory_order_relaxed);
  threads_.store(1, std::memory_order_relaxed);
  failed_ = false;
  finished_.store(false, std::memory_order_relaxed);
  written_.next.store(0, std::memory_order_relaxed);
  written_.stop.store(false, std::memory_order_relaxed);
}

/// Counts a thread that enters.
void ActiveDispatch::enter() {
  if (shared())
    written_.entered.fetch_add(1, std::memory_order_seq_cst);
  else
    written_.entered.store(1, std::memory_order_relaxed);
}

/// Ends what enter() began. Returns true for one thread: the last one, when all groups have run.
bool ActiveDispatch::leave() {
  if (shared())
    return written_.entered.fetch_sub(1, std::memory_order_seq_cst) == 1 && drained() &&
           !finished_.exchange(true, std::memory_order_acq_rel);
  written_.entered.store(0, std::memory_order_relaxed);
  if (!drained() || finished_.load(std::memory_order_relaxed)) return false;
  finished_.store(true, std::memory_order_relaxed);
  return true;
}

/// Takes this many of the groups that are left, or fewer; returns the first.
uint64_t ActiveDispatch::take(uint64_t groups) {
  if (shared()) return written_.next.fetch_add(groups, std::memory_order_acq_rel);
  const uint64_t first = written_.next.load(std::memory_order_relaxed);
  written_.next.store(first + groups, std::memory_order_relaxed);
  return first;
}

void ActiveDispatch::fail(Failure failure) {
  {
    std::lock_guard lock(failure_mutex_);
    if (!failed_) {
      failed_ = true;
      failure_ = std::move(failure);
    }
  }
  stop();
}

void ActiveDispatch::stop() {
  written_.stop.store(true, std::memory_order_release);
  std::lock_guard lock(sleepers_mutex_);
  for (const Sleeper* sleeper = sleepers_; sleeper; sleeper = sleeper->next)
    hsam_waiter_kick(&sleeper->waiter);
}

void ActiveDispatch::sleep(DispatchThread& thread, uint64_t deadline) {
  Sleeper self{thread.waiter(), nullptr};
  {
    // stop() either has set its flag by now, or will find this entry and kick its waiter.
    std::lock_guard lock(sleepers_mutex_);
    if (stopped()) return;
    self.next = std::exchange(sleepers_, &self);
  }
  if (thread.host_)
    thread.host_->sleep(deadline);
  else
    hsam_waiter_sleep(&self.waiter, deadline);
  std::lock_guard lock(sleepers_mutex_);
  Sleeper** at = &sleepers_;
  while (*at != &self) at = &(*at)->next;
  *at = self.next;
}

uint64_t ActiveDispatch::useful_threads() const {
  const uint64_t groups = remaining();
  const uint64_t cost = group_cost();
  if (cost == 0) return groups;  // unknown: too many threads once are better than hours of work on one
  const uint64_t groups_each = sharing_pays / cost + 1;
  return std::min(groups, groups / groups_each + 1);
}

void ActiveDispatch::measured(uint64_t ticks, uint64_t groups) {
  uint64_t cost = std::clamp<uint64_t>(ticks * tick / groups, 1, UINT32_MAX);
  const uint64_t before = group_cost();
  // A thread that lost its processor in between measures a cost that is far too high, so the estimate grows
  // only in steps. A low measurement is always right.
  if (before != 0) cost = cost < before ? (before + cost) / 2 : std::min(cost, 8 * before);
  cost_->store(static_cast<uint32_t>(std::min<uint64_t>(cost, UINT32_MAX)), std::memory_order_relaxed);
}

Groups::Groups(ActiveDispatch& dispatch, DispatchThread& thread)
    : dispatch_(dispatch),
      thread_(thread),
      stop_(dispatch.written_.stop),
      started_(dispatch.timed() ? hsam_timestamp() : 0),
      chunk_started_(started_) {
  uint64_t unset = 0;
  if (!dispatch_.shared())
    dispatch_.started_.store(started_, std::memory_order_relaxed);
  else
    dispatch_.started_.compare_exchange_strong(unset, started_, std::memory_order_relaxed);
}

bool Groups::cooperative() const { return dispatch_.dispatch().cooperative; }

bool Groups::take(GroupRange& range) { return take_up_to(~uint64_t{0}, range); }
bool Groups::take_one(GroupRange& range) { return take_up_to(1, range); }

bool Groups::take_up_to(uint64_t limit, GroupRange& range) {
  ActiveDispatch& d = dispatch_;
  uint64_t remaining = d.remaining();
  if (remaining == 0 || stopped()) return false;
  if (remaining > 1 || chunk_size_ != 0) {
    if (chunk_size_ != 0) {
      const uint64_t now = hsam_timestamp();
      d.measured(now - chunk_started_, chunk_size_);
      chunk_started_ = now;
    }
    if (thread_.host_) {
      thread_.host_->poll();
      if (d.threads() == 1 && d.useful_threads() > 1) thread_.host_->share(d);
    }
  }
  const uint64_t cost = d.group_cost();
  uint64_t chunk = 1;  // one group measures a kernel whose cost is not known yet
  if (cost != 0) {
    const uint64_t threads = d.threads();
    chunk = threads == 1 ? remaining : remaining / (4 * threads);
    chunk = std::clamp(chunk, chunk_shortest / cost + 1, chunk_longest / cost + 1);
  }
  chunk = std::min(chunk, limit);
  const uint64_t first = d.take(chunk);
  if (first >= d.dispatch_.group_count) return false;
  range.first = first;
  range.last = std::min(first + chunk, d.dispatch_.group_count);
  chunk_size_ = range.last - range.first;
  taken_ += chunk_size_;
  return true;
}

void Groups::fail(Failure failure) { dispatch_.fail(std::move(failure)); }

void Groups::trigger(uint64_t event, std::span<const hsam_event_value> values) noexcept {
  dispatch_.owner_.triggered(dispatch_, event, values);
}

void Groups::idle(uint32_t fruitless) {
  if (thread_.host_) thread_.host_->poll();
  if (fruitless < idle_pauses) return hsam_cpu_relax();
  const bool is_long = fruitless >= idle_yields && fruitless % idle_sleep_every == 0;
  // On a crowded machine the processor does not come back for milliseconds, which a loop that works between
  // atomic operations would lose at each of them.
  if (!is_long && hsam_offer_processor(hsam_timestamp())) return;
  if (!is_long && fruitless % crowded_sleep_every != 0) return hsam_cpu_relax();
  const timespec time = {0, idle_sleep};
  nanosleep(&time, nullptr);
}

hsam_waiter& Groups::waiter() { return thread_.waiter(); }

void Groups::watch() {
  if (thread_.host_)
    thread_.host_->watch();
  else
    hsam_waiter_reset(&thread_.local_waiter_);
}

void Groups::wait_for_signals(uint32_t fruitless, uint64_t deadline) {
  if (fruitless < idle_pauses) return idle(fruitless);
  if (thread_.host_) thread_.host_->poll();
  dispatch_.sleep(thread_, deadline);
}

DispatchThread::DispatchThread(Executor& executor, ThreadHost* host)
    : host_(host), thread_(executor.make_thread()) {}

void DispatchThread::participate(ActiveDispatch& dispatch, uint32_t compute_unit) {
  dispatch.enter();
  if (!dispatch.drained()) {
    // interrupt() is repeated until the thread has left, so that it may see this late.
    current_.store(&dispatch.owner_, std::memory_order_release);
    Groups groups(dispatch, *this);
    thread_->set_compute_unit(compute_unit);
    try {
      dispatch.task().run(*thread_, groups);
    } catch (const std::bad_alloc&) {
      dispatch.fail(out_of_memory());
    }
    if (groups.taken_ != 0) dispatch.owner_.executed(dispatch, compute_unit, groups.started_, groups.taken_);
    current_.store(nullptr, std::memory_order_release);
  }
  if (dispatch.leave()) dispatch.owner_.finished(dispatch);
}

void DispatchThread::interrupt(const DispatchOwner* owner) {
  if (current_.load(std::memory_order_seq_cst) == owner) thread_->interrupt();
}

}  // namespace heddle::agents
