// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The task system of the ispc twins: the three functions that code with `launch` calls, as ispc's
// documentation describes them. There is a thread for each processor beside the one that launches, which
// works on tasks while it waits.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace {

using Function = void(void* data, int thread, int threads, int task, int tasks, int task0, int task1,
                      int task2, int tasks0, int tasks1, int tasks2);

/// All tasks of one launch.
struct Launch {
  Function* function = nullptr;
  void* data = nullptr;
  int count[3] = {};
  int tasks = 0;
  std::atomic<int> next{0};  ///< the first task that nobody has taken
  std::atomic<int> unfinished{0};

  /// Works on tasks until all have been taken.
  void work(int thread, int threads) {
    for (int task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      const int task0 = task % count[0], task1 = task / count[0] % count[1],
                task2 = task / (count[0] * count[1]);
      function(data, thread, threads, task, tasks, task0, task1, task2, count[0], count[1], count[2]);
      unfinished.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
};

/// The launches of one function between two synchronizations, and the memory of their arguments.
struct Group {
  std::vector<std::shared_ptr<Launch>> launches;
  std::vector<void*> memory;
};

class Workers {
 public:
  Workers() {
    for (int i = 1; i < threads_; ++i) workers_.emplace_back([this, i] { serve(i); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  void start(std::shared_ptr<Launch> launch) {
    {
      const std::lock_guard lock(mutex_);
      current_ = std::move(launch);
      ++number_;
    }
    changed_.notify_all();
  }

  /// Helps with a launch and returns when all of its tasks are finished.
  void finish(Launch& launch) {
    launch.work(0, threads_);
    while (launch.unfinished.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }

 private:
  /// Workers stay awake for a moment after a launch, because the next one of the same run follows
  /// immediately.
  void serve(int thread) {
    constexpr int patience = 2000;
    for (uint64_t seen = 0;;) {
      for (int i = 0; i < patience && number_.load(std::memory_order_relaxed) == seen; ++i)
        __builtin_ia32_pause();
      std::shared_ptr<Launch> launch;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || number_ != seen; });
        if (stop_) return;
        launch = current_;
        seen = number_;
      }
      launch->work(thread, threads_);
    }
  }

  const int threads_ = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Launch> current_;
  std::atomic<uint64_t> number_{0};  ///< of the current launch
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

Workers& workers() {
  static Workers all;
  return all;
}

Group& group_of(void** handle) {
  if (*handle == nullptr) *handle = new Group;
  return *static_cast<Group*>(*handle);
}

}  // namespace

extern "C" {

/// Returns memory for the arguments of a launch, which lives until ISPCSync.
void* ISPCAlloc(void** handle, int64_t size, int32_t alignment) {
  const auto align = static_cast<size_t>(std::max<int32_t>(alignment, sizeof(void*)));
  const size_t rounded = (static_cast<size_t>(size) + align - 1) / align * align;
  void* memory = std::aligned_alloc(align, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  group_of(handle).memory.push_back(memory);
  return memory;
}

/// Starts the tasks of a launch.
void ISPCLaunch(void** handle, void* function, void* data, int count0, int count1, int count2) {
  auto launch = std::make_shared<Launch>();
  launch->function = reinterpret_cast<Function*>(function);
  launch->data = data;
  launch->count[0] = count0;
  launch->count[1] = count1;
  launch->count[2] = count2;
  launch->tasks = count0 * count1 * count2;
  launch->unfinished = launch->tasks;
  group_of(handle).launches.push_back(launch);
  workers().start(std::move(launch));
}

/// Waits for all tasks of a function.
void ISPCSync(void* handle) {
  const std::unique_ptr<Group> group(static_cast<Group*>(handle));
  if (!group) return;
  for (const auto& launch : group->launches) workers().finish(*launch);
  for (void* memory : group->memory) std::free(memory);
}
}
