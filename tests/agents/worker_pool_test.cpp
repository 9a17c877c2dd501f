// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
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
    DispatchThread(executor).participate(*meet);
    while (meet->entered()) std::this_thread::sleep_for(100us);
    return seen.size();
  }

  ThreadsOnly executor;
  WorkerPool pool{executor, 3};

 private:
  void finished(ActiveDispatch&) override {}
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
    self.participate(*other);
    others.push_back(other);
  }
  const auto kept = std::count_if(others.begin(), others.end(), [](auto& other) { return !other.expired(); });
  open = true;
  while (busy->entered()) std::this_thread::sleep_for(100us);
  EXPECT_LE(kept, 1);
}

}  // namespace
}  // namespace heddle::agents
