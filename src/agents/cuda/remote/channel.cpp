// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/channel.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <ctime>
#include <memory>
#include <new>
#include <optional>

#include "agents/common/polling.h"

namespace heddle::cuda::remote {
namespace {

constexpr uint64_t client_polls = 30 * agents::ticks_per_microsecond;
constexpr uint64_t host_polls = 60 * agents::ticks_per_microsecond;
/// How long a client sleeps before it looks whether anybody is there, in nanoseconds.
constexpr long longest_sleep = 5'000'000;

enum : uint16_t { kind_call, kind_post, kind_skip };

/// Stands before each request in the ring.
struct Header {
  uint32_t size;  ///< bytes, with this and padding
  uint16_t function;
  uint16_t kind;
};
static_assert(sizeof(Header) == 8);

void futex_wait(std::atomic<uint32_t>& word, uint32_t value, const timespec* timeout) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, timeout, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Wakes a thread that sleeps on the word, or is about to.
void wake(std::atomic<uint32_t>& sleeps) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeps.load(std::memory_order_relaxed) == 0) return;
  sleeps.store(0, std::memory_order_relaxed);
  futex_wake(sleeps);
}

/// Sleeps unless `condition` holds, until somebody wakes the thread.
template <typename Condition>
void sleep_unless(std::atomic<uint32_t>& sleeps, Condition condition, const timespec* timeout) {
  sleeps.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!condition()) futex_wait(sleeps, 1, timeout);
  sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace

Channel::Channel(SharedPages pages, std::function<bool()> is_alive)
    : pages_(std::move(pages)),
      memory_(*new (pages_.base()) ChannelMemory()),
      is_alive_(std::move(is_alive)) {}

std::unique_ptr<Channel> Channel::create(std::function<bool()> is_alive) {
  SharedPages pages = SharedPages::create(sizeof(ChannelMemory));
  if (!pages) return nullptr;
  return std::unique_ptr<Channel>(new Channel(std::move(pages), std::move(is_alive)));
}

template <typename Condition>
bool Channel::wait_until(Condition condition) {
  agents::Polling polling(hsam_timestamp() + client_polls);
  while (!condition()) {
    if (polling.pause()) continue;
    const timespec timeout = {0, longest_sleep};
    sleep_unless(memory_.client_sleeps, condition, &timeout);
    if (!condition() && !is_alive_()) return condition();
  }
  return true;
}

/// Waits until so many bytes fit behind what has been posted, before the end of the ring.
bool Channel::make_room(size_t size) {
  const auto fits = [&](size_t bytes) {
    const uint64_t used = memory_.posted.load(std::memory_order_relaxed) - memory_.taken.load();
    return ChannelMemory::ring_size - used >= bytes;
  };
  const uint64_t posted = memory_.posted.load(std::memory_order_relaxed);
  const size_t to_end = ChannelMemory::ring_size - posted % ChannelMemory::ring_size;
  if (to_end >= size) return wait_until([&] { return fits(size); });
  if (!wait_until([&] { return fits(to_end + size); })) return false;
  const Header skip = {static_cast<uint32_t>(to_end), 0, kind_skip};
  std::memcpy(memory_.ring + posted % ChannelMemory::ring_size, &skip, sizeof skip);
  memory_.posted.store(posted + to_end, std::memory_order_release);
  return true;
}

bool Channel::put(uint16_t function, uint16_t kind, std::span<const std::byte> request) {
  assert(request.size() <= largest_request);
  const size_t size = sizeof(Header) + align_up(request.size(), sizeof(Header));
  if (!make_room(size)) return false;
  const uint64_t posted = memory_.posted.load(std::memory_order_relaxed);
  std::byte* const to = memory_.ring + posted % ChannelMemory::ring_size;
  const Header header = {static_cast<uint32_t>(size), function, kind};
  std::memcpy(to, &header, sizeof header);
  if (!request.empty()) std::memcpy(to + sizeof header, request.data(), request.size());
  memory_.posted.store(posted + size, std::memory_order_release);
  wake(memory_.host_sleeps);
  return true;
}

std::optional<Status> Channel::call(uint16_t function, std::span<const std::byte> request,
                                    const std::function<void(Reader&)>& take) {
  std::lock_guard lock(mutex_);
  if (!put(function, kind_call, request)) return std::nullopt;
  ++calls_;
  if (!wait_until([&] { return memory_.answered.load(std::memory_order_acquire) == calls_; }))
    return std::nullopt;
  Reader answer({memory_.answer, std::min<size_t>(memory_.answer_size, sizeof memory_.answer)});
  take(answer);
  return memory_.status;
}

bool Channel::post(uint16_t function, std::span<const std::byte> request) {
  std::lock_guard lock(mutex_);
  return put(function, kind_post, request);
}

ChannelHost::ChannelHost(SharedPages pages)
    : pages_(std::move(pages)), memory_(*static_cast<ChannelMemory*>(pages_.base())) {}

void ChannelHost::serve(const Execute& execute) {
  while (true)
    if (!serve_once(execute)) rest();
}

/// Polls for a while, then sleeps until there is a request.
void ChannelHost::rest() {
  const auto has_work = [this] {
    return memory_.posted.load(std::memory_order_acquire) != memory_.taken.load(std::memory_order_relaxed);
  };
  agents::Polling polling(hsam_timestamp() + host_polls);
  while (!has_work())
    if (!polling.pause()) sleep_unless(memory_.host_sleeps, has_work, nullptr);
}

bool ChannelHost::serve_once(const Execute& execute) {
  const uint64_t taken = memory_.taken.load(std::memory_order_relaxed);
  if (memory_.posted.load(std::memory_order_acquire) == taken) return false;
  const std::byte* const from = memory_.ring + taken % ChannelMemory::ring_size;
  Header header;
  std::memcpy(&header, from, sizeof header);
  if (header.kind != kind_skip) {
    Reader request({from + sizeof header, header.size - sizeof header});
    const Status status = perform(execute, header.function, header.kind, request);
    if (header.kind == kind_call) {
      memory_.status = status;
      memory_.answered.store(memory_.answered.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  }
  memory_.taken.store(taken + header.size, std::memory_order_release);
  wake(memory_.client_sleeps);
  return true;
}

/// What was posted behind an error is not carried out: it may say that something has ended which has not even
/// begun. Calls tell of the error instead of success.
Status ChannelHost::perform(const Execute& execute, uint16_t function, uint16_t kind, Reader& request) {
  answer_.clear();
  if (kind == kind_post) {
    if (memory_.posted_error != Status::success) return Status::success;
    memory_.posted_error = execute(function, request, answer_);
    return Status::success;
  }
  const Status status = execute(function, request, answer_);
  const auto answer = answer_.bytes();
  assert(answer.size() <= sizeof memory_.answer);
  memory_.answer_size = answer.size();
  if (!answer.empty()) std::memcpy(memory_.answer, answer.data(), answer.size());
  return status == Status::success ? memory_.posted_error.load() : status;
}

}  // namespace heddle::cuda::remote
