// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/copy_service.h"

#include "runtime/core/diagnostics.h"

namespace heddle::runtime {

namespace {

/// Senders note a hit under the lock of the signal.
bool is_hit(const hsam_wait_record& record) {
  hsam_signal_lock(record.signal);
  const bool hit = record.hit != 0;
  hsam_signal_unlock(record.signal);
  return hit;
}

}  // namespace

CopyService::~CopyService() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  hsam_waiter_kick(&waiter_);
  if (thread_.joinable()) thread_.join();
}

void CopyService::submit(Copy copy) {
  {
    std::lock_guard lock(mutex_);
    submitted_.push_back(std::move(copy));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  hsam_waiter_kick(&waiter_);
}

void CopyService::take_submitted() {
  std::lock_guard lock(mutex_);
  for (Copy& copy : submitted_) {
    auto pending = std::make_unique<Pending>();
    pending->copy = std::move(copy);
    pending_.push_back(std::move(pending));
  }
  submitted_.clear();
}

/// Carries out what may start. A start signal may be destroyed once its copy has begun, so its record is
/// unlinked first.
bool CopyService::start_ready() {
  bool any = false;
  for (size_t i = 0; i < pending_.size();) {
    Pending& pending = *pending_[i];
    hsam_signal* start = pending.copy.start;
    if (start != nullptr && !pending.armed) {
      hsam_wait_arm(&pending.record, &waiter_, start, HSA_SIGNAL_CONDITION_EQ, 0);
      pending.armed = true;
    }
    const bool hit = pending.armed && is_hit(pending.record);
    if (start != nullptr && !hit && hsam_signal_load_scacquire(start) != 0) {
      ++i;
      continue;
    }
    if (pending.armed) (void)hsam_wait_disarm(&pending.record);
    const Copy copy = std::move(pending.copy);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    carry_out(copy);
    any = true;
  }
  return any;
}

void CopyService::carry_out(const Copy& copy) {
  for (void* destination : copy.destinations) {
    if (copy.size == 0) break;
    const hsa_status_t status = client_.copy(destination, copy.source, copy.size);
    if (status == HSA_STATUS_SUCCESS) continue;
    report_error("runtime", "a copy of {} bytes failed with status {:#x}", copy.size,
                 static_cast<unsigned>(status));
    // Waiters must not take this for success: as other asynchronous copies of the platform, a negative value
    // says so.
    if (copy.completion != nullptr) hsam_signal_store_screlease(copy.completion, -1);
    return;
  }
  if (copy.completion != nullptr) (void)hsam_signal_subtract_screlease(copy.completion, 1);
}

void CopyService::run() {
  for (;;) {
    hsam_waiter_reset(&waiter_);
    take_submitted();
    {
      std::lock_guard lock(mutex_);
      if (stop_) break;
    }
    if (!start_ready()) hsam_waiter_sleep(&waiter_, UINT64_MAX);
  }
  for (const auto& pending : pending_)
    if (pending->armed) (void)hsam_wait_disarm(&pending->record);
}

}  // namespace heddle::runtime
