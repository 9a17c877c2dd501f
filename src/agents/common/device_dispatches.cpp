// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/device_dispatches.h"

#include <new>

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
  launched_.push_back({dispatch, 1, hsam_timestamp(), notice, times_next(notice)});
  const auto forget = [&] { launched_.pop_back(); };
  try {
    auto wave_size = launcher_->launch(dispatch, notice);
    if (wave_size) {
      launched_.back().wave_size = *wave_size;
      return {};
    }
    forget();
    return wave_size.error();
  } catch (...) {
    forget();
    throw;
  }
}

/// Whether the time that the next dispatch takes will be known. The ends of those that are seen together say
/// nothing about each.
bool DeviceDispatches::times_next(Launcher::Notice notice) const {
  return notice == Launcher::Notice::at_once &&
         (launched_.empty() || launched_.back().notice == Launcher::Notice::at_once);
}

bool DeviceDispatches::has_ended() {
  return !launched_.empty() && (launcher_->ended() != taken_ || launcher_->failure());
}

std::optional<DeviceDispatches::Ended> DeviceDispatches::take() {
  if (launched_.empty()) return std::nullopt;
  const bool stopped = stopped_.load(std::memory_order_acquire);
  std::optional<Failure> failure;
  if (launcher_->ended() == taken_) {
    failure = launcher_->failure();
    if (!failure) return std::nullopt;
  }
  Launched& oldest = launched_.front();
  Ended ended{oldest.dispatch,  oldest.wave_size, std::max(oldest.at, last_ended_),
              hsam_timestamp(), stopped,          std::move(failure)};
  last_ended_ = ended.ended;
  last_duration_ = ended.ended - ended.started;
  if (ended.failure) {
    launched_.clear();
  } else {
    if (oldest.is_timed) note_duration(oldest.dispatch, ended.ended - ended.started);
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

/// It is only a hint, so nothing fails if there is no memory for it.
void DeviceDispatches::note_duration(const KernelDispatch& dispatch, uint64_t duration) noexcept try {
  expected_.note(key_of(dispatch), duration);
} catch (const std::bad_alloc&) {
  expected_ = {};
}

LookTimes DeviceDispatches::look_times() const {
  const Launched& oldest = launched_.front();
  return {std::max(oldest.at, last_ended_), expected_.expected(key_of(oldest.dispatch))};
}

void DeviceDispatches::look_for_failure() {
  if (!launched_.empty()) launcher_->look_for_failure();
}

void DeviceDispatches::stop() noexcept {
  stopped_.store(true, std::memory_order_release);
  launcher_->stop();
}

}  // namespace heddle::agents
