// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/signal_waits.h"

namespace heddle::cuda {

uint64_t SignalWaits::begin(hsam_signal& signal, hsa_signal_condition_t condition, int64_t compare,
                            uint64_t deadline) {
  auto& wait = *waits_.emplace(++last_number_, std::make_unique<Wait>()).first->second;
  wait.deadline = deadline;
  hsam_wait_arm(&wait.record, &waiter_, &signal, static_cast<uint32_t>(condition), compare);
  // The record tells of values that are sent from now on; the present one is looked at once.
  const int64_t value = hsam_signal_load_scacquire(&signal);
  if (hsam_condition_holds(static_cast<uint32_t>(condition), value, compare)) {
    wait.record.value = hsam_wait_disarm(&wait.record) ? wait.record.value : value;
    wait.record.signal = nullptr;
  }
  return last_number_;
}

std::optional<int64_t> SignalWaits::take(uint64_t number) {
  const auto found = waits_.find(number);
  if (found == waits_.end()) return std::nullopt;
  hsam_wait_record& record = found->second->record;
  int64_t value = record.value;
  if (record.signal) {
    if (!hsam_wait_is_met(&record) && hsam_timestamp() < found->second->deadline) return std::nullopt;
    hsam_signal* const signal = record.signal;
    value = hsam_wait_disarm(&record) ? record.value : hsam_signal_load_scacquire(signal);
  }
  waits_.erase(found);
  return value;
}

uint64_t SignalWaits::deadline(uint64_t number) const {
  const auto found = waits_.find(number);
  return found == waits_.end() ? UINT64_MAX : found->second->deadline;
}

void SignalWaits::clear() {
  for (const auto& [number, wait] : waits_)
    if (wait->record.signal) hsam_wait_disarm(&wait->record);
  waits_.clear();
}

}  // namespace heddle::cuda
