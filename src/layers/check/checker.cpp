// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/checker.h"

#include "layers/check/calls.h"

namespace heddle::check {

Checker& Checker::instance() {
  static auto* const checker = new Checker;
  return *checker;
}

bool Checker::is_being_shut_down_elsewhere() const {
  return shutting_down != 0 && shutting_down != this_thread() && !is_runtime_thread();
}

bool Checker::goes_on(Call& call) const {
  constexpr uint64_t none = UINT64_MAX;
  if (call.cycle == 0) call.cycle = loaded ? cycle : none;
  return loaded && call.cycle == cycle;
}

void Checker::lose_track() {
  objects.lose_track();
  memory.lose_track();
}

void Checker::end_all(const Event& event) {
  objects.end_all(event);
  memory.clear();
  kernels.clear();
  signals.clear();
  flights.clear();
  queues.clear();
  references = 0;
  loaded = false;
  shutting_down = 0;
}

void Call::report() {
  if (findings.empty()) return;
  Checker::instance().reporter.report(findings, function_, Site::here());
  findings.clear();
}

}  // namespace heddle::check
