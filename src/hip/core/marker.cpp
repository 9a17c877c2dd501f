// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/marker.h"

#include <fmt/format.h>
#include <hsa/hsa_ext_amd.h>

#include "hip/core/device.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"

namespace heddle::hip {

uint64_t timestamp() {
  uint64_t now = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now);
  return now;
}

Marker::Marker(Device& device, Kind kind) : device_(device), kind_(kind) {
  check(hsa_signal_create(1, 0, nullptr, &signal_), "hsa_signal_create", hipErrorOutOfMemory);
  log_lazily(LogLevel::debug, log_signal,
             [&] { return fmt::format("created signal {:#x}", signal_.handle); });
  device_.markers().add(*this);
  if (device_.failure() != hipSuccess) finish();  // the waits of the device have been ended, perhaps
}

Marker::~Marker() {
  device_.markers().remove(*this);
  hsa_signal_destroy(signal_);
}

void Marker::wait() const {
  log_lazily(LogLevel::debug, log_wait,
             [&] { return fmt::format("waits for signal {:#x}", signal_.handle); });
  while (hsa_signal_wait_scacquire(signal_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) >
         0) {
  }
}

void Marker::finish() {
  finished_ = timestamp();
  hsa_signal_store_screlease(signal_, 0);
}

uint64_t Marker::time() const {
  if (kind_ == Kind::host) return finished_;
  if (kind_ == Kind::copy) {
    hsa_amd_profiling_async_copy_time_t times{};
    if (hsa_amd_profiling_get_async_copy_time(signal_, &times) == HSA_STATUS_SUCCESS) return times.end;
  } else {
    hsa_amd_profiling_dispatch_time_t times{};
    if (hsa_amd_profiling_get_dispatch_time(device_.agent(), signal_, &times) == HSA_STATUS_SUCCESS)
      return times.end;
  }
  const uint64_t finished = finished_;
  return finished != 0 ? finished : timestamp();
}

}  // namespace heddle::hip
