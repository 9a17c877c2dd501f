// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wait for several signals of the AMD extension.
#include <array>
#include <memory>
#include <new>

#include <hsa/amd/signal.h>
#include <hsam/signal.h>

#include "driver/log.h"
#include "runtime/api/functions.h"
#include "runtime/api/signal_objects.h"
#include "runtime/core/calls_under_way.h"
#include "runtime/core/runtime.h"

using namespace heddle::runtime;

namespace {

constexpr uint32_t none = UINT32_MAX;

/// Scratch memory for a wait: on the stack unless there are many signals.
class Scratch {
 public:
  explicit Scratch(uint32_t count) {
    if (count <= few) return;
    many_signals_.reset(new (std::nothrow) hsam_signal*[count]);
    many_records_.reset(new (std::nothrow) hsam_wait_record[count]);
    exhausted_ = many_signals_ == nullptr || many_records_ == nullptr;
  }
  bool exhausted() const { return exhausted_; }
  hsam_signal** signals() { return many_signals_ ? many_signals_.get() : few_signals_.data(); }
  hsam_wait_record* records() { return many_records_ ? many_records_.get() : few_records_.data(); }

 private:
  static constexpr uint32_t few = 16;
  std::array<hsam_signal*, few> few_signals_;
  std::array<hsam_wait_record, few> few_records_;
  std::unique_ptr<hsam_signal*[]> many_signals_;
  std::unique_ptr<hsam_wait_record[]> many_records_;
  bool exhausted_ = false;
};

/// Checks the arguments and finds the blocks of the signals. Returns null, or what is wrong.
const char* prepare(uint32_t count, const hsa_signal_t* signals, const hsa_signal_condition_t* conditions,
                    const hsa_signal_value_t* values, Scratch& scratch) {
  // Only this part is a call that hsa_shut_down waits for, because the wait may last for ever.
  const CallUnderWay under_way;
  if (Runtime::current() == nullptr) return "the runtime is not initialized";
  if (count == none) return "there are too many signals";
  if (count != 0 && (signals == nullptr || conditions == nullptr || values == nullptr))
    return "an array is NULL";
  for (uint32_t i = 0; i < count; ++i) {
    scratch.signals()[i] = live_signal(signals[i]);
    if (scratch.signals()[i] == nullptr) return "a handle is not that of a signal";
    if (static_cast<uint32_t>(conditions[i]) > HSA_SIGNAL_CONDITION_GTE) return "a condition is unknown";
  }
  return nullptr;
}

}  // namespace

namespace heddle::runtime::functions {

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint,
                                 hsa_wait_state_t wait_hint, hsa_signal_value_t* satisfying_value) {
  Scratch scratch(signal_count == none ? 0 : signal_count);
  if (scratch.exhausted()) {
    heddle::driver::log_error("hsa_amd_signal_wait_any: there is no memory for {} signals", signal_count);
    return none;
  }
  if (const char* wrong = prepare(signal_count, signals, conds, values, scratch)) {
    heddle::driver::log_warning("hsa_amd_signal_wait_any: {}", wrong);
    return none;
  }
  if (signal_count == 0) return none;
  hsa_signal_value_t value = 0;
  uint32_t found = signal_count;
  // A sleep may end without reason; only one that has no end is repeated for that.
  do {
    found = hsam_signal_wait_any(signal_count, scratch.signals(), conds, values, timeout_hint, wait_hint,
                                 scratch.records(), &value);
  } while (found == signal_count && timeout_hint == UINT64_MAX);
  if (found == signal_count) return none;
  if (satisfying_value != nullptr) *satisfying_value = value;
  return found;
}

}  // namespace heddle::runtime::functions
