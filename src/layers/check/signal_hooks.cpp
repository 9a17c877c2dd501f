// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/signal_hooks.h"

#include <fmt/format.h>

namespace heddle::check {
namespace {

/// A change of a signal by the program. If it is the doorbell of a queue, `rung` is the new value.
void changed(Checker& checker, Call& call, uint64_t signal, std::optional<Value> rung) {
  if (!checker.objects.is_live(Kind::signal, signal)) return;
  checker.flights.signal_changed(signal);
  Queue* queue = checker.queues.find(checker.signals.queue_of(signal));
  if (queue != nullptr && rung)
    checker.queues.ring(*queue, *rung, call.event(), checker.packet_context(), checker.flights,
                        call.findings);
}

/// The host waits for a signal.
void waits(const Checker& checker, Call& call, uint64_t signal) {
  if (!checker.objects.is_live(Kind::signal, signal) || checker.signals.host_may_consume(signal)) return;
  call.add(rules::signal_consumer,
           fmt::format("the host waits for the signal {:#x}, and no CPU is in its list of consumers", signal),
           life_of(*checker.objects.find(Kind::signal, signal)));
}

bool holds(Condition condition, Value value, Value compared) {
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == compared;
    case HSA_SIGNAL_CONDITION_NE:
      return value != compared;
    case HSA_SIGNAL_CONDITION_LT:
      return value < compared;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= compared;
  }
  return false;
}

}  // namespace

void CreateSignal::after(Checker& checker, Call&, hsa_status_t status, Value, uint32_t count,
                         const hsa_agent_t* consumers, hsa_signal_t* signal) {
  if (status == HSA_STATUS_SUCCESS) checker.signals.made(signal->handle, consumers, count);
}

void CreateAmdSignal::after(Checker& checker, Call&, hsa_status_t status, Value, uint32_t count,
                            const hsa_agent_t* consumers, uint64_t, hsa_signal_t* signal) {
  if (status == HSA_STATUS_SUCCESS) checker.signals.made(signal->handle, consumers, count);
}

void DestroySignal::before(Checker& checker, Call& call, hsa_signal_t signal) {
  if (!checker.objects.is_live(Kind::signal, signal.handle)) return;
  if (checker.signals.queue_of(signal.handle) != 0)
    call.add(rules::doorbell_destroyed,
             fmt::format("the signal {:#x} is the doorbell of a queue", signal.handle),
             life_of(*checker.objects.find(Kind::signal, signal.handle)));
  checker.flights.check_signal(signal.handle, checker.objects, call.findings);
}

void DestroySignal::after(Checker& checker, Call&, hsa_status_t status, hsa_signal_t signal) {
  // The handle may be that of a new signal by now.
  if (status == HSA_STATUS_SUCCESS && !checker.objects.is_live(Kind::signal, signal.handle))
    checker.signals.destroyed(signal.handle);
}

void StoreSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Value value) {
  changed(checker, call, signal.handle, value);
}

void AddSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Value value) {
  const bool live = checker.objects.is_live(Kind::signal, signal.handle);
  changed(checker, call, signal.handle,
          live ? std::optional<Value>(value_of(signal.handle) + value) : std::nullopt);
}

void ChangeSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Value) {
  changed(checker, call, signal.handle, std::nullopt);
}

void SwapSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Value expected, Value value) {
  const bool swaps =
      checker.objects.is_live(Kind::signal, signal.handle) && value_of(signal.handle) == expected;
  changed(checker, call, signal.handle, swaps ? std::optional<Value>(value) : std::nullopt);
}

void WaitSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Condition, Value, uint64_t,
                        hsa_wait_state_t) {
  waits(checker, call, signal.handle);
}

void WaitSignal::after(Checker& checker, Call& call, Value result, hsa_signal_t signal, Condition condition,
                       Value compared, uint64_t, hsa_wait_state_t) {
  if (holds(condition, result, compared)) checker.queues.host_saw(signal.handle, call.findings);
}

void WaitAny::before(Checker& checker, Call& call, uint32_t count, hsa_signal_t* signals, Condition*, Value*,
                     uint64_t, hsa_wait_state_t, Value*) {
  for (uint32_t i = 0; signals != nullptr && i < checkable(count); ++i) {
    if (signals[i].handle == 0) continue;
    call.add(checker.objects.check(Kind::signal, signals[i].handle));
    waits(checker, call, signals[i].handle);
  }
}

void WaitAny::after(Checker& checker, Call& call, uint32_t result, uint32_t count, hsa_signal_t* signals,
                    Condition*, Value*, uint64_t, hsa_wait_state_t, Value*) {
  if (signals != nullptr && result < count) checker.queues.host_saw(signals[result].handle, call.findings);
}

void CreateGroup::before(Checker& checker, Call& call, uint32_t count, const hsa_signal_t* signals, uint32_t,
                         const hsa_agent_t*, hsa_signal_group_t*) {
  for (uint32_t i = 0; signals != nullptr && i < checkable(count); ++i)
    call.add(checker.objects.check(Kind::signal, signals[i].handle));
}

void WaitGroup::after(Checker& checker, Call& call, hsa_status_t status, hsa_signal_group_t, const Condition*,
                      const Value*, hsa_wait_state_t, hsa_signal_t* signal, Value*) {
  if (status == HSA_STATUS_SUCCESS && signal != nullptr)
    checker.queues.host_saw(signal->handle, call.findings);
}

void HandleSignal::before(Checker& checker, Call& call, hsa_signal_t signal, Condition, Value,
                          hsa_amd_signal_handler, void*) {
  waits(checker, call, signal.handle);
}

void ExposeSignal::after(Checker& checker, Call&, hsa_status_t status, hsa_signal_t signal,
                         volatile Value**) {
  if (status != HSA_STATUS_SUCCESS) return;
  checker.signals.expose(signal.handle);
  checker.flights.signal_changed(signal.handle);
}

}  // namespace heddle::check
