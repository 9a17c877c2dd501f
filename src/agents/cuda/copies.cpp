// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/copies.h"

#include <algorithm>
#include <utility>

#include "agents/common/polling.h"
#include "support/exception_safety.h"

namespace heddle::cuda {
namespace {

/// How late the system may wake a thread, in ticks: 50 us as threads have it unless they ask for less, and
/// what a virtual machine adds.
constexpr uint64_t wake_delay_max = 100 * agents::ticks_per_microsecond;
/// How long a thread polls at least before it sleeps: longer than a small copy takes.
constexpr uint64_t min_polling_time = 30 * agents::ticks_per_microsecond;

/// How long a thread sleeps at most before it asks the driver for errors, in ticks.
constexpr uint64_t longest_sleep = 1000 * agents::ticks_per_microsecond;

void sleep_until(uint64_t deadline) {
  hsam_waiter nobody{};
  hsam_waiter_sleep(&nobody, deadline);
}

DeviceAddress address(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

}  // namespace

Copies::~Copies() {
  for (const CopyStream& stream : idle_) destroy(stream);
}

void Copies::destroy(const CopyStream& stream) noexcept {
  static_cast<void>(context_.status_of(context_.api().stream_destroy, stream.stream));
  if (!stream.progress) return;
  // The next stream goes on from here, so that it cannot take a late write of this one for its own.
  __atomic_store_n(stream.progress, stream.copies, __ATOMIC_RELAXED);
  words_.give_back(stream.progress);
}

/// Streams end with the context that they were made in. Those in use go when they are given back. Needs
/// mutex_.
void Copies::forget_streams_of_lost_context() {
  const uint64_t present = context_.generation();
  if (std::exchange(generation_, present) == present) return;
  for (const CopyStream& stream : idle_) destroy(stream);
  streams_ -= idle_.size();
  idle_.clear();
}

/// Makes a stream. Without memory for its progress word, waits for it ask the driver.
Driven<Copies::CopyStream> Copies::make_stream() {
  CopyStream made;
  made.generation = generation_;
  if (const auto word = words_.take()) {
    made.progress = *word;
    made.copies = __atomic_load_n(made.progress, __ATOMIC_RELAXED);
  }
  auto done = context_.api().call(context_.api().stream_create, &made.stream, stream_non_blocking, 0);
  if (done) return made;
  if (made.progress) words_.give_back(made.progress);
  return done.error();
}

Driven<Copies::CopyStream> Copies::take_stream() {
  if (auto used = context_.use(); !used) return used.error();
  std::lock_guard lock(mutex_);
  forget_streams_of_lost_context();
  if (!idle_.empty()) {
    const CopyStream stream = idle_.back();
    idle_.pop_back();
    return stream;
  }
  idle_.reserve(streams_ + 1);
  auto made = make_stream();
  if (made) ++streams_;
  return made;
}

void Copies::give_back(const CopyStream& taken) noexcept {
  std::lock_guard lock(mutex_);
  if (taken.generation == generation_) {
    idle_.push_back(taken);
    return;
  }
  destroy(taken);
  --streams_;
}

std::optional<CopyDirection> CopyEnds::direction() const {
  if (to_own && from_own) return CopyDirection::on_device;
  if (to_own) return from_peer ? CopyDirection::from_peer : CopyDirection::to_device;
  if (from_own) return to_peer ? CopyDirection::to_peer : CopyDirection::to_host;
  return std::nullopt;
}

CopyEnds Copies::ends(const void* to, const void* from) const {
  CopyEnds found;
  found.to_own = device_.contains(address(to));
  found.from_own = device_.contains(address(from));
  if (!found.to_own) found.to_peer = OpenMemories::instance().at(address(to));
  if (!found.from_own) found.from_peer = OpenMemories::instance().at(address(from));
  return found;
}

Driven<void> Copies::share_peers(const CopyEnds& ends) const {
  for (DeviceMemory* const memory : {ends.to_peer, ends.from_peer}) {
    if (!memory) continue;
    if (auto allowed = memory->allow(context_.number()); !allowed) return allowed;
    if (auto used = context_.use(); !used) return used;
  }
  return {};
}

Driven<void> Copies::submit(Stream stream, std::byte* to, const std::byte* from, uint64_t size,
                            const CopyEnds& ends) {
  const DriverApi& api = context_.api();
  const bool to_gpu = ends.to_gpu(), from_gpu = ends.from_gpu();
  while (size != 0) {
    uint64_t piece = size;
    if (!to_gpu && !ends.is_in_one_piece) piece = host_.piece(to, piece);
    if (!from_gpu && !ends.is_in_one_piece) piece = host_.piece(from, piece);
    auto done = to_gpu && from_gpu ? api.call(api.copy_on_device, address(to), address(from), piece, stream)
                : to_gpu
                    ? api.call(api.copy_to_device, address(to), static_cast<const void*>(from), piece, stream)
                : from_gpu ? api.call(api.copy_to_host, static_cast<void*>(to), address(from), piece, stream)
                           : api.call(api.copy, address(to), address(from), piece, stream);
    if (!done) return done;
    to += piece;
    from += piece;
    size -= piece;
  }
  return {};
}

/// Waits until the stream has written its progress word. `began` and `expected` are in ticks. The system may
/// wake a thread up to wake_delay_max late, so the thread asks to be woken earlier by that time. Returns
/// false if the copy had ended before the thread woke from a sleep that was to end before the copy: how long
/// it took is not known then. The end of a late copy is seen at most 1/64 late, which counts as seen.
Driven<bool> Copies::wait_for_progress(const CopyStream& stream, uint64_t began, uint64_t expected) const {
  const auto has_ended = [&] { return __atomic_load_n(stream.progress, __ATOMIC_ACQUIRE) == stream.copies; };
  const uint64_t margin = expected / 16 + wake_delay_max;
  const uint64_t wake_at = began + expected - std::min(expected, margin);
  bool has_slept = false;
  while (!has_ended()) {
    const uint64_t now = hsam_timestamp();
    has_slept = now + wake_delay_max < wake_at;
    if (has_slept) {
      sleep_until(std::min(wake_at, now + longest_sleep));
    } else {
      agents::Polling polling(std::max(began + expected + margin, now + min_polling_time));
      bool ended = false;
      while (!(ended = has_ended()) && polling.pause()) {
      }
      if (ended) break;
      // The copy is late, so that a little more delay does not matter.
      const uint64_t late = hsam_timestamp();
      sleep_until(late + std::min((late - began) / 64, longest_sleep));
    }
    const Status status = context_.status_of_stream(stream.stream);
    if (status == Status::success) break;
    if (status != Status::not_ready) return context_.api().error_of("cuStreamQuery", status);
  }
  return !has_slept;
}

/// Waits for what was submitted to a stream since `began` (ticks), which is expected to take so many ticks.
/// Returns whether it is known how long that took.
Driven<bool> Copies::wait(CopyStream& stream, uint64_t began, uint64_t expected) {
  const DriverApi& api = context_.api();
  ++stream.copies;
  if (!stream.progress ||
      !api.call(api.stream_write_value, stream.stream, address(stream.progress), stream.copies, 0u)) {
    if (auto done = api.call(api.stream_synchronize, stream.stream); !done) return done.error();
    return true;
  }
  return wait_for_progress(stream, began, expected);
}

uint64_t Copies::expected_duration(CopyDirection direction, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  return durations_[static_cast<size_t>(direction)].expected(bytes);
}

void Copies::note_duration(CopyDirection direction, uint64_t bytes, uint64_t duration, bool is_exact) {
  std::lock_guard lock(mutex_);
  CopyDurations& durations = durations_[static_cast<size_t>(direction)];
  if (is_exact)
    durations.note(bytes, duration);
  else
    durations.note_less_than(bytes, duration);
}

Driven<void> Copies::copy(void* to, const void* from, uint64_t size) {
  const CopyEnds both = ends(to, from);
  if (auto shared = share_peers(both); !shared) return shared;
  auto taken = take_stream();
  if (!taken) return taken.error();
  const Finally ended([&] { give_back(*taken); });
  const uint64_t began = hsam_timestamp();
  auto submitted =
      submit(taken->stream, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size, both);
  const auto copy_direction = both.direction().value_or(CopyDirection::on_device);
  // Also after an error, because the copies that were submitted use the caller's memory.
  const auto is_exact = wait(*taken, began, expected_duration(copy_direction, size));
  if (!submitted) return submitted;
  if (!is_exact) return is_exact.error();
  note_duration(copy_direction, size, hsam_timestamp() - began, *is_exact);
  return {};
}

}  // namespace heddle::cuda
