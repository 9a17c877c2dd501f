// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/device_dispatches.h"

#include <algorithm>

#include "agents/common/polling.h"

namespace heddle::agents {

Result<void, Failure> DeviceDispatches::launch(const KernelDispatch& dispatch) {
  // There is room before the device gets the dispatch, so that none is in flight that is not known here.
  launched_.push_back({dispatch, 1, hsam_timestamp()});
  const auto forget = [&] { launched_.pop_back(); };
  try {
    auto wave_size = launcher_->launch(dispatch);
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
  if (ended.failure) {
    launched_.clear();
  } else {
    launched_.pop_front();
    ++taken_;
  }
  return ended;
}

uint64_t DeviceDispatches::next_look() const {
  if (launched_.empty()) return UINT64_MAX;
  constexpr uint64_t shortest = 20 * ticks_per_microsecond, longest = 1000 * ticks_per_microsecond;
  constexpr uint64_t part = 64;  // of the time since the dispatch began
  const uint64_t now = hsam_timestamp(), began = std::max(launched_.front().at, last_ended_);
  return now + std::clamp((now - std::min(now, began)) / part, shortest, longest);
}

void DeviceDispatches::look_for_failure() {
  if (!launched_.empty()) launcher_->look_for_failure();
}

void DeviceDispatches::stop() noexcept {
  stopped_.store(true, std::memory_order_release);
  launcher_->stop();
}

}  // namespace heddle::agents
