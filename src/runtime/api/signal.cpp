// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on signals (Runtime 2.4.1.5 to 2.4.1.41). They report no errors and may be called a hundred
// million times a second, so each only applies an operation of hsam/signal.h to the block that the handle
// points to.
#include <hsam/signal.h>

#include "runtime/api/api.h"

namespace {

namespace driver = heddle::driver;

hsam_signal* block(hsa_signal_t signal) { return reinterpret_cast<hsam_signal*>(signal.handle); }

/// Waits, and tells observers and the log of it.
template <typename Wait>
hsa_signal_value_t observed_wait(hsa_signal_t signal, Wait wait) {
  driver::Activity activity;
  activity.kind = driver::ActivityKind::signal_wait;
  activity.signal = signal.handle;
  activity.begin = hsam_timestamp();
  activity.value = wait();
  activity.end = hsam_timestamp();
  if (driver::Activities::is_observed(activity.kind)) driver::Activities::report(activity);
  driver::log_debug(HSAM_LOG_WAIT, "signal {:#x} has value {} after a wait of {:.1f} us", signal.handle,
                    activity.value,
                    static_cast<double>(activity.end - activity.begin) / 1000 * HSAM_TIMESTAMP_NANOSECONDS);
  return activity.value;
}

template <typename Wait>
hsa_signal_value_t maybe_observed(hsa_signal_t signal, Wait wait) {
  if (driver::Activities::is_observed(driver::ActivityKind::signal_wait) ||
      driver::LogSelection::shows(HSAM_LOG_DEBUG, HSAM_LOG_WAIT)) [[unlikely]]
    return observed_wait(signal, wait);
  return wait();
}

}  // namespace

// The macros define hsa_signal_<operation>_<order>, with and without a result.
#define HEDDLE_EXCHANGE(order)                                                                    \
  hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value) { \
    return hsam_signal_exchange_##order(block(signal), value);                                    \
  }
#define HEDDLE_CAS(order)                                                                     \
  hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected, \
                                            hsa_signal_value_t value) {                       \
    const int64_t observed = hsam_signal_cas_##order(block(signal), expected, value);         \
    if (observed != expected) heddle::runtime::api::swap_failed();                            \
    return observed;                                                                          \
  }
#define HEDDLE_UPDATE(operation, order)                                                  \
  void hsa_signal_##operation##_##order(hsa_signal_t signal, hsa_signal_value_t value) { \
    (void)hsam_signal_##operation##_##order(block(signal), value);                       \
  }
#define HEDDLE_UPDATES(operation)       \
  HEDDLE_UPDATE(operation, scacq_screl) \
  HEDDLE_UPDATE(operation, scacquire)   \
  HEDDLE_UPDATE(operation, relaxed)     \
  HEDDLE_UPDATE(operation, screlease)

namespace heddle::runtime::functions {

hsa_signal_value_t hsa_signal_load_scacquire(hsa_signal_t signal) {
  return hsam_signal_load_scacquire(block(signal));
}
hsa_signal_value_t hsa_signal_load_relaxed(hsa_signal_t signal) {
  return hsam_signal_load_relaxed(block(signal));
}

void hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  hsam_signal_store_relaxed(block(signal), value);
}
void hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  hsam_signal_store_screlease(block(signal), value);
}

void hsa_signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  hsam_signal_silent_store_relaxed(block(signal), value);
}
void hsa_signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  hsam_signal_silent_store_screlease(block(signal), value);
}

HEDDLE_EXCHANGE(scacq_screl)
HEDDLE_EXCHANGE(scacquire)
HEDDLE_EXCHANGE(relaxed)
HEDDLE_EXCHANGE(screlease)

HEDDLE_CAS(scacq_screl)
HEDDLE_CAS(scacquire)
HEDDLE_CAS(relaxed)
HEDDLE_CAS(screlease)

HEDDLE_UPDATES(add)
HEDDLE_UPDATES(subtract)
HEDDLE_UPDATES(and)
HEDDLE_UPDATES(or)
HEDDLE_UPDATES(xor)

hsa_signal_value_t hsa_signal_wait_scacquire(hsa_signal_t signal, hsa_signal_condition_t condition,
                                             hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                             hsa_wait_state_t wait_state_hint) {
  return maybe_observed(signal, [=] {
    return hsam_signal_wait_scacquire(block(signal), condition, compare_value, timeout_hint, wait_state_hint);
  });
}
hsa_signal_value_t hsa_signal_wait_relaxed(hsa_signal_t signal, hsa_signal_condition_t condition,
                                           hsa_signal_value_t compare_value, uint64_t timeout_hint,
                                           hsa_wait_state_t wait_state_hint) {
  return maybe_observed(signal, [=] {
    return hsam_signal_wait_relaxed(block(signal), condition, compare_value, timeout_hint, wait_state_hint);
  });
}

}  // namespace heddle::runtime::functions
