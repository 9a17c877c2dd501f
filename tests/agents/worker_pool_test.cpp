// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_TEST_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_TEST_UNDER_TSAN 1
#endif
#endif

namespace heddle::agents {
namespace {

using namespace std::chrono_literals;

/// An executor that only makes threads; the tests make the tasks themselves.
class ThreadsOnly final : public Executor {
 public:
  std::unique_ptr<ExecutorThread> make_thread() override { return std::make_unique<ExecutorThread>(); }
  Result<std::unique_ptr<Task>, Failure> prepare(const KernelDispatch&) override {
    return Failure{HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "not in this test"};
  }
  Result<std::shared_ptr<LoadedCode>, Error> load(std::span<const std::byte>,
                                                  std::span<const hsam_variable_address>) override {
    return Error{"not in this test"};
  }
};

class WorkerPoolTest : public ::testing::Test, private DispatchOwner {
 protected:
  /// Makes a dispatch whose work-groups are calls of a function.
  std::shared_ptr<ActiveDispatch> dispatch(uint64_t groups, std::function<void()> group) {
    struct FunctionTask final : Task {
      explicit FunctionTask(std::function<void()> group) : group(std::move(group)) {}
      void run(ExecutorThread&, Groups& groups) override {
        for (GroupRange range; groups.take_one(range);) group();
      }
      std::function<void()> group;
    };
    KernelDispatch description;
    description.group_count = groups;
    ++unfinished_;
    return std::make_shared<ActiveDispatch>(static_cast<DispatchOwner&>(*this), description,
                                            std::make_unique<FunctionTask>(std::move(group)));
  }
  /// Runs a dispatch of `threads` groups, each of which waits for all others. Returns the number of threads
  /// that took part: the calling thread and helpers of the pool.
  size_t threads_that_meet(size_t threads) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto meet = dispatch(threads, [&] {
      const auto patience = std::chrono::steady_clock::now() + 10min;
      std::unique_lock lock(mutex);
      seen.insert(std::this_thread::get_id());
      while (seen.size() < threads && std::chrono::steady_clock::now() < patience) {
        lock.unlock();
        std::this_thread::sleep_for(100us);
        lock.lock();
      }
    });
    pool.call(meet, static_cast<uint32_t>(threads - 1));
    DispatchThread(executor).participate(*meet, 0);
    wait_for_dispatches();
    return seen.size();
  }
  /// Waits until no thread needs this object any more: a thread that has left a dispatch, so that nobody is
  /// in it, may still be on its way to finished().
  void wait_for_dispatches() const {
    while (unfinished_ != 0) std::this_thread::sleep_for(100us);
  }

  ThreadsOnly executor;
  WorkerPool pool{executor, 3};

 private:
  void finished(ActiveDispatch&) override { --unfinished_; }
  void executed(ActiveDispatch&, uint32_t, uint64_t, uint64_t) noexcept override {}
  void triggered(const ActiveDispatch&, uint64_t, std::span<const hsam_event_value>) noexcept override {}

  std::atomic<size_t> unfinished_{0};
};

TEST_F(WorkerPoolTest, HelpersMeet) { EXPECT_EQ(threads_that_meet(4), 4u); }

/// The child of a fork has none of the parent's threads, so its pool has to start helpers again.
TEST_F(WorkerPoolTest, TheChildOfAForkGetsHelpers) {
#ifdef HEDDLE_TEST_UNDER_TSAN
  GTEST_SKIP() << "ThreadSanitizer forbids threads in the child of a process with threads";
#endif
  EXPECT_EQ(threads_that_meet(4), 4u);
  std::this_thread::sleep_for(20ms);  // until the helpers are idle, so that the child inherits an idle pool
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);
    _exit(static_cast<int>(threads_that_meet(4)));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(threads_that_meet(4), 4u) << "the parent lost helpers";
}

TEST_F(WorkerPoolTest, CallsThatNoWorkerTakesAreForgotten) {
  std::atomic<bool> open{false};
  const auto busy = dispatch(3, [&] {
    while (!open) std::this_thread::sleep_for(100us);
  });
  pool.call(busy, 3);
  while (!busy->drained()) std::this_thread::sleep_for(100us);
  std::vector<std::weak_ptr<ActiveDispatch>> others;
  DispatchThread self(executor);
  for (int i = 0; i < 1000; ++i) {
    const auto other = dispatch(2, [] {});
    pool.call(other, 1);
    self.participate(*other, 0);
    others.push_back(other);
  }
  const auto kept = std::count_if(others.begin(), others.end(), [](auto& other) { return !other.expired(); });
  open = true;
  wait_for_dispatches();
  EXPECT_LE(kept, 1);
}

