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
  state_.stop = true;
  hsam_waiter_kick(&state_.waiter);
  if (state_.thread.joinable()) state_.thread.join();
  for (Lane& lane : state_.lanes)
    if (lane.stream) static_cast<void>(context_.status_of(context_.api().stream_destroy, lane.stream));
  if (words_) host_.release(words_, words_size);
}

/// Makes what all copies need, when the first one begins; false if there is no thread.
Driven<bool> AsyncCopies::prepare() {
  if (state_.is_ready.load(std::memory_order_acquire)) return true;
  if (auto provided = provide_words(); !provided) return provided.error();
  if (!has_thread()) return false;
  state_.is_ready.store(true, std::memory_order_release);
  return true;
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

/// Waits until the copies in a stream have ended that was left with a driver that was given up. Those behind
/// a kernel that does not end never do.
Driven<void> AsyncCopies::wait_for_left(Stream stream) const {
  constexpr timespec pause = {0, 100'000};
  for (int pauses = 0; pauses < 10'000; ++pauses) {
    if (context_.status_of_stream(stream) != Status::not_ready) return {};
    nanosleep(&pause, nullptr);
  }
  return DriverError{Status::not_ready, "copies of a driver that was given up do not end"};
}

/// Makes the stream of a lane, or another one if the context of the last one is lost. Returns the copies that
/// were lost with it in `lost`.
Driven<void> AsyncCopies::provide_stream(Lane& lane, std::optional<Lost>& lost) {
  if (lane.stream && lane.generation == context_.generation()) return {};
  if (lane.stream) {
    if (auto ended = wait_for_left(lane.stream); !ended) return ended;
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
Driven<void> AsyncCopies::submit(Lane& lane, const hsam_copy& copy, const CopyEnds& ends, uint64_t number) {
  const DriverApi& api = context_.api();
  bool is_whole = false;
  const Finally settle([&] {
    if (!is_whole) context_.wait_for(lane.stream);
  });
  Driven<void> added;
  for (uint64_t layer = 0; layer < copy.layers && added; ++layer)
    for (uint64_t row = 0; row < copy.rows && added; ++row)
      added = copies_.submit(
          lane.stream, static_cast<std::byte*>(copy.to) + layer * copy.to_slice + row * copy.to_pitch,
          static_cast<const std::byte*>(copy.from) + layer * copy.from_slice + row * copy.from_pitch,
          copy.row, ends);
  if (added)
    added = api.call(api.stream_write_value, lane.stream, reinterpret_cast<DeviceAddress>(lane.progress),
                     number, 0u);
  is_whole = added.ok();
  return added;
}

/// Takes back the latest copy, which could not be submitted. False if somebody has been told of its end,
/// because it has ended nevertheless. Needs the lane's submission.
bool AsyncCopies::withdraw_last(Lane& lane) {
  std::lock_guard lock(lane.taking);
  return lane.in_flight.withdraw_last();
}

/// Whether the GPU accesses all memory of the host that takes part. Adds to `ends` how.
bool AsyncCopies::is_accessible(CopyDirection direction, const hsam_copy& copy, CopyEnds& ends) const {
  if (direction != CopyDirection::to_host && direction != CopyDirection::to_device) return true;
  const auto access = direction == CopyDirection::to_host
                          ? host_.access(copy.to, extent(copy, copy.to_pitch, copy.to_slice))
                          : host_.access(copy.from, extent(copy, copy.from_pitch, copy.from_slice));
  ends.is_in_one_piece = access == HostMemory::Access::in_one_piece;
  return access != HostMemory::Access::not_everywhere;
}

Driven<bool> AsyncCopies::start(const hsam_copy& copy, void* cookie) {
  CopyEnds ends = copies_.ends(copy.to, copy.from);
  const auto direction = ends.direction();
  if (!direction || !is_accessible(*direction, copy, ends)) return false;
  if (auto used = context_.use(); !used) return used.error();
  if (auto shared = copies_.share_peers(ends); !shared) return shared.error();
  if (auto ready = prepare(); !ready || !*ready) return ready;
  Lane& lane = state_.lanes[static_cast<size_t>(*direction)];
  std::optional<Lost> lost;
  const Finally tell([&] { tell_of(lost); });  // when the lane is not locked any more
  {
    std::lock_guard lock(lane.submission);
    if (auto provided = provide_stream(lane, lost); !provided) return provided.error();
    const uint64_t number = ++lane.submitted;
    lane.in_flight.add({number, copy.row * copy.rows * copy.layers, hsam_timestamp(), cookie});
    bool is_settled = false;
    const Finally take_back([&] {
      if (!is_settled) withdraw_last(lane);  // submit() has thrown
    });
    // The thread wakes while the copy is submitted.
    hsam_waiter_kick(&state_.waiter);
    auto submitted = submit(lane, copy, ends, number);
    is_settled = true;
    if (!submitted && withdraw_last(lane)) return submitted.error();
  }
  return true;
}

/// Takes all copies of a lane, because nothing that it has begun will go on. Needs the lane's submission.
/// Throws std::bad_alloc before it has taken any.
AsyncCopies::Lost AsyncCopies::take_all(Lane& lane, const DriverError& error) {
  Lost lost{error, 0, {}};
  std::lock_guard lock(lane.taking);
  lost.copies.reserve(lane.in_flight.size());
  for (; !lane.in_flight.is_empty(); lane.in_flight.drop_first())
    if (const InFlight& copy = lane.in_flight.first(); !copy.is_withdrawn) lost.copies.push_back(copy);
  lost.progress = __atomic_load_n(lane.progress, __ATOMIC_ACQUIRE);
  return lost;
}

/// Tells of the end of such copies. Observers may begin others then, so no lane may be locked.
void AsyncCopies::tell_of(const std::optional<Lost>& lost) noexcept {
  if (!lost) return;
  const Driven<void> done;
  for (const InFlight& copy : lost->copies)
    ended_(copy.cookie, copy.number <= lost->progress ? done : lost->failed);
}

/// Asks the driver whether the context is lost, unless somebody is adding to the stream, who would find out.
void AsyncCopies::look_for_failure(Lane& lane) {
  std::optional<Lost> lost;
  {
    const std::unique_lock lock(lane.submission, std::try_to_lock);
    if (!lock || !lane.stream) return;
    if (lane.generation != context_.generation()) {
      if (context_.status_of_stream(lane.stream) == Status::not_ready) return;
      lost = take_all(lane, lost_process());
    } else {
      const Status status = context_.status_of_stream(lane.stream);
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

/// Takes the oldest copy of a lane if it has ended. If not, or if there is none, returns false; `first` is
/// then the one that ends next, or empty.
bool AsyncCopies::take_ended(Lane& lane, InFlight& first) noexcept {
  first = {};
  std::lock_guard lock(lane.taking);
  while (!lane.in_flight.is_empty()) {
    first = lane.in_flight.first();
    const bool has_ended = first.number <= lane.seen;
    if (!has_ended && !first.is_withdrawn) return false;
    lane.in_flight.drop_first();
    if (!first.is_withdrawn) return true;
    first = {};
  }
  return false;
}

/// Tells of the end of the copies that have ended, and plans for the next one.
void AsyncCopies::end_finished(Lane& lane, Look& found) noexcept {
  InFlight first;
  while (take_ended(lane, first)) {
    // What the copy took does not include telling of its end. All else comes after those who wait.
    const uint64_t now = hsam_timestamp();
    ended_(first.cookie, {});
    lane.durations.note(first.bytes, now - std::max(first.began, lane.last_end));
    lane.last_end = now;
    found.has_ended = true;
  }
  if (first.number != 0) plan(lane, first, found);
}

/// Decides until when to poll and to sleep for the copy of a lane that ends next.
void AsyncCopies::plan(const Lane& lane, const InFlight& next, Look& found) {
  const agents::LookTimes times(std::max(next.began, lane.last_end), lane.durations.expected(next.bytes));
  const uint64_t now = hsam_timestamp();
  found.is_in_flight = true;
  found.poll_until = std::max(found.poll_until, times.poll_until(now));
  found.sleep_until = std::min(found.sleep_until, times.sleep_until(now));
}

/// Looks at the lanes in which something is in flight. The others cost a look at words that the thread has
/// read before.
AsyncCopies::Look AsyncCopies::look() noexcept {
  Look found;
  for (Lane& lane : state_.lanes) {
    lane.seen = __atomic_load_n(lane.progress, __ATOMIC_ACQUIRE);
    if (!lane.in_flight.is_empty()) end_finished(lane, found);
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
    if (now >= until || !hsam_offer_processor_rarely(now)) return false;
  }
}

void AsyncCopies::run() {
  uint64_t last_end = 0;
  for (;;) {
    // This is an exchange and not hsam_waiter_reset(), which only stores: by reading the word that a kick has
    // written, the thread also sees the copy that was added before that kick, so that a release store
    // suffices for the addition. A sequentially consistent one would make the adding thread own the cache
    // line for the addition and again for the kick, and this thread would take it away in between.
    static_cast<void>(__atomic_exchange_n(&state_.waiter.word, HSAM_WAITER_AWAKE, __ATOMIC_SEQ_CST));
    const Look found = look();
    if (found.has_ended) {
      last_end = hsam_timestamp();
    } else if (found.is_in_flight) {
      if (found.poll_until != 0 && poll(found.poll_until)) continue;
      if (!hsam_waiter_sleep(&state_.waiter, found.sleep_until)) look_for_failures();
    } else if (state_.stop) {
      return;
    } else if (!poll(last_end + idle_poll)) {
      hsam_waiter_sleep(&state_.waiter, UINT64_MAX);
    }
  }
}

}  // namespace heddle::cuda
