// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/async_copies.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "agents/common/polling.h"
#include "support/exception_safety.h"
#include "support/thread_name.h"

namespace heddle::cuda {
namespace {

DriverError lost_process() {
  return {Status::process_lost, "the process of the GPU was lost while it copied"};
}

/// How long the thread polls for the next copy when one has ended, in ticks.
constexpr uint64_t idle_poll = 50 * agents::ticks_per_microsecond;
/// How often it looks before it looks at the clock.
constexpr unsigned looks_in_a_row = 16;
constexpr uint64_t words_size = 4096;
/// Words that the GPU writes for different streams are in different cache lines.
constexpr uint64_t word_distance = 128;

/// The bytes from the first of an area to its last.
uint64_t extent(const hsam_copy& copy, uint64_t pitch, uint64_t slice) {
  return (copy.layers - 1) * slice + (copy.rows - 1) * pitch + copy.row;
}

}  // namespace

AsyncCopies::AsyncCopies(GpuContext& context, Copies& copies, HostMemory& host, Ended ended)
    : context_(context), copies_(copies), host_(host), ended_(std::move(ended)) {}

AsyncCopies::~AsyncCopies() {
  {
    std::lock_guard lock(state_.thread_mutex);
    state_.stop = true;
  }
  hsam_waiter_kick(&state_.waiter);
  if (state_.thread.joinable()) state_.thread.join();
  for (Lane& lane : state_.lanes)
    if (lane.stream) static_cast<void>(context_.status_of(context_.api().stream_destroy, lane.stream));
  if (words_) host_.release(words_, words_size);
}

/// Makes the memory in which the GPU tells of its progress.
Driven<void> AsyncCopies::provide_words() {
  static_assert(copy_directions * word_distance <= words_size);
  std::lock_guard lock(words_mutex_);
  if (words_) return {};
  const auto made = host_.allocate(words_size);
  if (!made) return made.error();
  for (size_t i = 0; i < copy_directions; ++i)
    state_.lanes[i].progress =
        reinterpret_cast<const uint64_t*>(static_cast<const std::byte*>(*made) + i * word_distance);
  words_ = *made;
  return {};
}

/// Starts the thread that watches, unless it runs already; false if there is none.
bool AsyncCopies::has_thread() {
  std::lock_guard lock(state_.thread_mutex);
  if (state_.thread.joinable()) return true;
  try {
    state_.thread = std::thread([this] {
      name_thread("heddle-gpucopy");
      agents::wake_precisely();
      run();
    });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

/// Makes the stream of a lane, or another one if the context of the last one is lost. Returns the copies that
/// were lost with it in `lost`.
Driven<void> AsyncCopies::provide_stream(Lane& lane, std::optional<Lost>& lost) {
  if (lane.stream && lane.generation == context_.generation()) return {};
  if (lane.stream) {
    lost = take_all(lane, lost_process());
    static_cast<void>(context_.status_of(context_.api().stream_destroy, std::exchange(lane.stream, nullptr)));
  }
  for (;;) {
    lane.generation = context_.generation();
    auto made = context_.call(context_.api().stream_create, &lane.stream, stream_non_blocking, 0);
    if (!made) {
      lane.stream = nullptr;
      return made;
    }
    // It may be the stream of a process that has been lost since.
    if (lane.generation == context_.generation()) return {};
    static_cast<void>(context_.status_of(context_.api().stream_destroy, std::exchange(lane.stream, nullptr)));
  }
}

/// Adds all rows to the stream, and the write that tells of their end. Waits for what has begun if the rest
/// cannot be added.
Driven<void> AsyncCopies::submit(Lane& lane, const hsam_copy& copy, uint64_t number) {
  const DriverApi& api = context_.api();
  Driven<void> done;
  const Finally settle([&] {
    if (!done) context_.wait_for(lane.stream);
  });
  done = DriverError{Status::out_of_memory, "there is no memory for the pieces of a copy"};  // if it throws
  Driven<void> added;
  for (uint64_t layer = 0; layer < copy.layers && added; ++layer)
    for (uint64_t row = 0; row < copy.rows && added; ++row)
      added = copies_.submit(
          lane.stream, static_cast<std::byte*>(copy.to) + layer * copy.to_slice + row * copy.to_pitch,
          static_cast<const std::byte*>(copy.from) + layer * copy.from_slice + row * copy.from_pitch,
          copy.row);
  if (added)
    added = api.call(api.stream_write_value, lane.stream, reinterpret_cast<DeviceAddress>(lane.progress),
                     number, 0u);
  done = added;
  return added;
}

/// Takes back a copy that could not be submitted. False if it has been told of its end, because the context
/// was lost meanwhile.
bool AsyncCopies::withdraw(Lane& lane, uint64_t number) {
  std::lock_guard lock(lane.mutex);
  if (lane.in_flight.empty() || lane.in_flight.back().number != number) return false;
  lane.in_flight.pop_back();
  return true;
}

/// Whether the GPU accesses all memory of the host that takes part.
bool AsyncCopies::is_accessible(CopyDirection direction, const hsam_copy& copy) const {
  if (direction == CopyDirection::to_host)
    return host_.contains(copy.to, extent(copy, copy.to_pitch, copy.to_slice));
  return direction != CopyDirection::to_device ||
         host_.contains(copy.from, extent(copy, copy.from_pitch, copy.from_slice));
}

Driven<bool> AsyncCopies::start(const hsam_copy& copy, void* cookie) {
  const auto to = reinterpret_cast<DeviceAddress>(copy.to), from = reinterpret_cast<DeviceAddress>(copy.from);
  const auto direction = copies_.direction(to, from);
  if (!direction || !is_accessible(*direction, copy)) return false;
  if (auto used = context_.use(); !used) return used.error();
  if (auto shared = copies_.share_peers(to, from); !shared) return shared.error();
  if (auto provided = provide_words(); !provided) return provided.error();
  if (!has_thread()) return false;
  Lane& lane = state_.lanes[static_cast<size_t>(*direction)];
  std::optional<Lost> lost;
  const Finally tell([&] { tell_of(lost); });  // when the lane is not locked any more
  {
    std::lock_guard lock(lane.submission);
    if (auto provided = provide_stream(lane, lost); !provided) return provided.error();
    const uint64_t number = ++lane.submitted;
    {
      std::lock_guard in_flight_lock(lane.mutex);
      lane.in_flight.push_back({number, copy.row * copy.rows * copy.layers, hsam_timestamp(), cookie});
    }
    bool is_settled = false;
    const Finally take_back([&] {
      if (!is_settled) withdraw(lane, number);  // submit() has thrown
    });
    // The thread wakes while the copy is submitted.
    hsam_waiter_kick(&state_.waiter);
    auto submitted = submit(lane, copy, number);
    is_settled = true;
    if (!submitted && withdraw(lane, number)) return submitted.error();
  }
  return true;
}

/// Takes all copies of a lane, because nothing that it has begun will go on. Needs the lane's submission.
AsyncCopies::Lost AsyncCopies::take_all(Lane& lane, const DriverError& error) {
  Lost lost{error, 0, {}};
  std::lock_guard lock(lane.mutex);
  lost.copies.swap(lane.in_flight);
  lost.progress = __atomic_load_n(lane.progress, __ATOMIC_ACQUIRE);
  return lost;
}

/// Tells of the end of such copies. Observers may begin others then, so no lane may be locked.
void AsyncCopies::tell_of(const std::optional<Lost>& lost) {
  if (!lost) return;
  for (const InFlight& copy : lost->copies)
    ended_(copy.cookie, copy.number <= lost->progress ? Driven<void>() : Driven<void>(lost->error));
}

/// Asks the driver whether the context is lost, unless somebody is adding to the stream, who would find out.
void AsyncCopies::look_for_failure(Lane& lane) {
  std::optional<Lost> lost;
  {
    const std::unique_lock lock(lane.submission, std::try_to_lock);
    if (!lock || !lane.stream) return;
    if (lane.generation != context_.generation()) {
      lost = take_all(lane, lost_process());
    } else {
      const Status status = context_.status_of(context_.api().stream_query, lane.stream);
      if (status == Status::success || status == Status::not_ready) return;
      lost = take_all(lane, context_.api().error_of("cuStreamQuery", status));
    }
  }
  tell_of(lost);
}

void AsyncCopies::look_for_failures() noexcept try {
  for (Lane& lane : state_.lanes) look_for_failure(lane);
} catch (const std::bad_alloc&) {
  // The next look may have more memory.
  return;
}

/// Tells of the end of the copies that have ended; false if none has.
bool AsyncCopies::end_finished(Lane& lane) noexcept {
  bool any = false;
  for (;;) {
    InFlight ended;
    {
      std::lock_guard lock(lane.mutex);
      if (lane.in_flight.empty()) return any;
      ended = lane.in_flight.front();
      if (__atomic_load_n(lane.progress, __ATOMIC_ACQUIRE) < ended.number) return any;
      lane.in_flight.pop_front();
    }
    // Those who wait come first.
    const uint64_t now = hsam_timestamp();
    ended_(ended.cookie, {});
    any = true;
    std::lock_guard lock(lane.mutex);
    lane.durations.note(ended.bytes, now - std::max(ended.began, lane.last_end));
    lane.last_end = now;
  }
}

/// Decides until when to poll and to sleep for the copy of a lane that ends next. Needs the lane's mutex.
void AsyncCopies::plan(Lane& lane, Look& found) {
  const InFlight& next = lane.in_flight.front();
  const agents::LookTimes times(std::max(next.began, lane.last_end), lane.durations.expected(next.bytes));
  const uint64_t now = hsam_timestamp();
  found.is_in_flight = true;
  found.poll_until = std::max(found.poll_until, times.poll_until(now));
  found.sleep_until = std::min(found.sleep_until, times.sleep_until(now));
}

AsyncCopies::Look AsyncCopies::look() noexcept {
  Look found;
  for (Lane& lane : state_.lanes) {
    lane.seen = __atomic_load_n(lane.progress, __ATOMIC_ACQUIRE);
    found.has_ended |= end_finished(lane);
    std::lock_guard lock(lane.mutex);
    if (!lane.in_flight.empty()) plan(lane, found);
  }
  return found;
}

/// Whether a copy has ended since the last look, or somebody has begun one.
bool AsyncCopies::is_anything_new() const noexcept {
  if (__atomic_load_n(&state_.waiter.word, __ATOMIC_ACQUIRE) != HSAM_WAITER_AWAKE) return true;
  return std::ranges::any_of(state_.lanes, [](const Lane& lane) {
    return __atomic_load_n(lane.progress, __ATOMIC_ACQUIRE) != lane.seen;
  });
}

/// Returns whether something has happened before the time for polling was over. Looks as often as it can:
/// what it waits for is written by a GPU, which a look does not hold up, and a small copy takes microseconds.
/// Offers the processor to other threads nevertheless.
bool AsyncCopies::poll(uint64_t until) const noexcept {
  for (unsigned step = 0;; ++step) {
    if (is_anything_new()) return true;
    hsam_cpu_relax();
    if (step % looks_in_a_row != looks_in_a_row - 1) continue;
    const uint64_t now = hsam_timestamp();
    if (now >= until || !hsam_offer_processor(now)) return false;
  }
}

bool AsyncCopies::must_stop() {
  std::lock_guard lock(state_.thread_mutex);
  return state_.stop;
}

void AsyncCopies::run() {
  uint64_t last_end = 0;
  for (;;) {
    hsam_waiter_reset(&state_.waiter);
    const Look found = look();
    if (found.has_ended) {
      last_end = hsam_timestamp();
    } else if (found.is_in_flight) {
      if (found.poll_until != 0 && poll(found.poll_until)) continue;
      if (!hsam_waiter_sleep(&state_.waiter, found.sleep_until)) look_for_failures();
    } else if (must_stop()) {
      return;
    } else if (!poll(last_end + idle_poll)) {
      hsam_waiter_sleep(&state_.waiter, UINT64_MAX);
    }
  }
}

}  // namespace heddle::cuda
