// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "layers/check/site.h"
#include "support/fork_handler.h"

namespace heddle::check {
namespace {

struct Thread {
  std::atomic<const char*> function{nullptr};
  uint64_t id = 0;
  bool is_runtimes = false;  ///< its first call was in a callback
};

struct Threads {
  std::mutex mutex;
  std::vector<Thread*> list;
};

/// Never destroyed, because threads may end after everything else has been.
Threads& threads() {
  static auto* const all = new Threads;
  return *all;
}

/// The entry of this thread in the list.
struct Registration {
  Registration() {
    thread.id = static_cast<uint64_t>(::syscall(SYS_gettid));
    thread.is_runtimes = Site::here().is_in_callback();
    const std::lock_guard lock(threads().mutex);
    threads().list.push_back(&thread);
  }
  ~Registration() {
    const std::lock_guard lock(threads().mutex);
    std::erase(threads().list, &thread);
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  Thread thread;
};

/// Returns null if there was no memory to note the thread.
Thread* current() noexcept {
  try {
    static thread_local Registration registration;
    return &registration.thread;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool enter(const char* function) noexcept {
  Thread* thread = current();
  if (thread == nullptr || thread->function.load(std::memory_order_relaxed) != nullptr) return false;
  thread->function.store(function, std::memory_order_seq_cst);
  return true;
}

}  // namespace

CallUnderWay::CallUnderWay(const char* function) noexcept : outermost_(enter(function)) {}

CallUnderWay::~CallUnderWay() {
  if (outermost_) current()->function.store(nullptr, std::memory_order_release);
}

std::vector<CallUnderWay::Other> CallUnderWay::of_other_threads() {
  std::vector<Other> others;
  const std::lock_guard lock(threads().mutex);
  for (const Thread* thread : threads().list) {
    const char* function = thread->function.load(std::memory_order_seq_cst);
    if (function != nullptr && thread != current() && !thread->is_runtimes)
      others.push_back({thread->id, function});
  }
  return others;
}

void CallUnderWay::forget_other_threads() noexcept {
  Thread* thread = current();
  abandon(threads());
  if (thread == nullptr) return;
  thread->id = static_cast<uint64_t>(::syscall(SYS_gettid));
  try {
    threads().list.push_back(thread);
  } catch (const std::bad_alloc&) {  // this thread is then missing from the list
    return;
  }
}

bool is_runtime_thread() noexcept {
  const Thread* thread = current();
  return thread != nullptr && thread->is_runtimes;
}

uint64_t this_thread() noexcept {
  Thread* thread = current();
  return thread != nullptr ? thread->id : static_cast<uint64_t>(::syscall(SYS_gettid));
}

}  // namespace heddle::check
