// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/copy_service.h"

#include <new>
#include <system_error>
#include <utility>

#include "driver/log.h"

namespace heddle::runtime {

namespace {

/// Reads the record under the signal's lock, because senders set its hit flag under that lock.
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

hsa_status_t CopyService::submit(Copy copy) {
  std::list<Pending> submission;
  submission.emplace_back(std::move(copy));
  {
    // The thread is started first, so that every queued copy is sure to be carried out.
    std::lock_guard lock(mutex_);
    if (!has_thread()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    submitted_.splice(submitted_.end(), submission);
  }
  hsam_waiter_kick(&waiter_);
  return HSA_STATUS_SUCCESS;
}

/// Starts the thread unless it runs already. Returns false if it cannot be started.
bool CopyService::has_thread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error& error) {
    driver::log_error("no thread for copies: {}", error.what());
    return false;
  }
}

void CopyService::take_submitted() {
  std::lock_guard lock(mutex_);
  pending_.splice(pending_.end(), submitted_);
}

/// Carries out all copies that may start. The application may destroy a start signal as soon as its copy has
/// begun, so the record is unlinked from the signal first.
bool CopyService::start_ready() {
  bool any = false;
  for (auto next = pending_.begin(); next != pending_.end();) {
    Pending& pending = *next;
    hsam_signal* start = pending.copy.start;
    if (start != nullptr && !pending.armed) {
      hsam_wait_arm(&pending.record, &waiter_, start, HSA_SIGNAL_CONDITION_EQ, 0);
      pending.armed = true;
    }
    const bool hit = pending.armed && is_hit(pending.record);
    if (start != nullptr && !hit && hsam_signal_load_scacquire(start) != 0) {
      ++next;
      continue;
    }
    if (pending.armed) (void)hsam_wait_disarm(&pending.record);
    const Copy copy = std::move(pending.copy);
    next = pending_.erase(next);
    carry_out(copy);
    any = true;
  }
  return any;
}

hsa_status_t CopyService::copy_to_all(const Copy& copy) noexcept try {
  hsa_status_t status = HSA_STATUS_SUCCESS;
  for (void* destination : copy.destinations)
    if (status == HSA_STATUS_SUCCESS && copy.size != 0)
      status = client_.copy(destination, copy.source, copy.size);
  return status;
} catch (const std::bad_alloc&) {
  return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
} catch (...) {
  return HSA_STATUS_ERROR;
}

void CopyService::carry_out(const Copy& copy) noexcept {
  const hsa_status_t status = copy_to_all(copy);
  if (status != HSA_STATUS_SUCCESS)
    driver::log_error("a copy of {} bytes failed with status {:#x}", copy.size,
                      static_cast<unsigned>(status));
  if (copy.completion == nullptr) return;
  if (status == HSA_STATUS_SUCCESS)
    (void)hsam_signal_subtract_screlease(copy.completion, 1);
  else
    // Waiters must not take this for success. As in other asynchronous copies of the platform, a negative
    // value tells them of the failure.
    hsam_signal_store_screlease(copy.completion, -1);
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
  for (Pending& pending : pending_)
    if (pending.armed) (void)hsam_wait_disarm(&pending.record);
}

}  // namespace heddle::runtime