TEST(ComputeUnitsTest, CountWhatTheMaskHas) {
  const uint32_t mask[] = {0x80000014, 0xffffffff};
  const ComputeUnits units(mask, 40);
  EXPECT_EQ(units.count(), 3u + 8u);
  EXPECT_EQ(units.first(), 2u);
  EXPECT_TRUE(units.contains(4) && units.contains(31) && units.contains(39));
  EXPECT_FALSE(units.contains(0) || units.contains(3) || units.contains(30));
  // The first unit is not a worker's.
  EXPECT_EQ(units.workers_for(1), 5u);
  EXPECT_EQ(units.workers_for(2), 32u);
  EXPECT_EQ(units.workers_for(100), 40u);
  EXPECT_EQ(ComputeUnits({mask, 1}, 8).count(), 2u);
  EXPECT_EQ(ComputeUnits({}, 8).count(), 0u);
}

/// As many threads work at the same time as the mask has units, and always the same ones.
TEST_F(WorkerPoolTest, OnlyTheUnitsOfAQueueWork) {
  // Returns the greatest number of threads that were inside at the same time. No group ends before all
  // threads that may work have been seen.
  const auto threads_in = [&](uint32_t mask, std::set<std::thread::id>& seen) {
    const auto expected = static_cast<size_t>(std::popcount(mask));
    const auto patience = std::chrono::steady_clock::now() + 10min;
    QueueTerms terms;
    terms.units = std::make_shared<const ComputeUnits>(std::span(&mask, 1), 3u);
    std::mutex mutex;
    std::atomic<size_t> inside{0}, most{0};
    const auto work = dispatch(60, [&] {
      const size_t now = ++inside;
      for (size_t known = most; known < now && !most.compare_exchange_weak(known, now);) {
      }
      for (bool all = false; !all && std::chrono::steady_clock::now() < patience;) {
        std::this_thread::sleep_for(100us);
        std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
        all = seen.size() >= expected;
      }
      --inside;
    });
    pool.call(work, 3, terms);
    DispatchThread(executor).participate(*work, 0);
    wait_for_dispatches();
    return most.load();
  };
  std::set<std::thread::id> one, two, again, all;
  EXPECT_EQ(threads_in(0b100, one), 1u);
  EXPECT_EQ(one, std::set{std::this_thread::get_id()});
  EXPECT_EQ(threads_in(0b101, two), 2u);
  EXPECT_EQ(two.size(), 2u);
  EXPECT_EQ(threads_in(0b101, again), 2u);
  EXPECT_EQ(again, two);
  EXPECT_EQ(threads_in(0b111, all), 3u);
  EXPECT_EQ(all.size(), 3u);
  EXPECT_TRUE(std::ranges::includes(all, two));
  // Calls for all workers are not held up by one that nobody may take.
  EXPECT_EQ(threads_that_meet(4), 4u);
}

TEST_F(WorkerPoolTest, GreaterPriorityGoesFirst) {
  std::atomic<bool> open{false};
  const auto busy = dispatch(3, [&] {
    while (!open) std::this_thread::sleep_for(100us);
  });
  pool.call(busy, 3);
  while (!busy->drained()) std::this_thread::sleep_for(100us);
  // All workers are busy. One unit takes the calls that wait, one after the other.
  std::mutex mutex;
  std::vector<int> order;
  const uint32_t mask = 0b101;
  std::vector<std::shared_ptr<ActiveDispatch>> waiting;
  for (const int priority : {1, 0, 2, 1, 0, 2}) {
    QueueTerms terms;
    terms.priority = static_cast<hsam_queue_priority>(priority);
    terms.units = std::make_shared<const ComputeUnits>(std::span(&mask, 1), 3u);
    waiting.push_back(dispatch(1, [&, priority] {
      std::lock_guard lock(mutex);
      order.push_back(priority);
    }));
    pool.call(waiting.back(), 1, terms);
  }
  open = true;
  wait_for_dispatches();
  EXPECT_EQ(order, (std::vector{2, 2, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace heddle::agents
