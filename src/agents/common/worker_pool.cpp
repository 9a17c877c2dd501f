// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/worker_pool.h"

#include <algorithm>
#include <system_error>

namespace heddle::agents {

WorkerPool::WorkerPool(Executor& executor, uint32_t threads) : executor_(executor), size_(threads) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (Worker& worker : workers_) worker.thread.join();
}

void WorkerPool::call(std::shared_ptr<ActiveDispatch> dispatch, uint32_t helpers) {
  helpers = std::min(helpers, size_);
  if (helpers == 0) return;
  uint32_t wake;
  {
    std::lock_guard lock(mutex_);
    calls_.push_back({std::move(dispatch), helpers});
    wake = std::min(helpers, idle_);
    for (uint32_t i = wake; i < helpers && workers_.size() < size_; ++i) {
      Worker& worker = workers_.emplace_back();
      try {
        worker.thread = std::thread([this, &worker] { run(worker); });
      } catch (const std::system_error&) {
        workers_.pop_back();  // no more threads to be had: those that exist, and the caller, do the work
        break;
      }
    }
  }
  for (uint32_t i = 0; i < wake; ++i) wake_.notify_one();
}

void WorkerPool::interrupt(const DispatchOwner* owner) {
  std::lock_guard lock(mutex_);
  for (Worker& worker : workers_)
    if (worker.dispatch_thread) worker.dispatch_thread->interrupt(owner);
}

void WorkerPool::run(Worker& worker) {
  DispatchThread thread(executor_);
  {
    std::lock_guard lock(mutex_);
    worker.dispatch_thread = &thread;
  }
  while (const std::shared_ptr<ActiveDispatch> dispatch = next()) thread.participate(*dispatch);
  std::lock_guard lock(mutex_);
  worker.dispatch_thread = nullptr;
}

std::shared_ptr<ActiveDispatch> WorkerPool::next() {
  std::unique_lock lock(mutex_);
  while (true) {
    while (!calls_.empty()) {
      Call call = std::move(calls_.front());
      calls_.pop_front();
      if (call.dispatch->drained()) continue;
      // Further helpers of the same dispatch come after those of other queues.
      if (--call.helpers != 0) calls_.push_back(call);
      return std::move(call.dispatch);
    }
    if (closing_) return nullptr;
    ++idle_;
    wake_.wait(lock);
    --idle_;
  }
}

}  // namespace heddle::agents
