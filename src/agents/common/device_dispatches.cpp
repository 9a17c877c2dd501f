// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/device_dispatches.h"

#include <algorithm>
#include <new>
#include <utility>

#include "agents/common/polling.h"

namespace heddle::agents {
namespace {

uint64_t key_of(const KernelDispatch& d) {
  return ExpectedDurations::key(d.packet.kernel_object,
                                uint64_t{d.grid_size[0]} * d.grid_size[1] * d.grid_size[2]);
}

}  // namespace

Result<void, Failure> DeviceDispatches::launch(const KernelDispatch& dispatch, Launcher::Notice notice) {
  // There is room before the device gets the dispatch, so that none is in flight that is not known here.
  const bool is_only = launched_.empty();
  Launched& added = launched_.add();
  added.dispatch = dispatch;
  added.at = is_only ? hsam_timestamp() : 0;
  added.key = key_of(dispatch);
  added.is_timed = notice == Launcher::Notice::at_once;
  const auto forget = [&] { launched_.pop_back(); };
  try {
    auto wave_size = launcher_->launch(dispatch, notice);
    if (wave_size) {
      added.wave_size = *wave_size;
      return {};
    }
    forget();
    return wave_size.error();
  } catch (...) {
    forget();
    throw;
  }
}

bool DeviceDispatches::has_ended() {
  return !launched_.empty() && (launcher_->ended() != taken_ || launcher_->failure());
}

std::optional<DeviceDispatches::Ended> DeviceDispatches::take() {
  // Durations are noted only here, at the next call, because the caller completes the signals between the
  // calls, and nobody should wait for the bookkeeping.
  if (seen_ == taken_) note_row();
  if (launched_.empty()) return std::nullopt;
  const bool stopped = stopped_.load(std::memory_order_acquire);
  std::optional<Failure> failure;
  const bool looks = seen_ == taken_;
  if (looks) seen_ = launcher_->ended();
  if (seen_ == taken_) {
    failure = launcher_->failure();
    if (!failure) return std::nullopt;
  }
  Launched& oldest = launched_.front();
  // Nobody asks for the time of the others, so that they get that of the one before, and the clock is read
  // once for a row.
  const uint64_t now = looks || oldest.is_timed ? hsam_timestamp() : last_ended_;
  if (looks) row_ = row_of(seen_ - taken_, now);
  Ended ended{oldest.dispatch, oldest.wave_size,  std::max(oldest.at, last_ended_), now,
              stopped,         std::move(failure)};
  last_ended_ = ended.ended;
  last_duration_ = ended.ended - ended.started;
  if (ended.failure) {
    launched_.clear();
  } else {
    launched_.pop_front();
    ++taken_;
  }
  return ended;
}

uint64_t DeviceDispatches::next_look() const {
  return launched_.empty() ? UINT64_MAX : look_times().sleep_until(hsam_timestamp());
}

uint64_t DeviceDispatches::poll_until() const {
  return launched_.empty() ? 0 : look_times().poll_until(hsam_timestamp());
}

/// Describes the oldest dispatches, whose ends have been seen together.
DeviceDispatches::Row DeviceDispatches::row_of(uint64_t count, uint64_t now) const {
  if (count == 0) return {};
  const Launched& oldest = launched_.front();
  bool are_alike = count > 1;
  for (uint64_t i = 1; i < count && are_alike; ++i) are_alike = launched_[i].key == oldest.key;
  return {row_key(count), now - std::max(oldest.at, last_ended_), count, are_alike ? oldest.key : 0};
}

/// Takes note of how long the row took whose end was seen last. It is only a hint, so nothing fails if there
/// is no memory for it.
void DeviceDispatches::note_row() noexcept try {
  const Row row = std::exchange(row_, {});
  if (row.count == 0) return;
  expected_.note(row.key, row.duration);
  if (row.dispatch_key != 0) expected_.note(row.dispatch_key, row.duration / row.count);
} catch (const std::bad_alloc&) {
  expected_ = {};
}

uint64_t DeviceDispatches::row_key(uint64_t count) const {
  uint64_t key = launched_.front().key;
  for (uint64_t i = 1; i < count; ++i) key = ExpectedDurations::key_of_row(key, launched_[i].key);
  return key;
}

/// What the oldest dispatches are expected to take together; 0 if that is not known.
uint64_t DeviceDispatches::expected_duration(uint64_t count) const {
  if (const uint64_t known = expected_.expected(row_key(count))) return known;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t one = expected_.expected(launched_[i].key);
    if (one == 0) return 0;
    sum += one;
  }
  return sum;
}

LookTimes DeviceDispatches::look_times() const {
  const uint64_t notice = launcher_->next_notice();
  const uint64_t count = notice > taken_ ? std::min<uint64_t>(notice - taken_, launched_.size()) : 1;
  return {std::max(launched_.front().at, last_ended_), expected_duration(count)};
}

void DeviceDispatches::look_for_failure() {
  if (!launched_.empty()) launcher_->look_for_failure();
}

void DeviceDispatches::stop() noexcept {
  stopped_.store(true, std::memory_order_release);
  launcher_->stop();
}

}  // namespace heddle::agents
