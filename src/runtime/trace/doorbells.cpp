// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/doorbells.h"

#include <hsam/signal.h>

#include "driver/activity.h"
#include "runtime/api/functions.h"
#include "runtime/interception/api_tables.h"

namespace heddle::runtime::trace {
namespace {

/// The report comes before the doorbell rings, because the packet may be complete soon afterwards.
void report_doorbell(hsa_signal_t signal, hsa_signal_value_t value) noexcept {
  using driver::ActivityKind;
  if (!driver::Activities::is_observed(ActivityKind::doorbell)) return;
  const auto* block = reinterpret_cast<const hsam_signal*>(signal.handle);
  if ((__atomic_load_n(&block->flags, __ATOMIC_RELAXED) & HSAM_SIGNAL_DOORBELL) == 0) return;
  driver::Activity activity;
  activity.kind = ActivityKind::doorbell;
  activity.signal = signal.handle;
  activity.value = value;
  activity.begin = activity.end = hsam_timestamp();
  driver::Activities::report(activity);
}

void store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  report_doorbell(signal, value);
  functions::hsa_signal_store_relaxed(signal, value);
}

void store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  report_doorbell(signal, value);
  functions::hsa_signal_store_screlease(signal, value);
}

}  // namespace

void watch_doorbells() noexcept {
  __atomic_store_n(&live_tables.core.hsa_signal_store_relaxed_fn, &store_relaxed, __ATOMIC_RELAXED);
  __atomic_store_n(&live_tables.core.hsa_signal_store_screlease_fn, &store_screlease, __ATOMIC_RELAXED);
}

}  // namespace heddle::runtime::trace
