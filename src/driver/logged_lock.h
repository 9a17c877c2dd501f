// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks whose waits are in the log (subject lock), for finding out which threads hold each other up. A lock
// that is free costs what std::mutex::lock costs.
#pragma once

#include <mutex>

#include <hsam/signal.h>

#include "driver/log.h"

namespace heddle::driver {

/// Locks the mutex. If another thread has it, logs how long this one waited for `what`.
template <typename Mutex>
std::unique_lock<Mutex> lock_logged(Mutex& mutex, const char* what) {
  std::unique_lock<Mutex> lock(mutex, std::try_to_lock);
  if (lock.owns_lock()) return lock;
  const uint64_t since = LogSelection::shows(HSAM_LOG_DEBUG, HSAM_LOG_LOCK) ? hsam_timestamp() : 0;
  lock.lock();
  if (since != 0)
    log_debug(HSAM_LOG_LOCK, "waited {:.1f} us for the lock of {}",
              static_cast<double>(hsam_timestamp() - since) * HSAM_TIMESTAMP_NANOSECONDS / 1000, what);
  return lock;
}

}  // namespace heddle::driver
