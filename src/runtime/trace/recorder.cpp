// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/recorder.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include <unistd.h>

#include "driver/driver.h"
#include "driver/log.h"
#include "support/thread_name.h"

namespace heddle::runtime::trace {
namespace {

// How long a record waits at most before it is on its way to the file.
constexpr std::chrono::milliseconds period{50};

// Threads report an activity shortly after its end, so that records come almost in the order of their ends.
// Those of the last moments are kept back until those of slower threads have come.
uint64_t kept_back() { return driver::timestamp_frequency() / 200; }

/// The system's number of this thread; 0 = not asked for yet.
constinit thread_local uint32_t this_thread_id = 0;

uint32_t this_thread() {
  if (this_thread_id == 0) this_thread_id = static_cast<uint32_t>(gettid());
  return this_thread_id;
}

}  // namespace

Recorder::Recorder(uint32_t kinds, Write write) : kinds_(kinds), write_(std::move(write)) {
  for (Shard& shard : shards_) {
    shard.records.reserve(capacity);
    shard.emptied.reserve(capacity);
  }
  thread_ = std::thread([this] {
    name_thread("heddle-trace");
    run();
  });
  try {
    driver::Activities::subscribe(*this, kinds_);
  } catch (...) {
    close();
    throw;
  }
}

void Recorder::forget_parent_thread() noexcept { this_thread_id = 0; }

Recorder::Shard& Recorder::shard_of_this_thread() noexcept {
  static std::atomic<uint32_t> next{0};
  static thread_local const uint32_t mine = next.fetch_add(1, std::memory_order_relaxed) % shard_count;
  return shards_[mine];
}

/// Copies the name of a kernel. Null if there is no memory: the kernel then has no name in the trace.
const char* Recorder::keep_name(const char* name) noexcept try {
  std::lock_guard lock(names_mutex_);
  return names_.emplace_back(name).c_str();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Recorder::observe(const driver::Activity& activity) noexcept {
  Record record{activity, this_thread()};
  if (activity.kernel_name != nullptr) record.activity.kernel_name = keep_name(activity.kernel_name);
  Shard& shard = shard_of_this_thread();
  std::unique_lock lock(shard.mutex);
  while (shard.records.size() == capacity) {
    {
      std::lock_guard wake(mutex_);
      full_ = true;
    }
    wake_.notify_one();
    shard.has_room.wait(lock);
  }
  shard.records.push_back(record);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, period, [&] { return stop_ || full_ || wanted_ != done_; });
    full_ = false;
    const uint64_t wanted = wanted_;
    const bool everything = wanted != done_;
    lock.unlock();
    write_some(everything);
    lock.lock();
    done_ = wanted;
    flushed_.notify_all();
  }
}

/// Takes the records out of the shards.
void Recorder::collect() {
  for (Shard& shard : shards_) {
    {
      std::lock_guard lock(shard.mutex);
      if (shard.records.empty()) continue;
      shard.records.swap(shard.emptied);
    }
    shard.has_room.notify_all();
    collected_.insert(collected_.end(), shard.emptied.begin(), shard.emptied.end());
    shard.emptied.clear();
  }
}

/// Writes what has been recorded; without `everything`, but for the last moments.
void Recorder::write_some(bool everything) try {
  const uint64_t now = driver::timestamp();
  collect();
  std::ranges::stable_sort(collected_, {}, [](const Record& record) { return record.activity.end; });
  auto last = collected_.end();
  if (!everything)
    last = std::ranges::upper_bound(collected_, now - kept_back(), {},
                                    [](const Record& record) { return record.activity.end; });
  const auto count = static_cast<size_t>(last - collected_.begin());
  if (count == 0) return;
  write_(std::span(collected_).first(count));
  collected_.erase(collected_.begin(), last);
} catch (const std::bad_alloc&) {
  driver::log_error("the trace lacks {} records: no memory", collected_.size());
  collected_.clear();
}

void Recorder::flush() {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  const uint64_t mine = ++wanted_;
  wake_.notify_one();
  flushed_.wait(lock, [&] { return done_ >= mine; });
}

void Recorder::close() {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
  }
  driver::Activities::unsubscribe(*this);  // the thread still empties buffers, for which observers may wait
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  write_some(true);
}

}  // namespace heddle::runtime::trace
