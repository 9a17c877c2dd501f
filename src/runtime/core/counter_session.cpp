// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/counter_session.h"

#include <algorithm>
#include <cassert>

namespace heddle::runtime {

namespace {

double milliseconds(uint64_t ticks) {
  return static_cast<double>(ticks) * 1000.0 / static_cast<double>(driver::timestamp_frequency());
}

}  // namespace

CounterSession::CounterSession(std::span<const PerformanceCounter> counters, driver::Client& client)
    : counters_(counters), client_(client), included_(counters.size()) {}

CounterSession::~CounterSession() { driver::Activities::unsubscribe(*this); }

hsa_status_t CounterSession::include(uint32_t index, bool included) {
  assert(index < included_.size());
  std::lock_guard lock(mutex_);
  if (state_ != State::disabled) return HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
  included_[index] = included;
  return HSA_STATUS_SUCCESS;
}

bool CounterSession::includes(uint32_t index) const {
  assert(index < included_.size());
  std::lock_guard lock(mutex_);
  return included_[index];
}

hsa_status_t CounterSession::enable() {
  std::lock_guard lock(mutex_);
  if (state_ != State::disabled) return HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
  std::vector<std::unique_ptr<Count>> counts;
  for (uint32_t index = 0; index < counters_.size(); ++index) {
    if (!included_[index]) continue;
    auto count = std::make_unique<Count>();
    count->counter = &counters_[index];
    count->index = index;
    const HardwareEvent* event = count->counter->hardware;
    if (event != nullptr && !count->hardware.open(*event)) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    counts.push_back(std::move(count));
  }
  counts_ = std::move(counts);
  ran_ = 0;
  state_ = State::enabled;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CounterSession::disable() {
  std::lock_guard lock(mutex_);
  if (state_ == State::disabled) return HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
  if (state_ == State::running) pause();
  counts_.clear();
  state_ = State::disabled;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CounterSession::start() {
  std::lock_guard lock(mutex_);
  if (state_ != State::enabled && state_ != State::stopped) return HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
  uint32_t kinds = 0;
  for (const auto& count : counts_) kinds |= activities_of(*count->counter);
  since_ = driver::timestamp();
  if (kinds != 0) driver::Activities::subscribe(*this, kinds);
  for (const auto& count : counts_) count->hardware.start();
  state_ = State::running;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CounterSession::stop() {
  std::lock_guard lock(mutex_);
  if (state_ == State::stopped) return HSA_STATUS_SUCCESS;
  if (state_ != State::running) return HSA_EXT_STATUS_ERROR_INVALID_SESSION_STATE;
  pause();
  state_ = State::stopped;
  return HSA_STATUS_SUCCESS;
}

/// Ends the counting. observe() takes no lock of this object, so the end of the subscription may be awaited
/// here.
void CounterSession::pause() {
  for (const auto& count : counts_) count->hardware.stop();
  driver::Activities::unsubscribe(*this);
  ran_ += driver::timestamp() - since_;
  for (const auto& count : counts_) count->state_at_stop = state_of(*count->counter);
}

void CounterSession::observe(const driver::Activity& activity) noexcept {
  for (const auto& count : counts_) {
    const uint64_t amount = runtime::amount_of(*count->counter, activity, since_);
    if (amount != 0) count->amount.fetch_add(amount, std::memory_order_relaxed);
  }
}

hsa_status_t CounterSession::read(uint32_t index, CounterReading& reading) const {
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(counts_, [&](const auto& count) { return count->index == index; });
  if (found == counts_.end()) return HSA_EXT_STATUS_ERROR_INVALID_SAMPLING_CONTEXT;
  const Count& count = **found;
  if (!count.counter->supports_async && state_ != State::stopped)
    return HSA_EXT_STATUS_ERROR_INVALID_SAMPLING_CONTEXT;
  reading = convert(*count.counter, amount_of(count));
  return HSA_STATUS_SUCCESS;
}

/// The present value of a counter with is_state, otherwise 0.
uint64_t CounterSession::state_of(const PerformanceCounter& counter) const {
  return counter.is_state ? client_.waiting_packets(*counter.agent->driver) : 0;
}

uint64_t CounterSession::amount_of(const Count& count) const {
  if (count.counter->hardware != nullptr) return count.hardware.read();
  if (count.counter->is_state)
    return state_ == State::stopped ? count.state_at_stop : state_of(*count.counter);
  return count.amount.load(std::memory_order_relaxed);
}

CounterReading CounterSession::convert(const PerformanceCounter& counter, uint64_t amount) const {
  if (counter.hardware != nullptr && counter.hardware->is_time) return {amount, amount * 1e-6};
  switch (counter.value_type) {
    case HSA_EXT_PERF_COUNTER_VALUE_TYPE_MILLISECONDS:
      return {amount, milliseconds(amount)};
    case HSA_EXT_PERF_COUNTER_VALUE_TYPE_PERCENTAGE: {
      // Queues have threads of their own beside those that stand for the compute units, so that the sum of
      // the times may be greater than the compute units have.
      const double most = static_cast<double>(ran_) * counter.agent->config().compute_unit_count;
      return {amount, most == 0 ? 0 : std::min(100.0, 100.0 * static_cast<double>(amount) / most)};
    }
    default:
      return {amount, static_cast<double>(amount)};
  }
}

}  // namespace heddle::runtime
