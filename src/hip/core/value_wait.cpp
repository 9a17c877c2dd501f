// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/value_wait.h"
#include "support/thread_name.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::hip {
namespace {

/// All values for which streams wait now. Lives as long as the process, with its thread.
class Watch {
 public:
  static Watch& get() {
    static auto* const watch = new Watch;
    return *watch;
  }

  void add(const ValueCondition& condition, MarkerPointer marker) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({condition, std::move(marker)});
    awake_.notify_one();
  }

 private:
  struct Waiting {
    ValueCondition condition;
    MarkerPointer marker;
  };

  Watch() {
    std::thread([this] {
      name_thread("heddle-values");
      run();
    }).detach();
  }

  [[noreturn]] void run() {
    constexpr int eager_looks = 200;
    constexpr std::chrono::microseconds pause(50);
    int looks = 0;
    for (std::unique_lock lock(mutex_);;) {
      awake_.wait(lock, [this] { return !waiting_.empty(); });
      looks = finish_met() ? 0 : looks + 1;
      lock.unlock();
      if (looks < eager_looks)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(pause);
      lock.lock();
    }
  }

  /// Ends the waits whose condition is met, or whose device has failed. Returns whether there was any.
  bool finish_met() {
    return std::erase_if(waiting_, [](const Waiting& wait) {
             if (wait.marker->done()) return true;
             if (!wait.condition.met()) return false;
             wait.marker->finish();
             return true;
           }) != 0;
  }

  std::mutex mutex_;
  std::condition_variable awake_;
  std::vector<Waiting> waiting_;
};

template <typename T>
bool meets(const ValueCondition& condition) {
  const T now = static_cast<T>(__atomic_load_n(static_cast<const T*>(condition.address), __ATOMIC_ACQUIRE) &
                               static_cast<T>(condition.mask));
  const T value = static_cast<T>(condition.value);
  switch (condition.flags) {
    case hipStreamWaitValueGte:
      return now >= value;
    case hipStreamWaitValueEq:
      return now == value;
    case hipStreamWaitValueAnd:
      return (now & value) != 0;
    default:
      return static_cast<T>(~(now | (value & static_cast<T>(condition.mask)))) != 0;
  }
}

}  // namespace

bool ValueCondition::met() const { return size == 4 ? meets<uint32_t>(*this) : meets<uint64_t>(*this); }

void wait_for_value(Stream& stream, const ValueCondition& condition) {
  stream.run_until([condition](const MarkerPointer& marker) {
    if (condition.met())
      marker->finish();
    else
      Watch::get().add(condition, marker);
  });
}

void write_value(Stream& stream, void* address, uint32_t size, uint64_t value) {
  stream.run(
      [=] {
        if (size == 4)
          __atomic_store_n(static_cast<uint32_t*>(address), static_cast<uint32_t>(value), __ATOMIC_RELEASE);
        else
          __atomic_store_n(static_cast<uint64_t*>(address), value, __ATOMIC_RELEASE);
      },
      Stream::AtOnce::yes);
}

}  // namespace heddle::hip
