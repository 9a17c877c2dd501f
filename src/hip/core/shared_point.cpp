// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/shared_point.h"

#include <functional>
#include <limits>

#include "hip/core/failure.h"

namespace heddle::hip {
namespace {

// The number of the point that was reached is in the upper half of the signal's value, so that a wait for it
// compares the value; the number of points is in the lower half.
constexpr uint32_t reached_in(hsa_signal_value_t value) { return static_cast<uint32_t>(value >> 32); }
constexpr uint32_t recorded_in(hsa_signal_value_t value) { return static_cast<uint32_t>(value); }
constexpr hsa_signal_value_t value_of(uint32_t reached, uint32_t recorded) {
  return static_cast<hsa_signal_value_t>(uint64_t{reached} << 32 | recorded);
}

bool call_once(hsa_signal_value_t, void* data) {
  const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(data));
  (*own)();
  return false;
}

/// Calls a function on a thread of HSA when the condition holds.
void call_when(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compare,
               std::function<void()> function) {
  auto data = std::make_unique<std::function<void()>>(std::move(function));
  check(hsa_amd_signal_async_handler(signal, condition, compare, call_once, data.get()),
        "hsa_amd_signal_async_handler");
  static_cast<void>(data.release());  // the handler owns it now
}

}  // namespace

std::shared_ptr<SharedPoint> SharedPoint::create() {
  hsa_signal_t signal{};
  check(hsa_amd_signal_create(value_of(0, 0), 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal),
        "hsa_amd_signal_create", hipErrorOutOfMemory);
  return std::shared_ptr<SharedPoint>(new SharedPoint(signal));
}

std::shared_ptr<SharedPoint> SharedPoint::attach(const hsa_amd_ipc_signal_t& handle) {
  hsa_signal_t signal{};
  check(hsa_amd_ipc_signal_attach(&handle, &signal), "hsa_amd_ipc_signal_attach", hipErrorInvalidValue);
  return std::shared_ptr<SharedPoint>(new SharedPoint(signal));
}

SharedPoint::~SharedPoint() { hsa_signal_destroy(signal_); }

hsa_amd_ipc_signal_t SharedPoint::handle() const {
  hsa_amd_ipc_signal_t handle{};
  check(hsa_amd_ipc_signal_create(signal_, &handle), "hsa_amd_ipc_signal_create", hipErrorOutOfMemory);
  return handle;
}

uint32_t SharedPoint::recorded() const { return recorded_in(hsa_signal_load_scacquire(signal_)); }

bool SharedPoint::reached(uint32_t number) const {
  return reached_in(hsa_signal_load_scacquire(signal_)) >= number;
}

uint32_t SharedPoint::record(const MarkerPointer& marker) {
  hsa_signal_value_t seen = hsa_signal_load_relaxed(signal_);
  while (true) {
    if (recorded_in(seen) == std::numeric_limits<int32_t>::max())
      throw Failure(hipErrorNotSupported, "an event of several processes was recorded 2^31 times");
    const hsa_signal_value_t next = value_of(reached_in(seen), recorded_in(seen) + 1);
    const hsa_signal_value_t found = hsa_signal_cas_scacq_screl(signal_, seen, next);
    if (found == seen) break;
    seen = found;
  }
  const uint32_t number = recorded_in(seen) + 1;
  if (marker == nullptr)
    reach(number);
  else
    call_when(marker->signal(), HSA_SIGNAL_CONDITION_LT, 1,
              [self = shared_from_this(), marker, number] { self->reach(number); });
  return number;
}

void SharedPoint::reach(uint32_t number) {
  hsa_signal_value_t seen = hsa_signal_load_relaxed(signal_);
  while (reached_in(seen) < number) {
    const hsa_signal_value_t found =
        hsa_signal_cas_scacq_screl(signal_, seen, value_of(number, recorded_in(seen)));
    if (found == seen) return;
    seen = found;
  }
}

void SharedPoint::finish_at(uint32_t number, MarkerPointer marker) {
  call_when(signal_, HSA_SIGNAL_CONDITION_GTE, value_of(number, 0),
            [self = shared_from_this(), marker = std::move(marker)] { marker->finish(); });
}

}  // namespace heddle::hip
